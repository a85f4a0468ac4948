import { iteratorOf, releaseStream } from './stream.ts'

/** The body of a `Request`, or a branch of it. */
export interface RequestBody {
  readonly body: ReadableStream<Uint8Array>
  /** `true` for a form, which Node reads to its end, whatever becomes of the stream. */
  readonly isForm: boolean
}

/** Tells if the body of a `Request` is a form: only the boundary that Node chose says so. */
export function isFormRequest({ headers }: Request): boolean {
  return /boundary=-*formdata-undici/.test(headers.get('content-type') ?? '')
}

/**
 * Iterates over the body of a `Request`. What Node made of a stream of its own, which is a stream of bytes, ends
 * only after a read that is under way, and a form is read to its end: it would be closed twice, and the process
 * would end.
 */
export function iterateRequest({
  body,
  isForm,
}: RequestBody): AsyncIterator<Uint8Array, undefined> {
  const waits = isByteStream(body)
  const reader = body.getReader()
  let pending: Promise<unknown> | undefined
  let isOver = false
  return iteratorOf(
    async () => {
      if (isOver) return { done: true, value: undefined }
      const read = reader.read()
      pending = read
      return (await read) as IteratorResult<Uint8Array, undefined>
    },
    async (reason) => {
      isOver = true
      if (waits) await pending?.catch(() => {})
      if (!isForm) await reader.cancel(reason)
      else while (!(await reader.read()).done);
    },
  )
}

function isByteStream(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock()
    return true
  } catch {
    return false
  }
}

/** Waits until Node has read the form of a `Request`, for a client that will cancel it. */
export async function awaitForm(request: Request): Promise<void> {
  if (request.bodyUsed || request.body?.locked || !isFormRequest(request)) return
  const { body } = request.clone()
  if (body) await iterateRequest({ body, isForm: true }).return?.()
}

/**
 * Ends the body of a `Request` that will not be sent. One that Node may have made of a stream of its own is
 * read once before: only then Node takes that stream up, which would neither end nor be heard without it.
 */
export function releaseRequest(request: Request, reason: unknown): void {
  const { body } = request
  if (!body || body.locked || !isByteStream(body)) {
    releaseStream(body, reason)
    return
  }
  const chunks = iterateRequest({ body, isForm: isFormRequest(request) })
  const end = (): void => void chunks.return?.().catch(() => {})
  chunks.next().then(end, end)
}
