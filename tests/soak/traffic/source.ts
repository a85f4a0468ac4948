import { setTimeout as delay } from 'node:timers/promises'
import type { Body } from '../../clients/client.ts'
import type { Operation, PlannedBody } from '../plan/operation.ts'
import { payloadOf } from '../plan/payload.ts'
import { SourceFailed } from './failure.ts'

/** The body that an operation gives to its client, and how to see whether it is let go. */
export interface UploadSource {
  readonly body: Body
  /** Tells if it was begun and is held by someone who does not read on. */
  readonly isHeld: () => boolean
}

const pieceBytes = 50_000

/** Makes the body of an operation, in its form. */
export function sourceOf({ id, kind }: Operation, planned: PlannedBody): UploadSource {
  const payload = payloadOf(id, planned)
  const bytes = new Uint8Array(payload)
  if (planned.form === 'stream') return streamOf(bytes, kind)
  return { body: bodyOf(planned.form, payload, bytes), isHeld: () => false }
}

function bodyOf(
  form: Exclude<PlannedBody['form'], 'stream'>,
  payload: Buffer,
  bytes: Uint8Array<ArrayBuffer>,
): Body {
  if (form === 'bytes') return bytes
  if (form === 'text') return payload.toString()
  if (form === 'form') return new URLSearchParams(payload.toString())
  return new Blob([bytes], { type: 'application/octet-stream' })
}

function streamOf(bytes: Uint8Array, kind: Operation['kind']): UploadSource {
  let offset = 0
  let [hasBegun, isOver] = [false, false]
  const stalled = new AbortController()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        hasBegun = true
        const isHalf = offset >= bytes.byteLength / 2
        // By a timer, since what nothing holds is collected, and with it the request.
        if (kind === 'put, source stalls' && isHalf) return never(stalled.signal)
        if (kind === 'put, source fails' && isHalf) {
          isOver = true
          throw new SourceFailed('the source failed')
        }
        const piece = bytes.subarray(offset, offset + pieceBytes)
        offset += piece.byteLength
        if (piece.byteLength > 0) controller.enqueue(piece)
        if (offset < bytes.byteLength) return delay(0)
        isOver = true
        return controller.close()
      },
      cancel() {
        stalled.abort()
        isOver = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, isHeld: () => hasBegun && !isOver }
}

function never(signal: AbortSignal): Promise<void> {
  return delay(3_600_000, undefined, { signal, ref: false }).catch(() => {})
}
