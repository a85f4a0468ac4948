import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { errorCode, NetworkError } from '../../exit.ts'
import { loadUndiciParts } from '../../request/undici.ts'
import { type Call, requestLine } from './request.ts'

/** A response whose body is still to come, byte for byte as it was sent. */
export type FetchResponse = Dispatcher.ResponseData

/**
 * Sends a request with its credentials. Not by `fetch`, which decodes what a server has stored compressed, so that
 * neither the length nor a range would be those of the object.
 */
export async function sendRequest({ service, request, context }: Call): Promise<FetchResponse> {
  const [{ authInterceptor }, dispatcher] = await Promise.all([
    import('@svc/auth-hooks/undici'),
    service.dispatcher(),
  ])
  const { method, url, headers, body } = request
  // undici would wait forever for the end of a stream of nothing over HTTP/2.
  const content = body && (body.size === 0 ? Buffer.alloc(0) : body.content)
  const { request: send } = loadUndiciParts()
  const sent = send.call(dispatcher.compose(authInterceptor(service.auth)), {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: headers.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    // The types of undici know fewer bodies than it takes.
    ...(content && { body: content as unknown as Readable }),
    signal: context.signal,
    // A response may take as long as the service needs; `--max-time` bounds it.
    headersTimeout: 0,
  })
  const response = await sent.catch((error: unknown) => {
    const code = errorCode(error)
    const isCutOff = ['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(code)
    if (!content || context.signal.aborted || !isCutOff) throw error
    throw new NetworkError(
      `${requestLine(request)}: the service ended the connection while the body was sent (${code}); it may have ` +
        'refused it, and a small body shows why',
      { cause: error },
    )
  })
  // Whoever reads it meets its failure; where nobody does, it would end the process.
  response.body.on('error', () => {})
  return response
}

/** Returns the value of a header that has one line. */
export function headerOf({ headers }: FetchResponse, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
