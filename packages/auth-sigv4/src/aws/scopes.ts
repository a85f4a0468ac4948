import { check, matchOrigins } from '@svc/auth-hooks/scheme'
import { scopePart } from '../sigv4-auth.ts'
import { isSamePartition, publicDomains, readHost } from './hosts.ts'

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

/** Tells if a URL is one of AWS: https, on its own port. */
function isAws({ origin, hostname }: URL): boolean {
  const isHome = publicDomains.some((domain) => hostname.endsWith(`.${domain}`))
  return isHome && origin === `https://${hostname}`
}

/**
 * Returns the function that reads what a URL is signed for, or `undefined` if it is not covered: neither a host of AWS
 * nor listed, or without a service and a region.
 *
 * @throws TypeError naming the option that is wrong.
 */
export function readScopes(
  { region: regionOption, services = {}, origins = [] }: ScopeOptions,
  caller: string,
): (url: URL) => Scope | undefined {
  const isListed = matchOrigins(origins, caller, 'origins')
  const readRegion = (option: string, value: unknown): string =>
    scopePart(caller, option, 'us-east-1', value)
  if (regionOption !== undefined) readRegion('region', regionOption)
  check(Object(services) === services, caller, 'services must be an object')
  const named = Object.entries(services).map(([origin, given]) => {
    const matches = matchOrigins([origin], caller, 'services')
    const service = scopePart(caller, `services['${origin}'].service`, 's3', given?.service)
    const region = readRegion(`services['${origin}'].region`, given.region ?? regionOption)
    return { matches, scope: { service, region, isAnyRegion: false } }
  })

  const read = (url: URL): Scope | undefined => {
    if (!isAws(url) && !isListed(url)) return undefined
    const one = named.find(({ matches }) => matches(url))
    if (one) return one.scope
    const reading = readHost(url)
    if (!reading?.service) return undefined
    const { service, home, bucket } = reading
    const isAnyRegion = reading.region === undefined && bucket !== undefined
    const region = reading.region ?? regionOption ?? (isAnyRegion ? home : undefined)
    // Keys of one partition are unknown in the others.
    const isKnown = region !== undefined && isSamePartition(region, home)
    return isKnown ? { service, region, isAnyRegion } : undefined
  }

  /** The host that was read last, and if the path is of a second version: each request asks about its own several times. */
  let last: { readonly key: string; readonly scope: Scope | undefined } | undefined
  return (url) => {
    const key = url.protocol + url.host + url.pathname.startsWith('/v2/')
    if (last?.key !== key) last = { key, scope: read(url) }
    return last.scope
  }
}

/**
 * Hosts of several regions at once, whose requests are signed asymmetrically: multi-region access points of S3, endpoints
 * of EventBridge and SES, and the key-value stores of CloudFront.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/MultiRegionAccessPointRequests.html
 */
const multiRegion = /\.(?:s3-global|endpoints?|cloudfront-kvs)\./

/** Says in words what is covered, and how to name what a host does not say. */
export function describeScopes({ origin, hostname }: URL, origins: readonly string[]): string {
  const listed = [...publicDomains.map((domain) => `https://*.${domain}`), ...origins].join(', ')
  const how = multiRegion.test(hostname)
    ? 'but this host takes Signature Version 4A'
    : `where the host or services names service and region: { '${origin}': { service: 's3', region: 'us-east-1' } }`
  return `${listed}, ${how}`
}
