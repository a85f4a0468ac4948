import type { ReadSignatureOptions } from '@svc/auth-sigv4/inspect'
import { byteString, decode, type HeaderLine, type PastedRequest } from '../input/pasted-request.ts'

/** A change that signers make, or that happens after them, and its remedy. */
export interface Change {
  readonly meaning: string
  /** The remedy, which may depend on the URL. */
  readonly remedy: string | ((url: URL) => string)
  readonly request?: (request: PastedRequest) => PastedRequest
  readonly secret?: (secret: string) => string
  readonly options?: ReadSignatureOptions
  /** Writes the canonical request anew, where the signer follows no rule at all. */
  readonly canonical?: (canonicalRequest: string, request: PastedRequest) => string
}

/** The methods that a URL may be signed for. */
export const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const

/** The changes that are tried, one after the other. */
export const changes: readonly Change[] = [
  {
    meaning: 'It is right once the secret key is rid of blanks and quotes around it.',
    remedy: 'Copy the secret again, without them.',
    secret: (secret) => secret.trim().replace(/^["']+|["']+$/g, ''),
  },
  {
    meaning: 'It is right with a line break behind the secret key.',
    remedy: 'Whoever signed read the secret from a file, with the line break at its end.',
    secret: (secret) => `${secret}\n`,
  },
  {
    meaning: 'It is right once the percent escapes of the secret key are decoded.',
    remedy: 'The secret was copied from a URL; take it as it was issued.',
    secret: decode,
  },
  {
    meaning: 'It is right if the path is signed encoded twice, as all services but S3 want it.',
    remedy:
      'The signer and the server must follow the same rule; in these packages it is pathEncoding.',
    options: { pathEncoding: 'double' },
  },
  {
    meaning: 'It is right if the path is signed encoded once, as S3 alone wants it.',
    remedy:
      'The signer and the server must follow the same rule; in these packages it is pathEncoding.',
    options: { pathEncoding: 's3' },
  },
  {
    meaning: 'It is right if the path is signed as it was sent, without an encoding of its own.',
    remedy: 'A server that encodes strictly computes another signature for such paths.',
    options: { pathEncoding: 'verbatim' },
  },
  {
    meaning: 'It is right if repeated parameters are signed in the order of the URL.',
    remedy: 'MinIO and Ceph want it so, AWS does not; in these packages it is repeatedParameters.',
    options: { repeatedParameters: 'wire-order' },
  },
  ...methods.map((method): Change => ({
    meaning: `It is right for the method ${method}, which is not the one of the request.`,
    remedy: 'A redirect or a proxy changes the method, or the URL was presigned for another one.',
    request: (request) => ({ ...request, method }),
  })),
  {
    meaning: 'It is right for the host without its port.',
    remedy: portRemedy,
    request: (request) => withHost(request, (host) => host.replace(/:\d+$/, '')),
  },
  ...[443, 80].map((port): Change => ({
    meaning: `It is right for the host with the port ${port}.`,
    remedy: portRemedy,
    request: (request) => withHost(request, (host) => `${host.replace(/:\d+$/, '')}:${port}`),
  })),
  {
    meaning: 'It is right for the query as it was sent, neither sorted nor encoded anew.',
    remedy:
      'Servers sort the query and encode it. Older versions of curl sign it as it is: sort the parameters by name, write a name without a value with =, and encode / as %2F.',
    canonical: (text, request) => withQueryAsSent(text, request),
  },
  {
    meaning: 'It is right for the query sorted, but not encoded anew.',
    remedy:
      'Servers encode every character but letters, digits and -._~ with %XX in capitals: send it so.',
    canonical: (text, request) => withQueryAsSent(text, request, 'sorted'),
  },
  {
    meaning: 'It is right if a + of the path is signed as a space.',
    remedy: 'In a path, + is a plus sign: write a space as %20.',
    request: (request) => withPath(request, (path) => path.replaceAll('+', '%20')),
  },
  {
    meaning: 'It is right for the path and the query as they were sent, without any encoding.',
    remedy:
      'Servers encode both, and sort the query. Older versions of curl sign them as they are: encode every character but letters, digits and -._~ yourself.',
    options: { pathEncoding: 'verbatim' },
    canonical: (text, request) => withQueryAsSent(text, request),
  },
  {
    meaning: 'It is right with UNSIGNED-PAYLOAD as the last line, which the request does not say.',
    remedy: 'The last line must be the value of x-amz-content-sha256.',
    canonical: (text) => `${text.slice(0, text.lastIndexOf('\n') + 1)}UNSIGNED-PAYLOAD`,
  },
  {
    meaning: 'It is right with UNSIGNED-PAYLOAD as the payload hash.',
    remedy: 'The header x-amz-content-sha256 must be the one that was signed.',
    request: (request) => withHeader(request, 'x-amz-content-sha256', () => 'UNSIGNED-PAYLOAD'),
  },
  {
    meaning: 'It is right without the body.',
    remedy: 'The signer did not know the body, or it was added afterwards.',
    request: (request) => ({ ...request, body: undefined }),
  },
  {
    meaning: 'It is right without the query.',
    remedy: 'The signer left the query out, or it was added afterwards.',
    request: (request) => ({ ...request, url: request.url.replace(/\?.*$/s, '') }),
  },
  {
    meaning: 'It is right if each + of the query is a plus sign (%2B), not a space.',
    remedy: 'Servers read + as a space: write a plus sign as %2B.',
    request: (request) => ({
      ...request,
      url: request.url.replace(/\?.*$/s, (query) => query.replaceAll('+', '%2B')),
    }),
  },
  {
    meaning: 'It is right for the path with its escapes decoded once.',
    remedy: 'The path was encoded once more after it was signed.',
    request: (request) => withPath(request, (path) => path.replaceAll('%25', '%')),
  },
  {
    meaning: 'It is right for the path without the slash at its end.',
    remedy: 'A slash was added after the path was signed.',
    request: (request) => withPath(request, (path) => path.replace(/\/$/, '')),
  },
  {
    meaning: 'It is right for the path with a slash at its end.',
    remedy: 'The slash was removed after the path was signed.',
    request: (request) => withPath(request, (path) => `${path}/`),
  },
  {
    meaning: 'It is right for the path with repeated slashes as one.',
    remedy: 'The signer merges slashes, which S3 does not.',
    request: (request) => withPath(request, (path) => path.replace(/\/{2,}/g, '/')),
  },
]

function portRemedy({ port }: URL): string {
  return port === ''
    ? 'A default port belongs neither into the Host header nor into the signature.'
    : 'A port that is not the default one belongs into the Host header, and is signed with it.'
}

function withQueryAsSent(
  canonicalRequest: string,
  { url }: PastedRequest,
  order: 'as sent' | 'sorted' = 'as sent',
): string {
  const [, query = ''] = /^[^?]*\?(.*)$/s.exec(byteString(url)) ?? []
  const unsigned = query.split('&').filter((piece) => !/^x-amz-signature=/i.test(piece))
  if (order === 'sorted') unsigned.sort()
  const [method = '', path = '', , ...rest] = canonicalRequest.split('\n')
  return [method, path, unsigned.join('&'), ...rest].join('\n')
}

function withPath(request: PastedRequest, change: (path: string) => string): PastedRequest {
  const [, start = '', path = '', rest = ''] =
    /^(https?:\/\/[^/?]*)([^?]*)(.*)$/s.exec(request.url) ?? []
  return { ...request, url: `${start}${change(path)}${rest}` }
}

function withHost(request: PastedRequest, change: (host: string) => string): PastedRequest {
  const [, host = ''] = /^https?:\/\/([^/?]*)/.exec(request.url) ?? []
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== 'host')
  const given = request.headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? host
  return { ...request, headers: [['host', change(given)], ...headers] }
}

function withHeader(
  request: PastedRequest,
  name: string,
  change: (value: string) => string,
): PastedRequest {
  const headers = request.headers.map(([one, value]): HeaderLine =>
    one.toLowerCase() === name ? [one, change(value)] : [one, value],
  )
  return { ...request, headers }
}
