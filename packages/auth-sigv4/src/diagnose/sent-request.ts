import { isRequest } from '@svc/auth-hooks/scheme'
import { field, hasMethod } from './fields.ts'

/** A request as the arguments of `fetch`. */
export interface SentRequest {
  readonly input: string | URL | Request
  readonly init?: RequestInit | undefined
}

/**
 * Returns the request that a client keeps beside the response to it: ky and ofetch in `request`, axios in
 * `config`, got in `options`, each as it was sent and without credentials.
 *
 * @returns `undefined` where there is none, or none with the whole URL.
 */
export function sentRequest(refusal: unknown, response: unknown): SentRequest | undefined {
  const request = field(refusal, 'request') ?? field(response, 'request')
  const options =
    field(refusal, 'config') ??
    field(response, 'config') ??
    field(refusal, 'options') ??
    field(request, 'options')
  const body = field(options, 'data') ?? field(options, 'body')
  const isWhole = isRequest(request)
  const isUsed = isWhole && (request.bodyUsed || request.body?.locked === true)
  if (isWhole && !(isUsed && body)) return { input: request }
  const input = [
    request,
    field(request, 'url'),
    // axios keeps the URL in parts, and the whole one with the last request to `node:http` or of a page.
    field(request, 'res', 'responseUrl'),
    field(request, 'responseURL'),
    field(options, 'params') ? undefined : field(options, 'url'),
  ]
    .map((url) => (typeof url === 'string' ? url : field(url, 'href')))
    .find((url) => typeof url === 'string' && URL.canParse(url))
  if (typeof input !== 'string') return undefined
  const optionMethod = methodOf(options)
  const method = methodOf(request) ?? optionMethod ?? 'GET'
  // A redirect that changes the method drops the body.
  const isChanged = optionMethod !== undefined && optionMethod !== method
  return {
    input,
    init: {
      method,
      headers: headersOf(isWhole ? request.headers : field(options, 'headers')),
      // Any value is read as `fetch` would read it.
      ...(body !== undefined && !isChanged && { body: body as BodyInit }),
    },
  }
}

function methodOf(value: unknown): string | undefined {
  const method = field(value, 'method')
  // axios writes it in lower case, which no server is sent.
  return typeof method === 'string' ? method.toUpperCase() : undefined
}

/** Returns headers without those that axios and got leave out. */
function headersOf(headers: unknown): NonNullable<RequestInit['headers']> {
  if (hasMethod(headers, 'append')) return headers as Headers
  return Object.entries(Object(headers)).flatMap(([name, value]: [string, unknown]) =>
    [value].flat().flatMap((one): [string, string][] => {
      const isSent = typeof one === 'string' || typeof one === 'number'
      return isSent ? [[name, `${one}`]] : []
    }),
  )
}
