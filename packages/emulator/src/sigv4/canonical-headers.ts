import { trimBlanks } from './trim-blanks.ts'
import { headerValues, type RawRequest } from '../http/request.ts'

/**
 * The canonical headers: one line for each signed header, repeated ones joined by a comma in the
 * order of the wire.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function canonicalHeaders(request: RawRequest, signedHeaders: readonly string[]): string {
  return signedHeaders.map((name) => `${name}:${canonicalHeaderValue(request, name)}\n`).join('')
}

/** One header's value as it is signed; empty where the request has no such header. */
export function canonicalHeaderValue(request: RawRequest, name: string): string {
  return headerValues(request, name).map(trimAll).join(',')
}

// Blanks are folded inside quotes too: "convert sequential spaces to a single space". The document
// says nothing of tabs; botocore, MinIO and aws4 fold them as they do spaces.
// `String#trim` would also take NBSP, which is a byte of its own in Latin-1.
function trimAll(value: string): string {
  return trimBlanks(value).replace(/[ \t]+/g, ' ')
}
