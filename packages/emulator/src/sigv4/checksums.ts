import { createHash } from 'node:crypto'
import { headerValue, type RawRequestHead } from '../http/request.ts'
import { reject, type Rejected } from './result.ts'
import { equalInConstantTime } from './signature.ts'

/** Digests of a body without its framing, computed as it arrives. */
export interface BodyDigests {
  update(data: Uint8Array): void
  /** Rejects a body that does not match `content-md5` and the `x-amz-checksum-…` headers and trailers. */
  end(trailers: Fields): Rejected | undefined
}

type Fields = readonly (readonly [name: string, value: string])[]

/** Starts the digests that the headers of a request bring, and those that trailers will bring. */
export function createBodyDigests(
  request: RawRequestHead,
  trailerNames: readonly string[],
): BodyDigests {
  const headers = request.rawHeaders.map(
    ([name, value]) => [name.toLowerCase(), value.trim()] as const,
  )
  const contentMd5 = headerValue(request, 'content-md5')?.trim()
  const md5 = contentMd5 === undefined ? undefined : createHash('md5')
  const running = new Map<string, RunningChecksum>()
  for (const name of [...headers.map(([header]) => header), ...trailerNames]) {
    const checksum = checksums.get(name)
    if (checksum && !running.has(name)) running.set(name, { ...checksum, digest: checksum.start() })
  }
  return {
    update(data) {
      md5?.update(data)
      for (const { digest } of running.values()) digest.update(data)
    },
    end(trailers) {
      const computed = new Map(
        Array.from(running, ([name, { digest, ...checksum }]) => [
          name,
          { ...checksum, value: digest.digest().toString('base64') },
        ]),
      )
      return (
        validateContentMd5(contentMd5, md5) ??
        validateChecksums(headers, 'header', computed) ??
        validateChecksums(trailers, 'trailing header', computed)
      )
    },
  }
}

function validateContentMd5(
  announced: string | undefined,
  md5: Digest | undefined,
): Rejected | undefined {
  if (announced === undefined || md5 === undefined) return undefined
  if (!isBase64(announced, 16)) {
    return reject('InvalidDigest', 'The Content-MD5 you specified was invalid.', [
      ['Content-MD5', announced],
    ])
  }
  const computed = md5.digest().toString('base64')
  if (equalInConstantTime(computed, announced)) return undefined
  return reject('BadDigest', 'The Content-MD5 you specified did not match what we received.', [
    ['ExpectedDigest', announced],
    ['CalculatedDigest', computed],
  ])
}

function validateChecksums(
  fields: Fields,
  place: 'header' | 'trailing header',
  computed: ReadonlyMap<string, ComputedChecksum>,
): Rejected | undefined {
  for (const [name, announced] of fields) {
    const checksum = computed.get(name)
    if (checksum === undefined) continue
    if (!isBase64(announced, checksum.bytes)) {
      return reject('InvalidRequest', `Value for ${name} ${place} is invalid.`)
    }
    if (!equalInConstantTime(checksum.value, announced)) {
      return reject(
        'BadDigest',
        `The ${checksum.name} you specified did not match the calculated checksum.`,
      )
    }
  }
  return undefined
}

function isBase64(text: string, bytes: number): boolean {
  const decoded = Buffer.from(text, 'base64')
  return decoded.byteLength === bytes && decoded.toString('base64') === text
}

/** Tells if a header or trailer of this name brings a checksum; `name` in lower case. */
export function isChecksumHeader(name: string): boolean {
  return checksums.has(name)
}

/** Returns the checksum of a body in base64; `name` is the header that brings it. */
export function checksumOf(name: string, body: Uint8Array): string {
  const digest = checksums.get(name)?.start()
  digest?.update(body)
  return digest?.digest().toString('base64') ?? ''
}

interface Checksum {
  /** As S3's messages name it. */
  readonly name: string
  readonly bytes: number
}

interface RunningChecksum extends Checksum {
  readonly digest: Digest
}

interface ComputedChecksum extends Checksum {
  /** In base64. */
  readonly value: string
}

/** A digest that is computed piece by piece, as those of `node:crypto` are. */
interface Digest {
  update(data: Uint8Array): unknown
  digest(): Buffer
}

// The checksums that S3 knows, by the header or trailer that brings each.
const checksums: ReadonlyMap<string, Checksum & { readonly start: () => Digest }> = new Map(
  [
    // Big-endian. See https://www.rfc-editor.org/rfc/rfc1952#section-8
    { name: 'CRC32', bytes: 4, start: () => startCrcOfWord(0xedb88320) },
    // Castagnoli's, big-endian. See https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4
    { name: 'CRC32C', bytes: 4, start: () => startCrcOfWord(0x82f63b78) },
    { name: 'CRC64NVME', bytes: 8, start: startCrc64nvme },
    { name: 'SHA1', bytes: 20, start: () => createHash('sha1') },
    { name: 'SHA256', bytes: 32, start: () => createHash('sha256') },
  ].map((checksum) => [`x-amz-checksum-${checksum.name.toLowerCase()}`, checksum]),
)

// Big-endian. Two halves, since 64 bits of BigInt are a hundred times slower.
function startCrc64nvme(): Digest {
  const { high: highs, low: lows } = tableOfHalves()
  let state = { high: 0xffffffff, low: 0xffffffff }
  return {
    update(data) {
      let { high, low } = state
      for (const byte of data) {
        const index = (low ^ byte) & 0xff
        low = ((low >>> 8) | (high << 24)) ^ (lows[index] ?? 0)
        high = (high >>> 8) ^ (highs[index] ?? 0)
      }
      state = { high, low }
    },
    digest() {
      const digest = Buffer.alloc(8)
      digest.writeInt32BE(~state.high, 0)
      digest.writeInt32BE(~state.low, 4)
      return digest
    },
  }
}

function startCrcOfWord(polynomial: number): Digest {
  const table = tableOfWord(polynomial)
  let state = -1
  return {
    update(data) {
      let value = state
      for (const byte of data) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0)
      state = value
    },
    digest() {
      const digest = Buffer.alloc(4)
      digest.writeInt32BE(~state)
      return digest
    },
  }
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
