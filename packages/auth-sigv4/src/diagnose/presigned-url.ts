import { unsignedPayload } from '../canonical-request.ts'
import { parseInstant, secretValues } from './text.ts'

/** The access key and the scope of a signature. */
export interface Credential {
  readonly accessKeyId: string
  readonly scope: string
  readonly region: string
  readonly service: string
}

/** The facts that a presigned URL states of its signature. */
export interface PresignedUrl {
  /** The URL as it was before the signature was added. */
  readonly unsigned: URL
  readonly amzDate: string
  readonly signedAt: number | undefined
  readonly endsAt: number | undefined
  readonly credential: Credential
  readonly signedHeaders: string
  readonly signature: string
  readonly payloadHash: string
  /** The values that anyone with the URL can use, such as its signature. */
  readonly secrets: readonly string[]
}

/** Reads a presigned URL; `undefined` where the URL bears no signature. */
export function readPresignedUrl(url: URL): PresignedUrl | undefined {
  const parameters = new Map<string, string>()
  for (const [name, value] of url.searchParams) parameters.set(name.toLowerCase(), value)
  if (!parameters.has('x-amz-signature')) return undefined
  const unsigned = new URL(url)
  unsigned.search = unsignedQuery(url.search)
  const read = (name: string): string => parameters.get(name) ?? ''
  const signedAt = parseInstant(read('x-amz-date'))
  const seconds = /^\d{1,9}$/.exec(read('x-amz-expires'))?.[0]
  return {
    unsigned,
    amzDate: read('x-amz-date'),
    signedAt,
    endsAt: signedAt && seconds ? signedAt + Number(seconds) * 1000 : undefined,
    credential: readCredential(read('x-amz-credential')),
    signedHeaders: read('x-amz-signedheaders'),
    signature: read('x-amz-signature'),
    payloadHash: read('x-amz-content-sha256') || unsignedPayload,
    secrets: secretValues(url.searchParams),
  }
}

/** Returns a query without its signature, which cannot cover itself; `searchParams` would write all the rest anew. */
export function unsignedQuery(query: string): string {
  return query
    .split('&')
    .filter(
      (piece) => [...new URLSearchParams(piece).keys()][0]?.toLowerCase() !== 'x-amz-signature',
    )
    .join('&')
}

/** Takes a `Credential` apart. The access key may have slashes of its own, and a scope for all regions names none. */
export function readCredential(credential: string, hasRegion = true): Credential {
  const parts = credential.split('/')
  const scope = parts.splice(hasRegion ? -4 : -3)
  const [, region = '', service = ''] = hasRegion ? scope : ['', '', ...scope.slice(1)]
  return { accessKeyId: parts.join('/'), scope: scope.join('/'), region, service }
}
