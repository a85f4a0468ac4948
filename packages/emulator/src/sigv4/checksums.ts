import { createHash } from 'node:crypto'
import { headerValue, type RawRequest } from '../http/request.ts'
import { refuse, type Refused } from './result.ts'
import { equalInConstantTime } from './signature.ts'

/**
 * Refuses a body that is not the one that `content-md5` and the `x-amz-checksum-…` headers and
 * trailers speak of. All of them speak of the body without its framing.
 */
export function checkDigests(
  request: RawRequest,
  trailers: readonly (readonly [name: string, value: string])[],
  body: Uint8Array,
): Refused | undefined {
  const headers = request.rawHeaders.map(
    ([name, value]) => [name.toLowerCase(), value.trim()] as const,
  )
  return (
    checkContentMd5(headerValue(request, 'content-md5')?.trim(), body) ??
    checkChecksums(headers, 'header', body) ??
    checkChecksums(trailers, 'trailing header', body)
  )
}

function checkContentMd5(announced: string | undefined, body: Uint8Array): Refused | undefined {
  if (announced === undefined) return undefined
  if (!isBase64(announced, 16)) {
    return refuse('InvalidDigest', 'The Content-MD5 you specified was invalid.', [
      ['Content-MD5', announced],
    ])
  }
  const computed = createHash('md5').update(body).digest('base64')
  if (equalInConstantTime(computed, announced)) return undefined
  return refuse('BadDigest', 'The Content-MD5 you specified did not match what we received.', [
    ['ExpectedDigest', announced],
    ['CalculatedDigest', computed],
  ])
}

function checkChecksums(
  fields: readonly (readonly [name: string, value: string])[],
  place: 'header' | 'trailing header',
  body: Uint8Array,
): Refused | undefined {
  for (const [name, value] of fields) {
    const checksum = checksumOf(name)
    const refused = checksum && checkChecksum(name, value, place, checksum, body)
    if (refused !== undefined) return refused
  }
  return undefined
}

function checkChecksum(
  name: string,
  announced: string,
  place: 'header' | 'trailing header',
  checksum: Checksum,
  body: Uint8Array,
): Refused | undefined {
  if (!isBase64(announced, checksum.bytes)) {
    return refuse('InvalidRequest', `Value for ${name} ${place} is invalid.`)
  }
  const computed = Buffer.from(checksum.digest(body)).toString('base64')
  if (equalInConstantTime(computed, announced)) return undefined
  return refuse(
    'BadDigest',
    `The ${checksum.name} you specified did not match the calculated checksum.`,
  )
}

function isBase64(text: string, bytes: number): boolean {
  const decoded = Buffer.from(text, 'base64')
  return decoded.byteLength === bytes && decoded.toString('base64') === text
}

/** A checksum that S3 knows, by the header or trailer that brings it. */
export interface Checksum {
  /** As S3's messages name it. */
  readonly name: string
  readonly bytes: number
  digest(data: Uint8Array): Uint8Array
}

const checksums: ReadonlyMap<string, Checksum> = new Map(
  [
    { name: 'CRC32', bytes: 4, digest: crc32 },
    { name: 'CRC32C', bytes: 4, digest: crc32c },
    { name: 'CRC64NVME', bytes: 8, digest: crc64nvme },
    { name: 'SHA1', bytes: 20, digest: (data: Uint8Array) => hash('sha1', data) },
    { name: 'SHA256', bytes: 32, digest: (data: Uint8Array) => hash('sha256', data) },
  ].map((checksum) => [`x-amz-checksum-${checksum.name.toLowerCase()}`, checksum]),
)

/** The checksum that a header or trailer of this name brings; `name` in lower case. */
export function checksumOf(name: string): Checksum | undefined {
  return checksums.get(name)
}

/** Whether a header of this name brings a checksum; `name` in lower case. */
export function isChecksumHeader(name: string): boolean {
  return checksums.has(name)
}

function hash(algorithm: 'sha1' | 'sha256', data: Uint8Array): Uint8Array {
  return createHash(algorithm).update(data).digest()
}

/**
 * CRC-32, big-endian.
 *
 * @see https://www.rfc-editor.org/rfc/rfc1952#section-8
 */
export function crc32(data: Uint8Array): Uint8Array {
  return crcOfWord(data, tableOfWord(0xedb88320))
}

/**
 * CRC-32C (Castagnoli), big-endian.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4
 */
export function crc32c(data: Uint8Array): Uint8Array {
  return crcOfWord(data, tableOfWord(0x82f63b78))
}

/** CRC-64/NVME, big-endian. Two halves, since 64 bits of BigInt are a hundred times slower. */
export function crc64nvme(data: Uint8Array): Uint8Array {
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

function crcOfWord(data: Uint8Array, table: Int32Array): Uint8Array {
  let value = -1
  for (const byte of data) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0)
  const digest = Buffer.alloc(4)
  digest.writeInt32BE(~value)
  return digest
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
