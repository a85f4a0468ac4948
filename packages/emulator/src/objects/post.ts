import { headerValue, headerValues, type RawRequest, splitTarget } from '../http/request.ts'
import {
  type EmulatorResponse,
  emptyResponse,
  xmlElements,
  xmlErrorResponse,
  xmlResponse,
} from '../http/response.ts'
import { decodeUtf8, encodePath, queryParameters, uriEncode } from '../sigv4/canonical-request.ts'
import { type PolicySettings, verifyPolicySignature } from '../sigv4/policy.ts'
import { rejectionElements } from '../sigv4/result.ts'
import { type FormFault, readUploadForm, type UploadForm } from './form-data.ts'
import { findViolation, type PostPolicy, readPostPolicy } from './post-policy.ts'
import { entityTag, type ObjectStore, storedHeaders } from './store.ts'

/** The response to a form, and who signed its policy. */
export interface PostResult {
  readonly response: EmulatorResponse
  readonly accessKeyId?: string
  /** The code of the error. */
  readonly code?: string
}

/** Tells if a request sends a form to the bucket, whose policy is signed in place of the request. */
export function isFormUpload(request: RawRequest, path: string): boolean {
  const isForm = /^multipart\/form-data\b/i.test(headerValue(request, 'content-type') ?? '')
  const isSigned =
    headerValues(request, 'authorization').length > 0 ||
    queryParameters(splitTarget(request.target).query).some(([name]) => /^x-amz-/i.test(name))
  return request.method === 'POST' && /^\/V1\/?$/.test(path) && isForm && !isSigned
}

/**
 * Stores the file of a form whose policy is signed and met.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html
 */
export function postObject(
  request: RawRequest,
  settings: PolicySettings,
  objects: ObjectStore,
  now: number,
): PostResult {
  const form = readUploadForm(request)
  if (typeof form === 'string') return rejectForm(...formFaults[form])
  const { file } = form
  const key = form.fields.get('key')?.replaceAll('${filename}', () => form.filename)
  if (!key) {
    const message =
      'The bucket POST must contain the specified field name. If it is specified, check the order of the fields.'
    return rejectForm(400, 'UserKeyMustBeSpecified', message, [['ArgumentName', 'key']])
  }
  const verified = verifyPolicySignature(form.fields, settings)
  if (!verified.ok) {
    const { status, code } = verified
    return { response: xmlErrorResponse(status, rejectionElements(verified)), code }
  }
  const { accessKeyId } = verified
  const policy = readPostPolicy(form.fields.get('policy') ?? '')
  if (typeof policy === 'string') {
    return { ...rejectForm(400, 'InvalidPolicyDocument', `Invalid Policy: ${policy}`), accessKeyId }
  }
  const fields = new Map([...form.fields, ['key', key]])
  const rejected = checkPolicy(policy, fields, file.byteLength, now)
  if (rejected) return { ...rejected, accessKeyId }
  const digest = fields.get('content-md5')
  const etag = entityTag(file)
  if (digest !== undefined && Buffer.from(digest, 'base64').toString('hex') !== etag.slice(1, -1)) {
    const message = 'The Content-MD5 you specified did not match what we received.'
    return { ...rejectForm(400, 'BadDigest', message), accessKeyId }
  }
  // Nothing has checked the names, and a header with a blank in it could not be sent.
  const rawHeaders = [...fields].filter(([name]) => /^[\w-]+$/.test(name))
  objects.put(key, file, storedHeaders({ ...request, rawHeaders }), now)
  return { response: storedResponse(request, form, key, etag), accessKeyId }
}

const formFaults: Readonly<
  Record<FormFault, readonly [status: number, code: string, message: string]>
> = {
  malformed: [
    400,
    'MalformedPOSTRequest',
    'The body of your POST request is not well-formed multipart/form-data.',
  ],
  'repeated-field': [400, 'InvalidArgument', 'A field of the form must be given once.'],
  'too-many-fields': [
    400,
    'MaxPostPreDataLengthExceededError',
    'Your POST request fields preceding the upload file were too large.',
  ],
  'no-file': [
    400,
    'IncorrectNumberOfFilesInPostRequest',
    'POST requires exactly one file upload per request.',
  ],
}

function rejectForm(
  status: number,
  code: string,
  message: string,
  details: readonly (readonly [element: string, text: string])[] = [],
): PostResult {
  const head = [['Code', code] as const, ['Message', message] as const]
  return { response: xmlErrorResponse(status, [...head, ...details]), code }
}

function checkPolicy(
  policy: PostPolicy,
  fields: ReadonlyMap<string, string>,
  size: number,
  now: number,
): PostResult | undefined {
  const isExpired = now > policy.expiresAt
  const problem = isExpired
    ? 'Policy expired.'
    : findViolation(policy, new Map([...fields, ['bucket', 'V1']]))
  if (problem !== undefined) {
    return rejectForm(403, 'AccessDenied', `Invalid according to Policy: ${decodeUtf8(problem)}`)
  }
  const small = policy.ranges.find(([min]) => size < min)
  const large = policy.ranges.find(([, max]) => size > max)
  if (small) {
    const message = 'Your proposed upload is smaller than the minimum allowed size'
    return rejectForm(400, 'EntityTooSmall', message, [
      ['ProposedSize', String(size)],
      ['MinSizeAllowed', String(small[0])],
    ])
  }
  if (!large) return undefined
  const message = 'Your proposed upload exceeds the maximum allowed size'
  return rejectForm(400, 'EntityTooLarge', message, [
    ['ProposedSize', String(size)],
    ['MaxSizeAllowed', String(large[1])],
  ])
}

function storedResponse(
  request: RawRequest,
  { fields }: UploadForm,
  key: string,
  etag: string,
): EmulatorResponse {
  const location = `http://${headerValue(request, 'host') ?? ''}/V1/${encodePath(key)}`
  const redirect = fields.get('success_action_redirect') ?? ''
  // S3 ignores one that it cannot read, and any other status.
  if (/^https?:/i.test(redirect) && URL.canParse(redirect)) {
    const query = `bucket=V1&key=${uriEncode(key)}&etag=${uriEncode(etag)}`
    const to = new URL(redirect)
    to.search += `${to.search === '' ? '?' : '&'}${query}`
    return emptyResponse(303, { location: to.href, etag })
  }
  const headers = { location, etag }
  const status = fields.get('success_action_status')
  if (status !== '201') return emptyResponse(status === '200' ? 200 : 204, headers)
  const elements = xmlElements([
    ['Location', location],
    ['Bucket', 'V1'],
    ['Key', decodeUtf8(key)],
    ['ETag', etag],
  ])
  return xmlResponse(`<PostResponse>${elements}</PostResponse>`, 201, headers)
}
