/**
 * Signs a body chunk by chunk while it is sent.
 *
 * @module @svc/auth-sigv4/streaming
 */
import type { AuthError } from '@svc/auth-hooks'
import { check, checkOptions } from '@svc/auth-hooks/scheme'
import type { OutgoingBody } from '@svc/types'
import type { StreamingPayload } from '../payload.ts'
import { requestError } from '../request-error.ts'
import { encodedLength, signedChunks, trailerName } from './chunks.ts'
import { decodedLength, sendsStreamsWithLength } from './length.ts'

export type { SignatureChain, StreamingPayload, WrappedPayload } from '../payload.ts'

/** Options of {@link streaming}. */
export interface StreamingOptions {
  /**
   * The size of a chunk in bytes: a whole number, at least 8192, which S3 requires of every chunk but the
   * last. About this much of the body is held in memory.
   *
   * @default `65536`
   */
  chunkBytes?: number | undefined
  /**
   * A checksum of the whole body, signed and sent after it, which the service verifies and stores:
   * `crc32c`, as `x-amz-checksum-crc32c`.
   *
   * @default no checksum
   */
  trailer?: 'crc32c' | undefined
}

/**
 * Sends every body in signed chunks (`aws-chunked`), so that a stream of any length is signed while it
 * is sent and never held in memory as a whole. Use it as the `payload` of a scheme for uploads.
 *
 * The length of a stream must be known in advance: set `content-length` or `x-amz-decoded-content-length`
 * to it. Bytes, Blobs and forms know theirs. Needs Node, Bun or workerd, whose `fetch` sends a stream with a
 * length. S3 itself accepts signed chunks only for `PutObject` and `UploadPart`. A request without a body, or
 * with `x-amz-content-sha256` set by the caller, is signed as usual.
 *
 * @throws TypeError at construction, if an option is invalid; the message names it.
 * @throws AuthError from a request, `ERR_AUTH_BODY`: if the length is unknown, if the stream turns out shorter
 * or longer (the final chunk is then not sent), or if the runtime cannot send a stream with a length (Deno,
 * browsers). If the stream itself throws, the request fails with that error.
 * @example
 * import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
 * import { streaming } from '@svc/auth-sigv4/streaming'
 *
 * const baseUrl = 'https://search.example.com'
 * const auth = createSigV4Auth({
 *   baseUrl,
 *   region: 'us-east-1',
 *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
 *   payload: streaming(),
 * })
 * declare const backup: { size: number; stream: ReadableStream<Uint8Array> }
 * const init = {
 *   method: 'PUT',
 *   headers: { 'content-length': String(backup.size) },
 *   body: backup.stream,
 * }
 * await authFetch(auth, { baseUrl })('/V1/backup.tar', init)
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 */
export function streaming(options: StreamingOptions = {}): StreamingPayload {
  const { chunkBytes, hasTrailer } = readStreamingOptions(options)
  const algorithm = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'

  return Object.freeze<StreamingPayload>({
    wrap({ body, headers, method, url }) {
      if (!body || headers.has('x-amz-content-sha256')) return undefined
      const bodyError = (problem: string): AuthError =>
        requestError('ERR_AUTH_BODY', { method, url }, `: ${problem}`)
      if (!sendsStreamsWithLength()) {
        throw bodyError(
          "this runtime sends a stream without its length, so it cannot send signed chunks; use payload: 'auto'",
        )
      }
      const length = decodedLength({ headers }, body, bodyError)
      const settings = { decodedLength: length, chunkBytes, hasTrailer, bodyError }
      const size = encodedLength(length, chunkBytes, hasTrailer)
      return {
        hash: hasTrailer ? `${algorithm}-TRAILER` : algorithm,
        headers: [
          ['content-encoding', contentEncoding(headers.get('content-encoding'))],
          ['content-length', String(size)],
          ['x-amz-decoded-content-length', String(length)],
          ...(hasTrailer ? ([['x-amz-trailer', trailerName]] as const) : []),
        ],
        // As in AWS's own examples, where only the form without trailer has it signed.
        unsignedHeader: hasTrailer ? 'content-length' : undefined,
        body: (chain): OutgoingBody => {
          const chunks = (): AsyncIterable<Uint8Array> => signedChunks(body, chain, settings)
          return {
            size,
            replayable: body.replayable,
            chunks,
            bytes: () => joinChunks(chunks(), size),
          }
        },
      }
    },
  })
}

const caller = '[@svc/auth-sigv4] streaming'

function readStreamingOptions(options: StreamingOptions) {
  const names = { chunkBytes: 'chunkSize', trailer: 'checksum' }
  const { chunkBytes = 64 * 1024, trailer } = checkOptions(options, caller, names)
  check(
    Number.isSafeInteger(chunkBytes) && chunkBytes >= 8192,
    caller,
    'chunkBytes must be a whole number of at least 8192',
  )
  check(
    trailer === undefined || trailer === 'crc32c',
    caller,
    "trailer must be 'crc32c' or omitted",
  )
  return { chunkBytes, hasTrailer: trailer !== undefined }
}

function contentEncoding(given: string | null): string {
  if (!given) return 'aws-chunked'
  return /^aws-chunked\b/i.test(given) ? given : `aws-chunked,${given}`
}

async function joinChunks(chunks: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size)
  let offset = 0
  for await (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
