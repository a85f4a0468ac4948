import { createHash } from 'node:crypto'
import { sign, signatureOf, testKey, type SignInput } from './sign.ts'

/** A request whose body is framed as `aws-chunked`. */
export interface ChunkedInput extends Omit<SignInput, 'body' | 'payloadHash'> {
  readonly payload?: 'PAYLOAD' | 'PAYLOAD-TRAILER' | 'UNSIGNED-TRAILER'
  /** The data of each chunk; the empty one at the end comes by itself. */
  readonly chunks?: readonly Uint8Array[]
  readonly trailers?: readonly (readonly [name: string, value: string])[]
  readonly decodedLength?: string | undefined
  readonly announced?: string
  readonly contentLength?: string | undefined
}

/** A piece of the framed body, so that a test can change one. */
export interface Piece {
  readonly part: string
  readonly bytes: Buffer
}

const payloadHashes = {
  PAYLOAD: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'PAYLOAD-TRAILER': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'UNSIGNED-TRAILER': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
}

/** Signs a request and every chunk of its body. */
export function signChunks(input: ChunkedInput = {}) {
  const {
    payload = 'PAYLOAD',
    chunks = [Buffer.alloc(9000, 'a'), Buffer.from('tail')],
    trailers = [],
    amzDate = '20260102T030405Z',
    region = 'us-east-1',
    key = testKey,
  } = input
  const size = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  const decodedLength = 'decodedLength' in input ? input.decodedLength : String(size)
  const announced = input.announced ?? trailers.map(([name]) => name).join(',')
  const signed = sign({
    method: 'PUT',
    ...input,
    payloadHash: payloadHashes[payload],
    headers: [
      ['content-encoding', 'aws-chunked'],
      ...(decodedLength === undefined
        ? []
        : [['x-amz-decoded-content-length', decodedLength] as const]),
      ...(announced === '' ? [] : [['x-amz-trailer', announced] as const]),
      ...(input.headers ?? []),
    ],
  })
  const scope = `${amzDate.slice(0, 8)}/${region}/s3/aws4_request`
  const { pieces } = frame({
    payload,
    chunks,
    trailers,
    seed: signed.signature,
    amzDate,
    scope,
    key,
  })
  const body = join(pieces)
  const contentLength = 'contentLength' in input ? input.contentLength : String(body.byteLength)
  return {
    method: signed.method,
    target: signed.target,
    rawHeaders: [
      ...signed.rawHeaders,
      ...(contentLength === undefined ? [] : [['content-length', contentLength] as const]),
    ],
    body,
    pieces,
    data: Buffer.concat(chunks).toString('latin1'),
  }
}

/** Frames chunks and signs each, from a signature that is the seed. */
export function frame(input: {
  readonly payload: keyof typeof payloadHashes
  readonly chunks: readonly Uint8Array[]
  readonly trailers: readonly (readonly [name: string, value: string])[]
  readonly seed: string
  readonly amzDate: string
  readonly scope: string
  readonly key: { readonly secretAccessKey: string }
}) {
  const { payload, chunks, trailers, amzDate, scope, key } = input
  const isSigned = payload !== 'UNSIGNED-TRAILER'
  const stringsToSign: string[] = []
  let previous = input.seed
  const next = (algorithm: string, hashes: readonly string[]): string => {
    const stringToSign = [algorithm, amzDate, scope, previous, ...hashes].join('\n')
    stringsToSign.push(stringToSign)
    previous = signatureOf(key.secretAccessKey, scope, stringToSign)
    return previous
  }
  const pieces: Piece[] = []
  const add = (part: string, bytes: string | Uint8Array) =>
    pieces.push({ part, bytes: Buffer.from(bytes) })
  for (const [index, chunk] of [...chunks, new Uint8Array()].entries()) {
    const hashes = [sha256(''), sha256(chunk)]
    const extension = isSigned ? `;chunk-signature=${next('AWS4-HMAC-SHA256-PAYLOAD', hashes)}` : ''
    add(`head ${index + 1}`, `${chunk.byteLength.toString(16)}${extension}\r\n`)
    if (chunk.byteLength > 0) {
      add(`data ${index + 1}`, chunk)
      add(`end ${index + 1}`, '\r\n')
    }
  }
  for (const [name, value] of trailers) add(`trailer ${name}`, `${name}:${value}\r\n`)
  if (payload === 'PAYLOAD-TRAILER') {
    const canonical = trailers.map(([name, value]) => `${name}:${value}\n`).toSorted()
    const signature = next('AWS4-HMAC-SHA256-TRAILER', [sha256(canonical.join(''))])
    add('trailer signature', `x-amz-trailer-signature:${signature}\r\n`)
  }
  add('end', '\r\n')
  return { pieces, stringsToSign }
}

/** Joins the pieces to the body that they make. */
export function join(pieces: readonly Piece[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces.map(({ bytes }) => bytes)))
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
