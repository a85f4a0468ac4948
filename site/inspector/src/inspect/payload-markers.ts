/** The SHA-256 of nothing. */
export const emptyPayloadHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/**
 * Says what stands in place of a hash of the body.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export function explainPayload(hash: string, form: 'header' | 'query'): string[] {
  if (/^[\da-f]{64}$/.test(hash)) {
    return hash === emptyPayloadHash ? ['The payload hash is that of an empty body.'] : []
  }
  if (hash === 'UNSIGNED-PAYLOAD') {
    return [
      form === 'query'
        ? 'UNSIGNED-PAYLOAD: a presigned URL covers no body, so anything may be sent with it.'
        : 'UNSIGNED-PAYLOAD: the signature does not cover the body, which TLS alone protects.',
    ]
  }
  if (!hash.startsWith('STREAMING-')) {
    return ['The payload hash is neither a SHA-256 in lower-case hex nor a known marker.']
  }
  const isTrailer = hash.endsWith('-TRAILER')
  const isUnsigned = hash.includes('UNSIGNED')
  return [
    `${hash}: the body is sent in chunks (aws-chunked) while it is made, so its hash is not known at the beginning.`,
    isUnsigned
      ? 'The chunks are not signed; a checksum behind them, named by x-amz-trailer, protects against faults.'
      : 'Each chunk has a signature of its own, made from the one before it; the one of the request is the first, and the chunks are not checked here.',
    ...(isTrailer ? ['Headers follow the last chunk, which x-amz-trailer names.'] : []),
    'x-amz-decoded-content-length tells the length without this framing.',
  ]
}
