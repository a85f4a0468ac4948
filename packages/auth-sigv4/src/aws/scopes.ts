import { check, matchOrigins } from '@svc/auth-hooks/scheme'
import { scopePart } from '../signing.ts'
import { isSamePartition, readHost } from './hosts.ts'

/** Service and region of a host that does not name them. */
export interface AwsService {
  /** The service in the credential scope, such as `execute-api`. */
  readonly service: string
  /**
   * The region in the credential scope.
   *
   * @default the option `region`
   */
  readonly region?: string | undefined
}

/** What requests to a host are signed for. */
export interface Scope {
  readonly service: string
  readonly region: string
  /** `true` for a host of S3's buckets that names no region: the bucket may be in another. */
  readonly isAnyRegion: boolean
}

/** The options that decide what is signed for which service and region. */
export interface ScopeOptions {
  readonly region?: string | undefined
  readonly services?: Readonly<Record<string, AwsService>> | undefined
  readonly origins?: readonly string[] | undefined
}

const domains = ['amazonaws.com', 'amazonaws.com.cn', 'api.aws', 'on.aws']

/** Tells if a URL is one of AWS: https, on its own port. */
function isAws({ protocol, host, hostname }: URL): boolean {
  const isHome = domains.some((domain) => hostname.endsWith(`.${domain}`))
  return isHome && protocol === 'https:' && host === hostname
}

/**
 * Returns the function that reads what a URL is signed for, or `undefined` if it is not covered: neither a host of AWS
 * nor listed, or without a service and a region.
 *
 * @throws TypeError naming the option that is wrong.
 */
export function readScopes(
  { region: given, services = {}, origins = [] }: ScopeOptions,
  caller: string,
): (url: URL) => Scope | undefined {
  const isListed = matchOrigins(origins, caller, 'origins')
  if (given !== undefined) scopePart(caller, 'region', 'us-east-1', given)
  check(
    Object.prototype.toString.call(services) === '[object Object]',
    caller,
    "services must be an object such as { 'https://api.example.com': { service: 'execute-api' } }",
  )
  const named = Object.entries(services).map(([origin, named]) => {
    const name = `services['${origin}']`
    const service = scopePart(caller, `${name}.service`, 'execute-api', named?.service)
    const region = scopePart(caller, `${name}.region`, 'us-east-1', named.region ?? given)
    const scope: Scope = { service, region, isAnyRegion: false }
    return { matches: matchOrigins([origin], caller, 'services'), scope }
  })

  const read = (url: URL): Scope | undefined => {
    if (!isAws(url) && !isListed(url)) return undefined
    const one = named.find(({ matches }) => matches(url))
    if (one) return one.scope
    const reading = readHost(url.hostname)
    if (!reading) return undefined
    const { service, home } = reading
    if (reading.region !== undefined) return { service, region: reading.region, isAnyRegion: false }
    // Keys of one partition are unknown in the others.
    if (given !== undefined && !isSamePartition(given, home)) return undefined
    const isAnyRegion = reading.bucket !== undefined
    const region = given ?? (isAnyRegion ? home : undefined)
    return region === undefined ? undefined : { service, region, isAnyRegion }
  }

  /** The host that was read last: each request asks about its own several times. */
  let last: { readonly key: string; readonly scope: Scope | undefined } | undefined
  return (url) => {
    const key = `${url.protocol}//${url.host}`
    if (last?.key !== key) last = { key, scope: read(url) }
    return last.scope
  }
}

/** Says in words what is covered, and how to name service and region of a host that does not. */
export function describeScopes(url: URL, origins: readonly string[]): string {
  const all = [...domains.map((domain) => `https://*.${domain}`), ...origins]
  const example = `services: { '${url.origin}': { service: 's3', region: 'us-east-1' } }`
  const remedy = isAws(url)
    ? 'where the host names both; this one does not: name its service and its region'
    : 'and what origins adds; where that host is yours, name it there, and its service and its region'
  return `${all.join(', ')}, ${remedy}, as in ${example}`
}
