import type { OutgoingBody, OutgoingRequest } from '@svc/types'
import type { ChunkSettings } from './chunks.ts'

/** The headers by which a caller announces the length of a stream, the first one first. */
const lengthHeaders = ['x-amz-decoded-content-length', 'content-length'] as const

/**
 * Returns the length of a body before it is cut into chunks: as the body itself knows it, else as the
 * caller announces it.
 *
 * @throws AuthError `ERR_AUTH_BODY` where nothing says it, or two say otherwise.
 */
export function decodedLength(
  { headers }: Pick<OutgoingRequest, 'headers'>,
  body: OutgoingBody,
  bodyError: ChunkSettings['bodyError'],
): number {
  let length = body.size
  for (const name of lengthHeaders) {
    const value = headers.get(name)
    if (value === null) continue
    const announced = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (!Number.isSafeInteger(announced)) {
      throw bodyError(`${name} must be the body's length in bytes`)
    }
    length ??= announced
    if (length !== announced) {
      throw bodyError(`${name} is ${announced}, but the body has ${length} bytes`)
    }
  }
  if (length !== undefined) return length
  throw bodyError(
    "the length of a body in signed chunks must be known in advance: set content-length to the stream's length " +
      'in bytes (or x-amz-decoded-content-length, if content-length cannot be set)',
  )
}

/**
 * Tells if `fetch` sends a stream with a length here, and not with `transfer-encoding: chunked`, which
 * object stores refuse.
 *
 * workerd does it for a `FixedLengthStream`; Node and Bun do it where `content-length` is set. Deno,
 * which calls itself Node as well, and browsers drop that header.
 */
export function sendsStreamsWithLength(runtime: object = globalThis): boolean {
  // These tell them apart, and each may be missing.
  const { Deno, FixedLengthStream, process } = runtime as {
    Deno?: unknown
    FixedLengthStream?: unknown
    process?: { type?: string; versions?: { node?: string } }
  }
  if (FixedLengthStream) return true
  // A window of Electron has Node beside the `fetch` of Chromium.
  return !Deno && process?.type !== 'renderer' && process?.versions?.node !== undefined
}
