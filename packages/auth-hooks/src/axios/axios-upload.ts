import type { OutgoingBody } from '@svc/types'
import { platform } from '#axios-platform'
import { isNodeStream } from './axios-form.ts'
import type { AdapterName } from './library.ts'
import { openBody } from '../kernel/upload.ts'
import type { SerializedBody } from '../kernel/body.ts'

/** A body on its way through an adapter of axios. */
export interface AxiosUpload {
  /** What the adapter is given as `data`. */
  readonly data: unknown
  /** Is told that there is an answer. */
  readonly answered: () => void
  /** Lets go of a body that is not wanted any more. */
  readonly release: () => void
  /** Lets go of a body that was not sent, and gives its own failure, if it had one. */
  readonly failure: (reason: unknown) => unknown
}

/** Opens a body in a form that the adapter sends byte by byte, and encodes no more. */
export async function openUpload(
  body: SerializedBody | undefined,
  wrapped: OutgoingBody | undefined,
  adapterName: AdapterName,
  signal: AbortSignal | undefined,
): Promise<AxiosUpload> {
  const given = wrapped ?? body
  if (!given) return settledUpload(undefined)
  if (given.inMemory) {
    const bytes = await given.bytes()
    return settledUpload(platform ? platform.toBuffer(bytes) : bytes)
  }
  const asWeb = !platform || adapterName === 'fetch'
  const isBlob = !wrapped && body?.replayable
  if (isBlob && asWeb) return settledUpload(body.source)

  const opened = openBody(given, signal)
  const data = asWeb ? opened.stream : platform.toNodeStream(opened.stream)
  const failure = (reason: unknown): unknown => {
    try {
      return opened.fail(reason)
    } catch (error) {
      return error
    }
  }
  return {
    data,
    answered: opened.answered,
    // A stream of Node's ends its source, and with it the request that it is piped to.
    release: () => void ('destroy' in data ? data.destroy?.() : failure(undefined)),
    failure,
  }
}

/** Lets go of a stream of the caller's that was never opened. */
export function releaseUnsent(data: unknown): void {
  if (isNodeStream(data)) data.destroy?.()
  else if (data instanceof ReadableStream && !data.locked) data.cancel().catch(() => {})
}

function settledUpload(data: unknown): AxiosUpload {
  return { data, answered: () => {}, release: () => {}, failure: (reason) => reason }
}
