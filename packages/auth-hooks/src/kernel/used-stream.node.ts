/* oxlint-disable typescript/no-unsafe-type-assertion -- streams are told apart by their properties */
import type { Readable } from 'node:stream'
import { bodyError } from '../kit/errors.ts'
import { guardStream, has } from './stream.ts'

/** The streams and iterators that a call has begun to read: most do not tell who has read them. */
const claimed = new WeakSet<object>()

/** Takes a body for a call, at its beginning: a stream that flows elsewhere too would be over after a login. */
export function claimStream(source: unknown): void {
  holdStream(source)
  assertUnused(source)
  noteRead(source)
}

/** Takes note that a call begins to read a body. */
export function noteRead(source: unknown): void {
  if (has(source, 'next') || has(source, 'pipe')) claimed.add(source as object)
}

/** Keeps what a stream of Node's gives until it is read: everybody else who listens gets it then, too. */
export function holdStream(source: unknown): void {
  guardStream(source)
  if (!has(source, 'readableFlowing')) return
  const stream = source as Readable
  // Once, also where two of ours stand in a row: a client frees it once.
  if (!stream.listeners('readable').includes(hold)) stream.on('readable', hold)
}

// With a listener for `readable`, no stream flows by itself.
const hold = (): void => {}

/**
 * Lets a client read a stream that was held; `mayPipe` if it must flow for it.
 *
 * @throws the failure of the stream, or AuthError `ERR_AUTH_BODY` if it ended meanwhile, or `fetch` would not take it.
 */
export function openStream(source: unknown, mayPipe: boolean | undefined): void {
  if (!has(source, 'pipe')) return
  const stream = source as Readable
  if (isUsed(stream) || (!mayPipe && stream.readableDidRead)) throw stream.errored ?? usedError()
  if (!mayPipe) return
  const release = (event: string | symbol): void => {
    if (event === 'data') stream.off('newListener', release).off('readable', hold)
  }
  stream.on('newListener', release)
}

/**
 * Throws if a body that is about to be sent is a stream that was used before, as by the attempt that a client repeats:
 * it would be sent as an empty body, or as a part of one, and its length be called wrong.
 *
 * @throws AuthError `ERR_AUTH_BODY` that says how to repeat the call.
 */
export function assertUnused(source: unknown): void {
  if (typeof source !== 'object' || source === null) return
  if (claimed.has(source) || isUsed(source)) throw usedError()
}

function usedError(): Error {
  return bodyError(
    'the stream was already read or destroyed, perhaps by an earlier attempt; nothing of it was sent: pass each attempt ' +
      'a stream of its own, or bytes, or turn off the retries of this call',
  )
}

/** The signs of use of streams of Node's, of the web and of older packages. */
interface UsedStream extends Partial<Pick<Readable, keyof Readable & `readable${string}`>> {
  readonly locked?: boolean
  readonly destroyed?: boolean
  // The only signs of a form of the package form-data.
  readonly _released?: boolean
  readonly _streams?: readonly unknown[]
  readonly _overheadLength?: number
}

function isUsed(source: UsedStream): boolean | undefined {
  if (!('pipe' in source)) return source.locked || isDisturbed(source)
  const { readableDidRead, readableEnded, readableAborted } = source
  // A part may have been read on purpose, such as its first bytes, by which to know its kind.
  if (readableDidRead !== undefined) return readableAborted || (readableDidRead && readableEnded)
  const { _released, _streams, _overheadLength } = source
  const hasLostParts = Boolean(_overheadLength) && _streams?.length === 0
  return source.destroyed || source.readable === false || _released || hasLostParts
}

/** Tells if a stream of the web was read. Before Node 20.16 that cannot be asked. */
function isDisturbed(stream: object): boolean | undefined {
  const streams: unknown = process.getBuiltinModule?.('node:stream')
  return (streams as { isDisturbed?(stream: object): boolean } | undefined)?.isDisturbed?.(stream)
}
