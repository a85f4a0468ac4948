import { check, parseBaseUrl } from '@svc/auth-hooks/scheme'
import { withoutEndSlashes } from './templates.ts'

/** A server of a document. */
export interface OpenApiServer {
  readonly origin: string
  /** Without a slash at the end. */
  readonly pathname: string
}

/** The circumstances in which servers are read. */
interface ServersReading {
  readonly baseUrl: string | URL | undefined
  readonly caller: string
  /** Their place in the document, for messages. */
  readonly place: string
}

/**
 * Reads the servers of a document or an operation. The base URL is in place of the document's own, and that of
 * relative ones.
 *
 * @throws TypeError naming the place that is wrong.
 * @see https://spec.openapis.org/oas/v3.1.1#server-object
 */
export function readServers(
  servers: unknown,
  { baseUrl, caller, place }: ServersReading,
): readonly OpenApiServer[] {
  const base = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl, caller)
  const isOwn = place === 'servers'
  if (base && isOwn) return [toServer(base)]
  const isList = servers === undefined || Array.isArray(servers)
  check(isList, caller, `${place} must be an array of servers`)
  const list = servers === undefined || servers.length === 0 ? [{ url: '/' }] : servers
  return list.map((server: unknown, index) => {
    const { url, variables } = Object(server) as { url: unknown; variables: unknown }
    const at = `${place}[${index}].url`
    check(typeof url === 'string', caller, `${at} must be a URL`)
    const text = url.replace(/\{([^{}]*)\}/g, (_all, name: string) => {
      const value: unknown = Object(Reflect.get(Object(variables), name)).default
      check(typeof value === 'string', caller, `${at} must have a default for its variable ${name}`)
      return value
    })
    const isKnown = URL.canParse(text, base?.href)
    check(isKnown, caller, `baseUrl must be given, since ${at} is relative: ${text}`)
    return toServer(parseBaseUrl(new URL(text, base?.href).href, `${caller}: ${at}`))
  })
}

/** Returns the path that all servers begin with, in whole segments and without a slash at the end. */
export function commonBase(servers: readonly OpenApiServer[]): string {
  const [first = [], ...others] = servers.map(({ pathname }) => pathname.split('/'))
  let count = first.length
  for (const other of others) {
    const differing = first.findIndex((segment, index) => segment !== other[index])
    if (differing >= 0) count = Math.min(count, differing)
  }
  return first.slice(0, count).join('/')
}

function toServer({ origin, pathname }: URL): OpenApiServer {
  return { origin, pathname: withoutEndSlashes(pathname) }
}
