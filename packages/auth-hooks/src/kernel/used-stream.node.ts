/* oxlint-disable typescript/no-unsafe-type-assertion -- streams are told apart by their properties */
import { bodyError } from '../kit/errors.ts'

/** The iterators that were read: unlike a stream, they do not tell. */
const readIterators = new WeakSet<object>()

/** Takes note that a client begins to read a body. */
export function noteRead(source: unknown): void {
  if (typeof source === 'object' && source !== null && 'next' in source) readIterators.add(source)
}

/**
 * Throws if a body that is about to be sent is a stream that was used before, as by the attempt that a client repeats:
 * it would be sent as an empty body, or as a part of one, and its length be called wrong.
 *
 * @throws AuthError `ERR_AUTH_BODY` that says how to repeat the call.
 */
export function assertUnused(source: unknown): void {
  if (typeof source !== 'object' || source === null) return
  if (!readIterators.has(source) && !isUsed(source)) return
  throw bodyError(
    'the stream was already read or destroyed, perhaps by an earlier attempt; nothing of it was sent: pass each attempt ' +
      'a stream of its own, or bytes, or turn off the retries of this call',
  )
}

/** The signs of use of streams of Node's, of the web and of older packages. */
interface UsedStream {
  readonly locked?: boolean
  readonly destroyed?: boolean
  readonly readable?: boolean
  readonly readableDidRead?: boolean
  readonly readableAborted?: boolean
  // The only signs of a form of the package form-data.
  readonly _released?: boolean
  readonly _streams?: readonly unknown[]
  readonly _overheadLength?: number
}

function isUsed(source: UsedStream): boolean | undefined {
  if (!('pipe' in source)) return source.locked || isDisturbed(source)
  const { readableDidRead, readableAborted, _released, _streams, _overheadLength } = source
  if (readableDidRead !== undefined) return readableDidRead || readableAborted
  const hasLostParts = Boolean(_overheadLength) && _streams?.length === 0
  return source.destroyed || source.readable === false || _released || hasLostParts
}

/** Tells if a stream of the web was read. Before Node 20.16 that cannot be asked. */
function isDisturbed(stream: object): boolean | undefined {
  const streams: unknown = process.getBuiltinModule?.('node:stream')
  return (streams as { isDisturbed?(stream: object): boolean } | undefined)?.isDisturbed?.(stream)
}
