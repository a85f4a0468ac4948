import { percentDecode, uriEncode } from './percent-encoding.ts'

/**
 * The canonical URI of the S3 documents: the path's bytes encoded once, `/` kept, nothing
 * normalised. The same string stands for the key of an object, since equal bytes give equal strings.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function canonicalPath(path: string): string {
  if (path === '') return '/'
  return percentDecode(path).split('/').map(uriEncode).join('/')
}
