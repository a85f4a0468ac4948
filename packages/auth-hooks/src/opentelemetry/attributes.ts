import type { Attributes } from '@opentelemetry/api'
import type { AuthTrace, LoginTrace, RequestTrace } from '@svc/types'

/** The name of the instrumentation, as tracers and meters are asked for it. */
export const scopeName = '@svc/auth-hooks'

const knownMethods: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '),
)

/** Returns the attributes of the server and the scheme. A path may be personal, and a query secret: neither is one. */
export function authAttributes({
  origin,
  scheme,
}: Pick<AuthTrace, 'origin' | 'scheme'>): Attributes {
  const { hostname, port, protocol } = new URL(origin)
  const isSecure = protocol === 'https:'
  return {
    'server.address': hostname,
    'server.port': Number(port) || (isSecure ? 443 : 80),
    'url.scheme': isSecure ? 'https' : 'http',
    'svc_auth.scheme': scheme,
  }
}

export function requestAttributes(trace: RequestTrace): Attributes {
  const method = knownMethods.has(trace.method) ? trace.method : '_OTHER'
  return { 'http.request.method': method, ...authAttributes(trace) }
}

/** Returns the attributes of the end, which a metric may have too: there are few values of each. */
export function endAttributes(trace: LoginTrace | RequestTrace): Attributes {
  const type = errorType(trace)
  return {
    'svc_auth.outcome': trace.outcome,
    ...(trace.status !== undefined && { 'http.response.status_code': trace.status }),
    ...(type !== undefined && { 'error.type': type }),
  }
}

/**
 * Returns the class of an error, `undefined` if there is none. A status that the caller got is its own class.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
function errorType({ outcome, code, status = 0 }: LoginTrace | RequestTrace): string | undefined {
  if (outcome === 'failed' || outcome === 'paused') return code ?? '_OTHER'
  if (outcome === 'aborted') return outcome
  return status >= 400 ? String(status) : undefined
}
