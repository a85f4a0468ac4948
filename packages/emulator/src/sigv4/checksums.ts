import { createHash } from 'node:crypto'
import { headerValue, type RawRequest } from '../http/request.ts'
import { reject, type Rejected } from './result.ts'
import { equalInConstantTime } from './signature.ts'

/**
 * Rejects a body that does not match `content-md5` and the `x-amz-checksum-…` headers and trailers.
 * All of them speak of the body without its framing.
 */
export function validateDigests(
  request: RawRequest,
  trailers: readonly (readonly [name: string, value: string])[],
  body: Uint8Array,
): Rejected | undefined {
  const headers = request.rawHeaders.map(
    ([name, value]) => [name.toLowerCase(), value.trim()] as const,
  )
  return (
    validateContentMd5(headerValue(request, 'content-md5')?.trim(), body) ??
    validateChecksums(headers, 'header', body) ??
    validateChecksums(trailers, 'trailing header', body)
  )
}

function validateContentMd5(announced: string | undefined, body: Uint8Array): Rejected | undefined {
  if (announced === undefined) return undefined
  if (!isBase64(announced, 16)) {
    return reject('InvalidDigest', 'The Content-MD5 you specified was invalid.', [
      ['Content-MD5', announced],
    ])
  }
  const computed = createHash('md5').update(body).digest('base64')
  if (equalInConstantTime(computed, announced)) return undefined
  return reject('BadDigest', 'The Content-MD5 you specified did not match what we received.', [
    ['ExpectedDigest', announced],
    ['CalculatedDigest', computed],
  ])
}

function validateChecksums(
  fields: readonly (readonly [name: string, value: string])[],
  place: 'header' | 'trailing header',
  body: Uint8Array,
): Rejected | undefined {
  for (const [name, value] of fields) {
    const checksum = checksums.get(name)
    const rejected = checksum && validateChecksum(name, value, place, checksum, body)
    if (rejected !== undefined) return rejected
  }
  return undefined
}

function validateChecksum(
  name: string,
  announced: string,
  place: 'header' | 'trailing header',
  checksum: Checksum,
  body: Uint8Array,
): Rejected | undefined {
  if (!isBase64(announced, checksum.bytes)) {
    return reject('InvalidRequest', `Value for ${name} ${place} is invalid.`)
  }
  const computed = Buffer.from(checksum.digest(body)).toString('base64')
  if (equalInConstantTime(computed, announced)) return undefined
  return reject(
    'BadDigest',
    `The ${checksum.name} you specified did not match the calculated checksum.`,
  )
}

function isBase64(text: string, bytes: number): boolean {
  const decoded = Buffer.from(text, 'base64')
  return decoded.byteLength === bytes && decoded.toString('base64') === text
}

/** Tells if a header or trailer of this name brings a checksum; `name` in lower case. */
export function isChecksumHeader(name: string): boolean {
  return checksums.has(name)
}

interface Checksum {
  /** As S3's messages name it. */
  readonly name: string
  readonly bytes: number
  digest(data: Uint8Array): Uint8Array
}

// The checksums that S3 knows, by the header or trailer that brings each.
const checksums: ReadonlyMap<string, Checksum> = new Map(
  [
    { name: 'CRC32', bytes: 4, digest: crc32 },
    { name: 'CRC32C', bytes: 4, digest: crc32c },
    { name: 'CRC64NVME', bytes: 8, digest: crc64nvme },
    { name: 'SHA1', bytes: 20, digest: (data: Uint8Array) => digestOf('sha1', data) },
    { name: 'SHA256', bytes: 32, digest: (data: Uint8Array) => digestOf('sha256', data) },
  ].map((checksum) => [`x-amz-checksum-${checksum.name.toLowerCase()}`, checksum]),
)

function digestOf(algorithm: 'sha1' | 'sha256', data: Uint8Array): Uint8Array {
  return createHash(algorithm).update(data).digest()
}

// Big-endian. See https://www.rfc-editor.org/rfc/rfc1952#section-8
function crc32(data: Uint8Array): Uint8Array {
  return crcOfWord(data, tableOfWord(0xedb88320))
}

// Castagnoli's, big-endian. See https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4
function crc32c(data: Uint8Array): Uint8Array {
  return crcOfWord(data, tableOfWord(0x82f63b78))
}

// Big-endian. Two halves, since 64 bits of BigInt are a hundred times slower.
function crc64nvme(data: Uint8Array): Uint8Array {
  const { high: highs, low: lows } = tableOfHalves()
  let high = 0xffffffff
  let low = 0xffffffff
  for (const byte of data) {
    const index = (low ^ byte) & 0xff
    low = ((low >>> 8) | (high << 24)) ^ (lows[index] ?? 0)
    high = (high >>> 8) ^ (highs[index] ?? 0)
  }
  const digest = Buffer.alloc(8)
  digest.writeInt32BE(~high, 0)
  digest.writeInt32BE(~low, 4)
  return digest
}

function crcOfWord(data: Uint8Array, table: Int32Array): Uint8Array {
  let value = -1
  for (const byte of data) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0)
  const digest = Buffer.alloc(4)
  digest.writeInt32BE(~value)
  return digest
}

const tablesOfWord = new Map<number, Int32Array>()

function tableOfWord(polynomial: number): Int32Array {
  const made = tablesOfWord.get(polynomial)
  if (made !== undefined) return made
  const table = Int32Array.from({ length: 256 }, (_, index) => {
    let value = index
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? polynomial : 0)
    return value
  })
  tablesOfWord.set(polynomial, table)
  return table
}

let halves: { readonly high: Int32Array; readonly low: Int32Array } | undefined

function tableOfHalves(): { readonly high: Int32Array; readonly low: Int32Array } {
  if (halves !== undefined) return halves
  const high = new Int32Array(256)
  const low = new Int32Array(256)
  for (let index = 0; index < 256; index += 1) {
    let value = BigInt(index)
    for (let bit = 0; bit < 8; bit += 1) {
      value = (value >> 1n) ^ ((value & 1n) === 1n ? 0x9a6c9329ac4bc9b5n : 0n)
    }
    high[index] = Number(value >> 32n)
    low[index] = Number(value & 0xffffffffn)
  }
  halves = { high, low }
  return halves
}
