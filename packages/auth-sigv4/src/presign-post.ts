/**
 * Signs a policy for a form, with which someone who has no key uploads a file.
 *
 * @module @svc/auth-sigv4/presign-post
 */
import { check, checkOptions, type OptionNames } from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'
import { isS3Service } from './canonical-request.ts'
import { signerOf, withBase } from './carried-signer.ts'
import { algorithm } from './signer.ts'

/** Options of {@link presignPost}. */
export interface PresignPostOptions {
  /** The key of the object. With `${filename}` at its end, the name of the file stands there, and any is allowed. */
  key: string
  /**
   * More fields of the form, each with the one value that is allowed, such as `content-type` or `x-amz-meta-…`.
   *
   * @default `{}`
   */
  fields?: Readonly<Record<string, string>> | undefined
  /**
   * Fields whose value may be anything that begins like this, such as `{ 'content-type': 'image/' }`. Whoever sends the
   * form gives them.
   *
   * @default `{}`
   */
  startsWith?: Readonly<Record<string, string>> | undefined
  /**
   * The least size of the file in bytes.
   *
   * @default `0`
   */
  minBytes?: number | undefined
  /**
   * The largest size of the file in bytes. Required, since a link without it takes 5 GB.
   */
  maxBytes: number
  /**
   * The time for which the form is valid, in whole seconds from 1 to 604 800, which is 7 days. It expires with temporary
   * credentials in any case.
   *
   * @default `3600`
   */
  expiresInSeconds?: number | undefined
}

/** A form to send by POST as `multipart/form-data`. */
export interface PresignedPost {
  /** The URL that the form is sent to. */
  url: string
  /** The fields of the form, in order; the file follows as the last, named `file`. Treat them as a secret. */
  fields: Record<string, string>
}

const caller = '[@svc/auth-sigv4] presignPost'

const optionNames: OptionNames<PresignPostOptions> = {
  key: 'Key',
  fields: 'Fields',
  startsWith: '',
  minBytes: '',
  maxBytes: 'maxSize contentLength contentLengthRange',
  expiresInSeconds: 'expires expiresIn expiry ttl',
}

/**
 * Signs a policy with which someone who has no key uploads one file to a bucket of S3, no larger than it says, until it
 * expires: the fields of a form, also of a page without script.
 *
 * @param auth - The scheme that signs it, or a selector that chooses it.
 * @param url - The URL of the bucket, whose name stands before S3 in the host, or is the path.
 * @throws TypeError if `auth` is not what `createSigV4Auth` or `createAwsAuth` returns or signs for another service than
 * S3, or the URL or an option is invalid.
 * @throws AuthError `ERR_AUTH_ORIGIN` for a URL that is not covered, `ERR_AUTH_CREDENTIALS`, `ERR_AUTH_CRYPTO`.
 * @example
 * import { createSigV4Auth } from '@svc/auth-sigv4'
 * import { presignPost } from '@svc/auth-sigv4/presign-post'
 *
 * const baseUrl = 'https://examplebucket.s3.us-east-1.amazonaws.com'
 * const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' }
 * const auth = createSigV4Auth({ baseUrl, region: 'us-east-1', credentials })
 * const { url, fields } = await presignPost(auth, baseUrl, { key: 'avatars/7', maxBytes: 100_000 })
 * console.log(url, Object.keys(fields).length)
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
 */
export async function presignPost(
  auth: AuthScheme,
  url: string | URL,
  options: PresignPostOptions,
): Promise<PresignedPost> {
  const signerFor = signerOf(auth, caller)
  const { href, bucket } = readBucket(withBase(auth, url))
  const { key, fields, startsWith, minBytes, maxBytes, expiresInSeconds } = readOptions(options)
  const signer = signerFor('POST', href)
  check(isS3Service(signer.service), caller, `auth must sign for s3, not ${signer.service}`)
  const { accessKeyId, sessionToken, date, sign } = await signer.signingContext(href)
  const signed = {
    ...fields,
    'x-amz-algorithm': algorithm,
    'x-amz-credential': `${accessKeyId}/${date.scopeText}`,
    'x-amz-date': date.amzDate,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const [, prefix] = /^([^]*)\$\{filename\}$/.exec(key) ?? []
  const instant = Date.parse(date.amzDate.replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'))
  const policy = {
    expiration: new Date(instant + expiresInSeconds * 1000).toISOString(),
    conditions: [
      { bucket },
      prefix === undefined ? { key } : ['starts-with', '$key', prefix],
      ['content-length-range', minBytes, maxBytes],
      ...Object.entries(startsWith).map(([name, value]) => ['starts-with', `$${name}`, value]),
      ...Object.entries(signed).map(([name, value]) => ({ [name]: value })),
    ],
  }
  const bytes = new TextEncoder().encode(JSON.stringify(policy))
  const encoded = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  // The policy itself is the string to sign.
  const signature = await (await sign('')).sign(encoded)
  return {
    url: href.href,
    fields: { key, ...signed, policy: encoded, 'x-amz-signature': signature },
  }
}

/** Reads the URL of a bucket: its name stands before S3 in the host, or is the path. */
function readBucket(url: string | URL): { readonly href: URL; readonly bucket: string } {
  const text = typeof url === 'object' ? url?.href : url
  const href = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  const { pathname = '', hostname = '' } = href ?? {}
  const [, inHost] = /^(.+)\.s3[.-](?:.+\.)?amazonaws\.com(?:\.cn)?$/.exec(hostname) ?? []
  const [, inPath] = /^\/([^/]*)\/?$/.exec(pathname) ?? []
  const bucket = inHost === undefined ? inPath : inPath === '' ? inHost : undefined
  check(
    href && bucket && href.href === `${href.origin}${href.pathname}`,
    caller,
    'url must be that of a bucket, such as https://bucket.s3.us-east-1.amazonaws.com or http://localhost:9000/bucket',
  )
  return { href, bucket }
}

const longestSeconds = 7 * 24 * 60 * 60

function readOptions(given: PresignPostOptions): Required<{
  [Name in keyof PresignPostOptions]: Exclude<PresignPostOptions[Name], undefined>
}> {
  const options = checkOptions(given, caller, optionNames)
  const { key, fields = {}, startsWith = {}, minBytes = 0, maxBytes } = options
  const { expiresInSeconds = 3600 } = options
  check(typeof key === 'string' && key !== '', caller, 'key must be the key of the object')
  for (const [option, list] of Object.entries({ fields, startsWith })) {
    const areFields =
      Object(list) === list &&
      Object.entries(list).every(
        ([name, value]) =>
          typeof value === 'string' &&
          /^[\w.-]+$/.test(name) &&
          // These are its own, and two of one name would contradict each other.
          !/^(?:key|bucket|file|policy|x-amz-(?:algorithm|credential|date|security-token|signature))$/i.test(
            name,
          ),
      )
    check(areFields, caller, `${option} must be an object of texts, without a field of its own`)
  }
  const areSizes = Number.isSafeInteger(minBytes) && Number.isSafeInteger(maxBytes)
  check(
    areSizes && minBytes >= 0 && maxBytes >= minBytes,
    caller,
    'minBytes and maxBytes must be numbers of bytes, the first at most as large as the second',
  )
  const isInRange = expiresInSeconds >= 1 && expiresInSeconds <= longestSeconds
  check(
    Number.isInteger(expiresInSeconds) && isInRange,
    caller,
    'expiresInSeconds must be a whole number from 1 to 604 800 (7 days)',
  )
  return { key, fields, startsWith, minBytes, maxBytes, expiresInSeconds }
}
