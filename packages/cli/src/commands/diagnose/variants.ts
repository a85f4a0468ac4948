import type { SigV4AuthOptions } from '@svc/auth-sigv4'
import type { Diagnosis } from '@svc/auth-sigv4/diagnose'
import { formatDuration } from '../../output/instant.ts'
import { decodeKey, isAwsId, trimKey } from '../../request/key-faults.ts'
import type { CommandRequest } from '../../request/request.ts'
import type { Signing } from '../../request/signing.ts'
import type { SignedRequest } from './sender.ts'

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
  /** Headers to send and to sign beside those of the request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Tells the headers of the request that are left out. */
  readonly without?: (name: string) => boolean
  /** Changes lines of the canonical request; what is sent stays as it is. */
  readonly rewrite?: (lines: CanonicalLines) => Partial<CanonicalLines>
  /** `presigned` puts the signature into the URL. */
  readonly form?: 'presigned'
}

/** The lines of a canonical request that servers and proxies read otherwise. */
export interface CanonicalLines {
  readonly path: string
  readonly query: string
  readonly host: string
}

/** Lists the ways that make sense for a request, the most usual cause first. */
export function listVariants(refused: RefusedRequest): Variant[] {
  return [
    ...keyVariants(refused),
    ...clockVariants(refused),
    ...regionVariants(refused),
    ...hostVariants(refused),
    ...pathVariants(refused),
    ...queryVariants(),
    ...formVariants(refused),
  ]
}

function keyVariants({ signing: { apiKey } }: RefusedRequest): Variant[] {
  const { accessKeyId, secretAccessKey, sessionToken } = apiKey
  const { sessionToken: _left, ...permanent } = apiKey
  return [
    {
      name: 'with the key trimmed of quotes and other marks around it',
      remedy: 'Configure the access key ID and the secret without them.',
      settings: { credentials: trimKey(apiKey) },
    },
    {
      name: 'with the percent escapes of the key decoded',
      remedy: 'Configure the key as the console shows it; it was copied from a URL.',
      settings: { credentials: decodeKey(apiKey) },
    },
    ...(isAwsId(secretAccessKey)
      ? [
          {
            name: 'with the access key ID and the secret swapped',
            remedy: 'Swap them in the configuration.',
            settings: {
              credentials: { accessKeyId: secretAccessKey, secretAccessKey: accessKeyId },
            },
          },
        ]
      : []),
    ...(sessionToken === undefined
      ? []
      : [
          {
            name: 'without the session token',
            remedy: 'Remove the session token from the configuration: the key is not temporary.',
            settings: { credentials: permanent },
          },
        ]),
  ]
}

function clockVariants({ headers, at }: RefusedRequest): Variant[] {
  const offsetMs = Date.parse(headers.get('date') ?? '') - at
  // A response takes its time, and no server minds a minute.
  if (!(Math.abs(offsetMs) > 60_000)) return []
  const distance = formatDuration(Math.abs(offsetMs))
  return [
    {
      name: `with the clock ${distance} ${offsetMs > 0 ? 'later' : 'earlier'}, as the service has it`,
      remedy: `Set this machine's clock, which is ${distance} ${offsetMs > 0 ? 'behind' : 'ahead of'} that of the service.`,
      offsetMs,
    },
  ]
}

function regionVariants({ request, signing, diagnosis }: RefusedRequest): Variant[] {
  const named = diagnosis.differences.find(({ line }) => line === 'region')?.theirs
  const [, ofHost] =
    /(?:^|[.-])([a-z]{2}(?:-(?:gov|iso[a-z]?))?-[a-z]+-\d)(?=\.|$)/.exec(request.url.hostname) ?? []
  const regions = new Set([named, ofHost, 'us-east-1'])
  return [...regions]
    .filter((region): region is string => region !== undefined && region !== signing.region)
    .filter((region) => /^[\w.-]+$/.test(region))
    .map((region) => ({
      name: `for the region ${region}`,
      remedy: `Give --region ${region}, or set SVC_AUTH_REGION=${region}.`,
      settings: { region },
    }))
}

