/**
 * Computes the CRC-32C (Castagnoli) of some bytes, or of more bytes after those that gave `before`. Eight
 * bytes at a time, by tables that are made at the first use.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4
 */
export function crc32c(bytes: Uint8Array, before = 0): number {
  const table = (tables ??= createTables())
  // Every index below is within the table, or within the bytes.
  const at = (slice: number, byte: number): number => table[(slice << 8) | (byte & 0xff)] as number
  const { length } = bytes
  let crc = ~before
  let index = 0
  for (; index + 8 <= length; index += 8) {
    const low =
      crc ^
      ((bytes[index] as number) |
        ((bytes[index + 1] as number) << 8) |
        ((bytes[index + 2] as number) << 16) |
        ((bytes[index + 3] as number) << 24))
    crc =
      at(7, low) ^
      at(6, low >>> 8) ^
      at(5, low >>> 16) ^
      at(4, low >>> 24) ^
      at(3, bytes[index + 4] as number) ^
      at(2, bytes[index + 5] as number) ^
      at(1, bytes[index + 6] as number) ^
      at(0, bytes[index + 7] as number)
  }
  for (; index < length; index += 1) crc = at(0, crc ^ (bytes[index] as number)) ^ (crc >>> 8)
  return ~crc >>> 0
}

/** The polynomial, lowest bit first. */
const polynomial = 0x82f63b78

let tables: Int32Array | undefined

/** Makes eight tables of 256 entries, for a byte with none, one … seven others after it. */
function createTables(): Int32Array {
  const table = new Int32Array(8 * 256)
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
    table[byte] = crc
  }
  for (let index = 256; index < table.length; index += 1) {
    const earlier = table[index - 256] as number
    table[index] = (table[earlier & 0xff] as number) ^ (earlier >>> 8)
  }
  return table
}
