/**
 * Why a signature was refused: the code of the object-store XML.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
export type RefusalCode =
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
  | 'MalformedTrailerError'
  | 'MissingContentLength'
  | 'NotImplemented'
  | 'RequestTimeTooSkewed'
  | 'SignatureDoesNotMatch'
  | 'XAmzContentSHA256Mismatch'

/**
 * How the body of a verified request was covered by its signature.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export type PayloadKind =
  | 'signed'
  | 'unsigned'
  | 'signed-chunks'
  | 'signed-chunks-trailer'
  | 'unsigned-chunks-trailer'

/** What a verification found: `ok` tells the two apart. */
export type Verification = Verified | Refused

/** The signature is good. */
export interface Verified {
  /** Always `true`. */
  readonly ok: true
  /** The access key that signed. */
  readonly accessKeyId: string
  /** The names of the signed headers, in order. */
  readonly signedHeaders: readonly string[]
  /**
   * `signed`: the hash of the body was signed and is right. `unsigned`: `UNSIGNED-PAYLOAD`, or a
   * presigned URL that says nothing of its body. The others are the three `STREAMING-…` payloads,
   * whose chunks, signatures and trailers are right.
   */
  readonly payload: PayloadKind
  /** The body, without the framing of `aws-chunked`. */
  readonly body: Uint8Array
  /** The canonical request, a byte string. */
  readonly canonicalRequest: string
  /** The string to sign. */
  readonly stringToSign: string
}

/** The signature, or what it needs, is not good. */
export interface Refused {
  /** Always `false`. */
  readonly ok: false
  /** Why. */
  readonly code: RefusalCode
  /** The status that goes with the code. */
  readonly status: number
  /** The reason in words, as it stands in the XML answer. */
  readonly message: string
  /** The canonical request that the verifier computed, where it came so far. A byte string. */
  readonly canonicalRequest?: string
  /** The string to sign that the verifier computed, where it came so far; that of a chunk, where the chunk is wrong. */
  readonly stringToSign?: string
  /** The access key that the request names, where it came so far. */
  readonly accessKeyId?: string
  /** The headers that the request names as signed, where it came so far. */
  readonly signedHeaders?: readonly string[]
  /** The signature of the request or of its chunk, where it came so far. */
  readonly signatureProvided?: string
  /** Further elements of the XML answer, such as the expected `Region`. */
  readonly details: readonly (readonly [element: string, text: string])[]
}

const statuses: Readonly<Record<RefusalCode, number>> = {
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
  MalformedTrailerError: 400,
  MissingContentLength: 411,
  NotImplemented: 501,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
}

/** A refusal with the status of its code. */
export function refuse(
  code: RefusalCode,
  message: string,
  details: Refused['details'] = [],
): Refused {
  return { ok: false, code, status: statuses[code], message, details }
}
