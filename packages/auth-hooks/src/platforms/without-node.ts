// Stands in for what only Node, Bun and Deno have: their streams, dispatchers, memory and diagnostics channels.
import type { AuthScheme, OutgoingBody } from '@svc/types'
import type { Connection } from '../fetch/connection.node.ts'
import type { Transport } from '../kernel/exchange.ts'
import type { RequestBody } from '../kernel/request-stream.node.ts'
import { chunksOf, releaseStream } from '../kernel/stream.ts'
import type { LoginStart, TracedLogin } from '../kit/tracing.ts'

export { platform } from '../axios/platform.ts'
export { assertFollowsNone, assertStandardUrl } from '../kit/runtime-faults.ts'

export const diagnostics: undefined = undefined

export function traceRequest<Watched extends Transport<never, never>, Result>(
  _scheme: AuthScheme,
  transport: Watched,
  _request: unknown,
  run: (transport: Watched) => Promise<Result>,
): Promise<Result> {
  return run(transport)
}

export function beginLoginTrace(_about: LoginStart): TracedLogin | undefined {
  return undefined
}

export function heldConnection(_request: Request, _init: RequestInit): Connection {
  return {}
}

export function rememberDispatcher(_request: Request, _connection?: Connection): void {}

export function isFormRequest(_request: Request): boolean {
  return false
}

export function iterateRequest({ body }: RequestBody): AsyncIterator<Uint8Array, undefined> {
  return chunksOf(body)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>
}

export async function awaitForm(_request: Request): Promise<void> {}

export function releaseRequest({ body }: Request, reason: unknown): void {
  releaseStream(body, reason)
}

/** Elsewhere `fetch` reads a `Blob` piece by piece itself. */
export function streamLargeBlob(_body: OutgoingBody | undefined): OutgoingBody | undefined {
  return undefined
}

/** Elsewhere no stream tells that it was read, but to `fetch`. */
export function assertUnused(_source: unknown): void {}

export { guardStream as claimStream, guardStream as holdStream } from '../kernel/stream.ts'

export function openStream(_source: unknown, _mayPipe: boolean | undefined): void {}

/** Elsewhere `fetch` keeps nothing that it has sent. */
export function boundTee(
  stream: ReadableStream<Uint8Array>,
  _again: (() => ReadableStream<Uint8Array>) | undefined,
): ReadableStream<Uint8Array> {
  return stream
}

export function platformBlob(): typeof Blob {
  return Blob
}
