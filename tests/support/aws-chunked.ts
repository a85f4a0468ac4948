import { createHash, createHmac } from 'node:crypto'

/** An upload as it came over the wire. */
export interface Upload {
  readonly method: string
  /** Path and query, as they stood in the request line. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

/** The content of an upload whose signatures all hold. */
export interface VerifiedUpload {
  readonly decoded: Buffer
  /** The sizes of the chunks, that of the final one included. */
  readonly chunkSizes: readonly number[]
  readonly trailer: Readonly<Record<string, string>>
}

/**
 * Verifies an upload in signed chunks: the head, every chunk, the final one and the trailer. It shares
 * no code with what signs.
 *
 * @throws Error at the first thing that is wrong.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export function verifyUpload(upload: Upload, secretAccessKey: string): VerifiedUpload {
  const header = (name: string): string => String(upload.headers[name] ?? '')
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(?<scope>(?<day>\d{8})\/(?<region>[^/]+)\/(?<service>[^/]+)\/aws4_request), SignedHeaders=(?<names>[^,]+), Signature=(?<signature>[\da-f]{64})$/.exec(
      header('authorization'),
    )?.groups
  if (!authorization) throw new Error(`authorization: ${header('authorization')}`)
  const { scope = '', day = '', region = '', service = '', names = '' } = authorization
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (previous, part) => createHmac('sha256', previous).update(part).digest(),
    `AWS4${secretAccessKey}`,
  )
  const sign = (...lines: string[]): string =>
    createHmac('sha256', key).update(lines.join('\n')).digest('hex')
  const date = header('x-amz-date')

  const [path = '', query = ''] = upload.target.split('?')
  const payloadHash = header('x-amz-content-sha256')
  const canonicalRequest = [
    upload.method,
    path,
    query,
    ...names.split(';').map((name) => `${name}:${header(name)}`),
    '',
    names,
    payloadHash,
  ].join('\n')
  let signature = sign('AWS4-HMAC-SHA256', date, scope, sha256(canonicalRequest))
  equal(authorization['signature'], signature, 'the signature of the head')

  const hasTrailer = payloadHash === 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER'
  if (!hasTrailer) equal(payloadHash, 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'the payload hash')
  for (const name of ['content-encoding', 'x-amz-decoded-content-length', 'x-amz-content-sha256']) {
    equal(names.split(';').includes(name), true, `${name} among the signed headers`)
  }
  equal(header('content-encoding').split(',')[0], 'aws-chunked', 'the content encoding')
  equal(header('transfer-encoding'), '', 'the transfer encoding')
  equal(header('content-length'), String(upload.body.byteLength), 'the content length')

  const body = Buffer.from(upload.body)
  const chunks: Buffer[] = []
  let offset = 0
  const line = (): string => {
    const end = body.indexOf('\r\n', offset)
    if (end < 0) throw new Error(`no line break after byte ${offset}`)
    const text = body.toString('latin1', offset, end)
    offset = end + 2
    return text
  }
  do {
    const found = /^([\da-f]+);chunk-signature=([\da-f]{64})$/.exec(line())
    if (!found) throw new Error(`no chunk header at byte ${offset}`)
    const size = Number.parseInt(found[1] ?? '', 16)
    const data = body.subarray(offset, offset + size)
    equal(data.byteLength, size, `the length of chunk ${chunks.length}`)
    signature = sign('AWS4-HMAC-SHA256-PAYLOAD', date, scope, signature, sha256(''), sha256(data))
    equal(found[2], signature, `the signature of chunk ${chunks.length}`)
    chunks.push(data)
    offset += size
    // The trailer follows the final chunk where the line break of any other chunk stands.
    if (size > 0 || !hasTrailer) equal(line(), '', `the end of chunk ${chunks.length - 1}`)
  } while (chunks.at(-1)?.byteLength !== 0)

  const decoded = Buffer.concat(chunks)
  equal(header('x-amz-decoded-content-length'), String(decoded.byteLength), 'the decoded length')
  const trailer: Record<string, string> = {}
  if (hasTrailer) {
    const name = header('x-amz-trailer')
    const [found, value = ''] = line().split(/:(.*)/s)
    equal(found, name, 'the name of the trailer')
    const hash = sha256(`${name}:${value}\n`)
    signature = sign('AWS4-HMAC-SHA256-TRAILER', date, scope, signature, hash)
    equal(line(), `x-amz-trailer-signature:${signature}`, 'the signature of the trailer')
    equal(line(), '', 'the end of the trailer')
    trailer[name] = value
  }
  equal(offset, body.byteLength, 'the end of the body')
  return { decoded, chunkSizes: chunks.map(({ byteLength }) => byteLength), trailer }
}

/** CRC-32C, bit by bit as its definition reads. */
export function crc32cBitByBit(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function equal(actual: unknown, expected: unknown, what: string): void {
  if (actual === expected) return
  throw new Error(`${what}: ${String(actual)} instead of ${String(expected)}`)
}
