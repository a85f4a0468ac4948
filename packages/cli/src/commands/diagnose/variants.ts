import type { SigV4AuthOptions } from '@svc/auth-sigv4'
import type { Diagnosis } from '@svc/auth-sigv4/diagnose'
import { formatDuration } from '../../output/instant.ts'
import { trimKey } from '../../request/key-faults.ts'
import type { CommandRequest } from '../../request/request.ts'
import type { Signing } from '../../request/signing.ts'

/** A request as it is sent: its URL, and the headers that authenticate it among them. */
export interface SignedRequest {
  readonly url: URL
  readonly headers: Headers
}

/** The request that was refused, and everything that its response tells. */
export interface RefusedRequest {
  readonly request: CommandRequest
  readonly signing: Signing
  readonly signed: SignedRequest
  readonly status: number
  readonly headers: Headers
  readonly diagnosis: Diagnosis
  /** The instant of its signature, in epoch milliseconds. */
  readonly at: number
}

/** Another way to sign a request, in which a server may compute the signature. */
export interface Variant {
  /** As the end of "the service accepts the request …". */
  readonly name: string
  /** The change to make if it is accepted, in sentences. */
  readonly remedy: string
  readonly settings?: Partial<SigV4AuthOptions>
  /** The lead of the signature over this clock, in milliseconds. */
  readonly offsetMs?: number
  /** Changes lines of the canonical request; what is sent stays as it is. */
  readonly rewrite?: (lines: CanonicalLines) => Partial<CanonicalLines>
}

/** The lines of a canonical request that servers and proxies read otherwise. */
export interface CanonicalLines {
  readonly path: string
  readonly host: string
}

/**
 * Lists the ways that make sense for a request, the most usual cause first. The clock and the region that the
 * response names come before all others and go along with them, since no server accepts the request without.
 */
export function listVariants(refused: RefusedRequest): Variant[] {
  const [clock, region] = [clockVariant(refused), namedRegion(refused)]
  const named = clock && region ? combine(clock, region) : (clock ?? region)
  const others = [
    keyVariant(refused),
    ...(region ? [] : regionVariants(refused)),
    ...hostVariants(refused),
    ...pathVariants(refused),
    orderVariant,
  ]
  if (!named) return others
  const first = clock && region ? [clock, region, named] : [named]
  return [...first, ...others.map((other) => combine(named, other))]
}

function combine(one: Variant, other: Variant): Variant {
  return {
    ...one,
    ...other,
    name: `${one.name}, and ${other.name}`,
    remedy: `${one.remedy} ${other.remedy}`,
    settings: { ...one.settings, ...other.settings },
  }
}

function keyVariant({ signing: { apiKey } }: RefusedRequest): Variant {
  return {
    name: 'with the key trimmed of quotes and other marks around it',
    remedy: 'Configure the access key ID and the secret without them.',
    settings: { credentials: trimKey(apiKey) },
  }
}

/** The difference of clocks that every server accepts; they allow 5 to 15 minutes. */
const toleratedMs = 4 * 60_000

function clockVariant({ headers, at }: RefusedRequest): Variant | undefined {
  const offsetMs = Date.parse(headers.get('date') ?? '') - at
  if (!(Math.abs(offsetMs) > toleratedMs)) return undefined
  const distance = formatDuration(Math.abs(offsetMs))
  return {
    name: `with the clock ${distance} ${offsetMs > 0 ? 'later' : 'earlier'}, as the service has it`,
    remedy: `Set this machine's clock, which is ${distance} ${offsetMs > 0 ? 'behind' : 'ahead of'} that of the service.`,
    offsetMs,
  }
}

function namedRegion({ signing, diagnosis, headers }: RefusedRequest): Variant | undefined {
  const difference = diagnosis.differences.find(({ line }) => line === 'region')
  const region = difference?.theirs ?? headers.get('x-amz-bucket-region')
  // It is shown as a part of a command line.
  const isRegion = region && /^[\w.-]+$/.test(region)
  return isRegion && region !== signing.region ? forRegion(region) : undefined
}

function forRegion(region: string): Variant {
  return {
    name: `for the region ${region}`,
    remedy: `Give --region ${region}, or set SVC_AUTH_REGION=${region}.`,
    settings: { region },
  }
}

/** Lists regions that a request may be for where the response names none. */
function regionVariants({ request, signing }: RefusedRequest): Variant[] {
  const [, ofHost] =
    /(?:^|[.-])([a-z]{2}(?:-(?:gov|iso[a-z]?))?-[a-z]+-\d)(?=\.|$)/.exec(request.url.hostname) ?? []
  return [...new Set([ofHost ?? signing.region, 'us-east-1'])]
    .filter((region) => region !== signing.region)
    .map(forRegion)
}

/** Either name of loopback by the other. */
const loopbackNames: ReadonlyMap<string, string> = new Map([
  ['localhost', '127.0.0.1'],
  ['127.0.0.1', 'localhost'],
])

function hostVariants({ request: { url } }: RefusedRequest): Variant[] {
  const { protocol, hostname, port } = url
  const defaultPort = protocol === 'https:' ? '443' : '80'
  const other = loopbackNames.get(hostname)
  const hosts = [
    port === '' ? `${hostname}:${defaultPort}` : hostname,
    ...(other === undefined ? [] : [port === '' ? other : `${other}:${port}`, other]),
    ...(hostname.startsWith('www.') ? [hostname.slice('www.'.length)] : []),
  ]
  return [...new Set(hosts)].map((host) => ({
    name: `signed for the Host ${host}`,
    remedy: `A proxy before the service changes Host from ${url.host} to ${host}: let it pass Host on as it came (in nginx: proxy_set_header Host $http_host).`,
    rewrite: () => ({ host }),
  }))
}

function pathVariants({ signing: { baseUrl } }: RefusedRequest): Variant[] {
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '')
  const withoutBase: Variant = {
    name: `signed for the path without ${basePath}`,
    remedy: `A proxy takes ${basePath} off the path: let it pass the path on as it came, or use a base URL behind it.`,
    rewrite: ({ path }) =>
      path.startsWith(`${basePath}/`) ? { path: path.slice(basePath.length) } : {},
  }
  return [
    ...(basePath === '' ? [] : [withoutBase]),
    {
      name: 'signed for the path encoded twice',
      remedy:
        "The server follows the rules of services other than S3. No flag does that; in a program, createSigV4Auth({ …, pathEncoding: 'double' }).",
      rewrite: ({ path }) => ({ path: path.replaceAll('%', '%25') }),
    },
    {
      name: 'signed for the path with repeated slashes as one',
      remedy:
        'A proxy merges slashes: turn that off (in nginx: merge_slashes off), or avoid such paths.',
      rewrite: ({ path }) => ({ path: path.replace(/\/{2,}/g, '/') }),
    },
  ]
}

const orderVariant: Variant = {
  name: 'with repeated parameters signed in the order of the URL',
  remedy:
    'MinIO and Ceph need that. Give --repeated-parameters wire-order, or set SVC_AUTH_REPEATED_PARAMETERS=wire-order.',
  settings: { repeatedParameters: 'wire-order' },
}