function hostVariants({ request: { url } }: RefusedRequest): Variant[] {
  const { protocol, hostname, port } = url
  const defaultPort = protocol === 'https:' ? '443' : '80'
  const other = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' }[hostname]
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
  const rewrites: readonly Variant[] = [
    {
      name: `signed for the path without ${basePath}`,
      remedy: `A proxy takes ${basePath} off the path: let it pass the path on as it came, or use a base URL behind it.`,
      rewrite: ({ path }) =>
        path.startsWith(`${basePath}/`) ? { path: path.slice(basePath.length) } : {},
    },
    {
      name: 'signed for the path encoded twice',
      remedy:
        "Sign with createSigV4Auth({ …, pathEncoding: 'double' }): the server follows the rules of services other than S3.",
      rewrite: ({ path }) => ({ path: path.replaceAll('%', '%25') }),
    },
    {
      name: 'signed for the path without any encoding',
      remedy:
        'The server or a proxy signs the path decoded: it must use the path of the request line, as it came.',
      rewrite: ({ path }) => ({ path: decodeEscapes(path) }),
    },
    {
      name: 'with the path as it was given, not encoded anew',
      remedy: "Sign with createSigV4Auth({ …, pathEncoding: 'verbatim' }).",
      settings: { pathEncoding: 'verbatim' },
    },
    {
      name: 'signed for the path with repeated slashes as one',
      remedy:
        'A proxy merges slashes: turn that off (in nginx: merge_slashes off), or avoid such paths.',
      rewrite: ({ path }) => ({ path: path.replace(/\/{2,}/g, '/') }),
    },
  ]
  return basePath === '' ? rewrites.slice(1) : [...rewrites]
}

function queryVariants(): Variant[] {
  return [
    {
      name: 'with repeated parameters signed in the order of the URL',
      remedy:
        "Sign with createSigV4Auth({ …, repeatedParameters: 'wire-order' }), as MinIO and Ceph need it.",
      settings: { repeatedParameters: 'wire-order' },
    },
    {
      name: 'signed for parameters without a value as names alone',
      remedy: 'The server or a proxy drops the = after such names: give them a value, or mend it.',
      rewrite: ({ query }) => ({ query: query.replace(/=(?=&|$)/g, '') }),
    },
    {
      name: 'signed for path and query with + read as a space',
      remedy: 'The server or a proxy reads + as a space: avoid it in names and values.',
      rewrite: ({ path, query }) => ({
        path: path.replaceAll('%2B', '%20'),
        query: query.replaceAll('%2B', '%20'),
      }),
    },
    {
      name: 'signed for path and query with spaces written as +',
      remedy: 'A proxy writes a space as +: let it pass the request line on as it came.',
      rewrite: ({ path, query }) => ({
        path: path.replaceAll('%20', '%2B'),
        query: query.replaceAll('%20', '%2B'),
      }),
    },
    {
      name: 'signed without the query',
      remedy:
        'A proxy drops the query, or the server leaves it out of the signature: let it pass the query on.',
      rewrite: () => ({ query: '' }),
    },
  ]
}

function formVariants({ request: { headers } }: RefusedRequest): Variant[] {
  const isSigned = (name: string): boolean =>
    /^(?:content-type|content-md5|range|if-.+|x-amz-.+)$/.test(name)
  const own = [...headers.keys()].filter(isSigned)
  return [
    {
      name: 'with the signature in the URL',
      remedy:
        'A proxy drops or changes the header authorization: let it pass it on, or use presigned URLs.',
      form: 'presigned',
    },
    {
      name: 'with the payload unsigned',
      remedy:
        "Sign with createSigV4Auth({ …, payload: 'unsigned' }), or give -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD': the server reads another body, or none.",
      headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      without: (name) => name === 'x-amz-content-sha256',
    },
    ...(own.length === 0
      ? []
      : [
          {
            name: `without ${own.join(', ')}`,
            remedy:
              'A proxy changes or drops one of these headers: let it pass them on as they came.',
            without: isSigned,
          },
        ]),
    {
      name: 'for the service execute-api',
      remedy: "Sign with createSigV4Auth({ …, service: 'execute-api' }).",
      settings: { service: 'execute-api' },
    },
  ]
}

/** Decodes the escapes of a path to its bytes. */
function decodeEscapes(path: string): string {
  return path.replace(/%([\dA-F]{2})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
