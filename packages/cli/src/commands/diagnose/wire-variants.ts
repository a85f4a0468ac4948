import type { RefusedRequest, Variant } from './variant.ts'

/** Lists the ways in which servers and proxies read Host, path and query otherwise. */
export function wireVariants(refused: RefusedRequest): Variant[] {
  return [...hostVariants(refused), ...pathVariants(refused), ...queryVariants]
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
        "The server follows the rules of services other than S3. No flag does that; in a program, createSigV4Auth({ …, pathEncoding: 'double' }).",
      rewrite: ({ path }) => ({ path: path.replaceAll('%', '%25') }),
    },
    {
      name: 'with the path as it was given, not encoded anew',
      remedy: "No flag does that; in a program, createSigV4Auth({ …, pathEncoding: 'verbatim' }).",
      settings: { pathEncoding: 'verbatim' },
    },
    {
      name: 'signed for the path without any encoding',
      remedy:
        'The server or a proxy signs the path decoded: it must use the path of the request line, as it came.',
      rewrite: ({ path }) => ({ path: decodeEscapes(path) }),
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

const queryVariants: readonly Variant[] = [
  {
    name: 'with repeated parameters signed in the order of the URL',
    remedy:
      "MinIO and Ceph need that. No flag does it; in a program, createSigV4Auth({ …, repeatedParameters: 'wire-order' }).",
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

/** Decodes the escapes of a path to its bytes. */
function decodeEscapes(path: string): string {
  return path.replace(/%([\dA-F]{2})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
