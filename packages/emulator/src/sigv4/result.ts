/** The result of a verification; `ok` tells the two apart. */
export type Verification = Verified | Rejected

/** The signature is valid. */
export interface Verified {
  /** Always `true`. */
  readonly ok: true
  /** The access key that signed. */
  readonly accessKeyId: string
  /** The names of the signed headers, in order. */
  readonly signedHeaders: readonly string[]
  /**
   * `signed`: the payload hash was signed and matches the body. `unsigned`: `UNSIGNED-PAYLOAD`, or a
   * presigned URL that gives no payload hash. The others are the three `STREAMING-…` payloads, whose
   * chunks, signatures and trailers are correct.
   */
  readonly payload: PayloadKind
  /** The body, without the framing of `aws-chunked`. */
  readonly body: Uint8Array
  /** The canonical request, a byte string. */
  readonly canonicalRequest: string
  /** The string to sign. */
  readonly stringToSign: string
}

/** The signature, or something it depends on, is not valid. */
export interface Rejected {
  /** Always `false`. */
  readonly ok: false
  /** The code of the object-store XML. */
  readonly code: RejectionCode
  /** The HTTP status for the code. */
  readonly status: number
  /** The reason in words, as in the XML. */
  readonly message: string
  /** The canonical request that the verifier computed, if it got that far. A byte string. */
  readonly canonicalRequest?: string
  /** The string to sign that the verifier computed, if it got that far; for a wrong chunk, that of the chunk. */
  readonly stringToSign?: string
  /** The access key that the request names, if the verifier got that far. */
  readonly accessKeyId?: string
  /** The headers that the request names as signed, if the verifier got that far. */
  readonly signedHeaders?: readonly string[]
  /** The signature of the request or its chunk, if the verifier got that far. */
  readonly signatureProvided?: string
  /** Further elements of the XML, such as the expected `Region`. */
  readonly details: readonly (readonly [element: string, text: string])[]
}

/**
 * The reason why a signature was rejected: the code of the object-store XML.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
export type RejectionCode =
  | 'AccessDenied'
  | 'AuthorizationHeaderMalformed'
  | 'AuthorizationQueryParametersError'
  | 'BadDigest'
  | 'IncompleteBody'
  | 'InvalidAccessKeyId'
  | 'InvalidArgument'
  | 'InvalidChunkSizeError'
  | 'InvalidDigest'
  | 'InvalidRequest'
  | 'InvalidToken'
  | 'InvalidURI'
  | 'MalformedTrailerError'
  | 'MissingContentLength'
  | 'NotImplemented'
  | 'RequestTimeTooSkewed'
  | 'SignatureDoesNotMatch'
  | 'XAmzContentSHA256Mismatch'

/**
 * The way in which the signature of a verified request covers its body.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export type PayloadKind =
  | 'signed'
  | 'unsigned'
  | 'signed-chunks'
  | 'signed-chunks-trailer'
  | 'unsigned-chunks-trailer'

/** Makes a rejection with the status of its code. */
export function reject(
  code: RejectionCode,
  message: string,
  details: Rejected['details'] = [],
): Rejected {
  return { ok: false, code, status: statuses[code], message, details }
}

const statuses: Readonly<Record<RejectionCode, number>> = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  IncompleteBody: 400,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidChunkSizeError: 403,
  InvalidDigest: 400,
  InvalidRequest: 400,
  InvalidToken: 400,
  InvalidURI: 400,
  MalformedTrailerError: 400,
  MissingContentLength: 411,
  NotImplemented: 501,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
}

/** Makes the rejection of a signature, of a request or a chunk, that is not the computed one. */
export function rejectSignature(hint = 'Check your key and signing method.'): Rejected {
  return reject(
    'SignatureDoesNotMatch',
    `The request signature we calculated does not match the signature you provided. ${hint}`,
  )
}

/**
 * Lists the elements of an object store's error XML for a rejected signature. Their texts may lack
 * characters that XML cannot write; the `…Bytes` elements hold every one.
 */
export function rejectionElements(rejected: Rejected): [element: string, text: string][] {
  const elements: [element: string, text: string][] = [
    ['Code', rejected.code],
    ['Message', rejected.message],
    ...rejected.details.map(([element, text]): [string, string] => [element, text]),
  ]
  if (rejected.accessKeyId !== undefined) elements.push(['AWSAccessKeyId', rejected.accessKeyId])
  if (rejected.stringToSign !== undefined) {
    elements.push(['StringToSign', rejected.stringToSign])
    elements.push(['StringToSignBytes', hexBytes(rejected.stringToSign)])
  }
  if (rejected.canonicalRequest !== undefined) {
    elements.push(['CanonicalRequest', rejected.canonicalRequest])
    elements.push(['CanonicalRequestBytes', hexBytes(rejected.canonicalRequest)])
  }
  if (rejected.signatureProvided !== undefined) {
    elements.push(['SignatureProvided', rejected.signatureProvided])
  }
  return elements
}

function hexBytes(text: string): string {
  return Buffer.from(text, 'latin1')
    .toString('hex')
    .replace(/..(?=.)/g, '$& ')
}
