import { createHash, createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HmacKey, type Sha256 } from '../testing.ts'

const sha256: Sha256 = (data, encoding) => createHash('sha256').update(data).digest(encoding)
const ascii = fc.string({ unit: 'binary-ascii', maxLength: 700 })

test('an HMAC is that of node:crypto, whatever the key and the texts before it', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      fc.array(ascii, { minLength: 1, maxLength: 4 }),
      (bytes, texts) => {
        const key = new HmacKey(bytes, sha256)
        for (const text of texts) {
          expect(key.sign(text)).toBe(createHmac('sha256', bytes).update(text).digest('hex'))
        }
      },
    ),
    { numRuns: 500 },
  )
})

test.each([0, 511, 512, 513, 2000])('an HMAC of %i characters is that of node:crypto', (length) => {
  const bytes = new Uint8Array(32).fill(7)
  const text = 'a'.repeat(length)
  const expected = createHmac('sha256', bytes).update(text).digest('hex')
  expect(new HmacKey(bytes, sha256).sign(text)).toBe(expected)
})

test('a key shows nothing of itself', () => {
  const key = new HmacKey(new Uint8Array(32).fill(65), sha256)
  key.sign('text')
  expect(inspect(key, { showHidden: true, depth: 10 })).toBe('HmacKey {}')
  expect(JSON.stringify(key)).toBe('{}')
})
