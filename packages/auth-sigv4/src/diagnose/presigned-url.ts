import { parseInstant } from './instants.ts'
import { secretValues } from './redaction.ts'

/** What a presigned URL says of its signature. */
export interface PresignedUrl {
  /** The URL as it was before the signature was added. */
  readonly unsigned: URL
  readonly amzDate: string
  readonly signedAt: number | undefined
  readonly endsAt: number | undefined
  readonly accessKeyId: string
  readonly scope: string
  readonly signedHeaders: string
  /** The values that whoever has the URL can use, such as its signature. */
  readonly secrets: readonly string[]
}

/** Reads a presigned URL; `undefined` where the URL bears no signature. */
export function readPresignedUrl(url: URL): PresignedUrl | undefined {
  const parameters = new Map<string, string>()
  for (const [name, value] of url.searchParams) parameters.set(name.toLowerCase(), value)
  if (!parameters.has('x-amz-signature')) return undefined
  const unsigned = new URL(url)
  // Piece by piece, since searchParams would write all the others anew.
  unsigned.search = url.search
    .slice(1)
    .split('&')
    .filter((piece) => {
      const [name] = new URLSearchParams(piece).keys()
      return name?.toLowerCase() !== 'x-amz-signature'
    })
    .join('&')
  const read = (name: string): string => parameters.get(name) ?? ''
  const [accessKeyId, scope] = splitCredential(read('x-amz-credential'))
  const signedAt = parseInstant(read('x-amz-date'))
  const lifetimeMs = Number(read('x-amz-expires') || Number.NaN) * 1000
  return {
    unsigned,
    amzDate: read('x-amz-date'),
    signedAt,
    endsAt: signedAt === undefined || Number.isNaN(lifetimeMs) ? undefined : signedAt + lifetimeMs,
    accessKeyId,
    scope,
    signedHeaders: read('x-amz-signedheaders'),
    secrets: secretValues(url.searchParams),
  }
}

/** The access key and the scope of a `Credential`. */
export function splitCredential(credential: string): [accessKeyId: string, scope: string] {
  const parts = credential.split('/')
  return [parts.slice(0, -4).join('/'), parts.slice(-4).join('/')]
}
