import { explain } from '@svc/auth-sigv4/explain'
import { readSignature, type ReadSignatureOptions } from '@svc/auth-sigv4/inspect'
import { byteString, decode, type HeaderLine, type PastedRequest } from '../input/pasted-request.ts'
import { engine, type SignedParts } from './signed-parts.ts'

/** A form of the request for which its signature is right. */
export interface Variant {
  readonly meaning: string
  readonly remedy: string
}

/** A change that signers make, or that happens after them. */
interface Change extends Variant {
  readonly request?: (request: PastedRequest) => PastedRequest
  readonly secret?: (secret: string) => string
  readonly options?: ReadSignatureOptions
}

/** The longest URL of which forms are tried. */
const maxUrl = 16_384

/**
 * Finds the form of a request that was signed, where it is not the one that stands here: the step that differs.
 * Only what gives the very signature is told, so nothing is guessed.
 */
export async function findVariant({
  request,
  read,
  key,
}: SignedParts): Promise<Variant | undefined> {
  if (!read || request.url.length > maxUrl) return undefined
  for (const change of changes) {
    const changed = change.request?.(request) ?? request
    const secretAccessKey = change.secret?.(key.secretAccessKey) ?? key.secretAccessKey
    if (secretAccessKey === '' || !URL.canParse(changed.url)) continue
    const headers = changed.headers.map(([name, value]) => [name, byteString(value)] as const)
    const signed = { ...changed, url: byteString(changed.url), headers }
    const again = readSignature(signed, { ...change.options, secretAccessKey, engine })
    if (!again) continue
    const { signature } = await explain(again.auth, `${new URL(changed.url).origin}/`)
    if (signature === read.signature) return change
  }
  return undefined
}

const changes: readonly Change[] = [
  {
    meaning: 'It is right once the secret key is rid of blanks and quotes around it.',
    remedy: 'Copy the secret again, without them.',
    secret: (secret) => secret.trim().replace(/^["']+|["']+$/g, ''),
  },
  {
    meaning: 'It is right once the percent escapes of the secret key are decoded.',
    remedy: 'The secret was copied from a URL; take it as it was issued.',
    secret: decode,
  },
  {
    meaning: 'It is right if the path is signed encoded twice, as all services but S3 want it.',
    remedy: 'The signer and the server must follow the same rule: pathEncoding of createSigV4Auth.',
    options: { pathEncoding: 'double' },
  },
  {
    meaning: 'It is right if the path is signed encoded once, as S3 alone wants it.',
    remedy: 'The signer and the server must follow the same rule: pathEncoding of createSigV4Auth.',
    options: { pathEncoding: 's3' },
  },
  {
    meaning: 'It is right if the path is signed as it was sent, without an encoding of its own.',
    remedy: 'A server that encodes strictly computes another signature for such paths.',
    options: { pathEncoding: 'verbatim' },
  },
  {
    meaning: 'It is right if repeated parameters are signed in the order of the URL.',
    remedy: 'MinIO and Ceph want it so, AWS does not: repeatedParameters of createSigV4Auth.',
    options: { repeatedParameters: 'wire-order' },
  },
  ...['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].map((method): Change => ({
    meaning: `It is right for the method ${method}, which is not the one of the request.`,
    remedy: 'A redirect or a proxy changes the method, or the URL was presigned for another one.',
    request: (request) => ({ ...request, method }),
  })),
  {
    meaning: 'It is right for the host without its port.',
    remedy: 'A default port belongs neither into the Host header nor into the signature.',
    request: (request) => withHost(request, (host) => host.replace(/:\d+$/, '')),
  },
  ...[443, 80].map((port): Change => ({
    meaning: `It is right for the host with the port ${port}.`,
    remedy: 'A default port belongs neither into the Host header nor into the signature.',
    request: (request) => withHost(request, (host) => `${host.replace(/:\d+$/, '')}:${port}`),
  })),
  {
    meaning: 'It is right with UNSIGNED-PAYLOAD as the payload hash.',
    remedy: 'The header x-amz-content-sha256 must be the one that was signed.',
    request: (request) => withHeader(request, 'x-amz-content-sha256', () => 'UNSIGNED-PAYLOAD'),
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
