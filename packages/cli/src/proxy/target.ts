import { hasDotSegment, percentDecode, readPath } from '@svc/auth-hooks/scheme'
import { denied, ProxyRefusal } from './refusal.ts'

/** The path and the query of a request, as they arrived. */
export interface Target {
  /** Begins with a slash. */
  readonly path: string
  /** Without the `?`; empty if there is none. */
  readonly query: string
}

/**
 * Reads a request target. The absolute form is read only if it names this proxy.
 *
 * @throws ProxyRefusal for any other form, and for a path that two servers could read as two paths.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
export function readTarget(method: string, raw: string, host: string): Target {
  if (method === 'CONNECT' || method === 'TRACE') {
    throw new ProxyRefusal(405, 'MethodNotAllowed', `${method} is not forwarded`)
  }
  const own = `http://${host}`.toLowerCase()
  const isOwn = raw.toLowerCase().startsWith(`${own}/`)
  if (!raw.startsWith('/') && !isOwn) {
    throw /^[a-z][a-z0-9+.-]*:\/\//i.test(raw)
      ? new ProxyRefusal(
          421,
          'MisdirectedRequest',
          'this is no forward proxy: use its URL as the base URL of the service',
        )
      : new ProxyRefusal(400, 'InvalidURI', 'the request target must begin with a slash')
  }
  const target = isOwn ? raw.slice(own.length) : raw
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const query = mark === -1 ? '' : target.slice(mark + 1)
  const fail = (message: string): never => {
    throw new ProxyRefusal(400, 'InvalidURI', message)
  }
  if (/[^!-~]|#/.test(target) || path.includes('\\')) {
    fail('the path and the query must be percent-encoded')
  }
  if (/%(?![\da-f]{2})/i.test(target)) fail('the path or the query has a malformed escape')
  if (hasDotSegment(path)) fail('the path has a dot segment')
  // Some servers read no further.
  if (path.includes('%00')) fail('the path has an escaped NUL')
  return { path, query }
}

/** A query parameter: its name decoded, and its text as it arrived. */
export interface Parameter {
  readonly name: string
  readonly raw: string
}

/** Returns the parameters of a query, in the order of the wire. */
export function readParameters(query: string): Parameter[] {
  return query
    .split('&')
    .filter((raw) => raw !== '')
    .map((raw) => ({ name: parameterName(raw), raw }))
}

/** Returns the decoded name of a parameter. */
export function parameterName(raw: string): string {
  return percentDecode((raw.split('=', 1)[0] ?? '').replaceAll('+', ' '))
}

const login = /^\/user(?:;[^/]*)?\/login(?:;[^/]*)?\/$/

/** The credential that the service wants for a path. */
export type ServiceRoute = 'token' | 'signature'

/** Tells the route of a path, with the case and the escapes that the service takes for the same. Refuses the login. */
export function routeOf(path: string): ServiceRoute {
  const fold = (one: string): string =>
    readPath(one).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const folded = fold(path)
  // Some servers decode twice, or drop what follows a semicolon.
  if ([folded, fold(percentDecode(path))].some((one) => login.test(one))) {
    throw denied('the proxy logs in by itself; nobody else does through it')
  }
  return folded.startsWith('/user/') ? 'token' : 'signature'
}
