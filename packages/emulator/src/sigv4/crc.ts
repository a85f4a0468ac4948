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
