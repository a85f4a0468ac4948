import { describe, expect, test } from 'vitest'
import { checkSizes, limitFor } from '../size/check-sizes.ts'
import { compressedBytes, measureSize } from '../size/measure-size.ts'

const limit = { name: 'a package', imports: { a: ['b'] }, limitBytes: 100 }

describe('a size', () => {
  test('may be as large as its limit', async () => {
    const { lines, isGood } = await checkSizes([limit], async () => 100)
    expect(lines).toEqual(['✓ a package: 100 of 100 bytes'])
    expect(isGood).toBe(true)
  })

  test('that exceeds its limit fails, whatever the others are', async () => {
    const sizes = [101, 99]
    const { lines, isGood } = await checkSizes([limit, limit], async () => sizes.shift() ?? 0)
    expect(lines).toEqual(['✗ a package: 101 of 100 bytes', '✓ a package: 99 of 100 bytes'])
    expect(isGood).toBe(false)
  })

  test('has a limit that leaves 2 %', () => {
    expect([1000, 1001, 6849].map(limitFor)).toEqual([1020, 1030, 6990])
  })
})

describe('what is imported', () => {
  test('is bundled with everything that it needs', async () => {
    const one = await measureSize({ imports: { ky: ['HTTPError'] } })
    const all = await measureSize({ imports: { ky: ['default'] } })
    expect(one).toBeGreaterThan(100)
    expect(all).toBeGreaterThan(one)
    expect(await measureSize({ imports: { ky: ['HTTPError', 'default'] } })).toBeGreaterThan(all)
    expect(await measureSize({ imports: { ky: ['default'] }, without: ['ky'] })).toBeLessThan(100)
  })

  test('and is not found is an error, not a small size', async () => {
    await expect(measureSize({ imports: { 'no-such-package': ['name'] } })).rejects.toThrow(
      'no-such-package',
    )
    await expect(measureSize({ imports: { ky: ['noSuchName'] } })).rejects.toThrow('noSuchName')
  })
})

test('the compression gives the bytes of zlib as it is written, on every processor', () => {
  const text = Array.from({ length: 2000 }, (_, n) => `${n * n}${n % 7 ? 'ä' : '\n'}`).join('')
  expect(compressedBytes(text)).toBe(6826)
})
