import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32cBitByBit } from '../support/crc32c.ts'
import { crc32c } from '../testing.ts'

describe('the CRC-32C', () => {
  // The check value of the catalogue of CRCs, and the examples of RFC 3720, appendix B.4.
  test.each<[what: string, bytes: Uint8Array, checksum: number]>([
    ['123456789', new TextEncoder().encode('123456789'), 0xe3069283],
    ['nothing', new Uint8Array(), 0],
    ['32 bytes of zeros', new Uint8Array(32), 0x8a9136aa],
    ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['32 bytes that rise', Uint8Array.from({ length: 32 }, (_, index) => index), 0x46dd794e],
    ['32 bytes that fall', Uint8Array.from({ length: 32 }, (_, index) => 31 - index), 0x113fdb5c],
  ])('of %s is the published one', (_what, bytes, checksum) => {
    expect(crc32c(bytes)).toBe(checksum)
    expect(crc32cBitByBit(bytes)).toBe(checksum)
  })

  test('of any bytes is what the definition gives, whole and in parts', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
        const expected = crc32cBitByBit(bytes)
        expect(crc32c(bytes)).toBe(expected)
        expect(crc32c(bytes.subarray(cut), crc32c(bytes.subarray(0, cut)))).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })
})
