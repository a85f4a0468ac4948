import type { RequestBody } from './request-stream.node.ts'
import { chunksOf, releaseStream } from './stream.ts'

/** Returns `false`: only Node reads a form to its end, whatever becomes of the stream. */
export function isFormRequest(_request: Request): boolean {
  return false
}

/** Iterates over the body of a `Request`. */
export function iterateRequest({ body }: RequestBody): AsyncIterator<Uint8Array, undefined> {
  return chunksOf(body)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>
}

/** Does nothing, as there is no form that the runtime reads by itself. */
export async function awaitForm(_request: Request): Promise<void> {}

/** Ends the body of a `Request` that will not be sent. */
export function releaseRequest({ body }: Request, reason: unknown): void {
  releaseStream(body, reason)
}
