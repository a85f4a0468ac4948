import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Lower-case hex SHA-256; a string is a byte string. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(toBytes(data)).digest('hex')
}

/** HMAC-SHA256; a string is a byte string. */
export function hmacSha256(key: string | Uint8Array, data: string): Uint8Array {
  return createHmac('sha256', toBytes(key)).update(toBytes(data)).digest()
}

/** Whether two strings are equal, in a time that does not tell where they differ. */
export function equalInConstantTime(left: string, right: string): boolean {
  // Digests have one length, and timingSafeEqual throws on two.
  return timingSafeEqual(digestText(left), digestText(right))
}

function digestText(text: string): Uint8Array {
  return createHash('sha256').update(text, 'utf8').digest()
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'latin1') : data
}
