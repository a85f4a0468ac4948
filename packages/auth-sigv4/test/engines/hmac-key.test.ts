import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { nativeEngine } from '@svc/auth-sigv4/native'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 700 })
const scope = { date: '20260101', region: 'us-east-1', service: 's3' }
const engine = nativeEngine()

/** The signing key of AWS's document, by `node:crypto` alone. */
function derivedKey(secretAccessKey: string): Buffer {
  const { date, region, service } = scope
  return [date, region, service, 'aws4_request'].reduce(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  )
}

test('an HMAC is that of node:crypto, whatever the key and the texts before it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 64 }),
      fc.array(ascii, { minLength: 1, maxLength: 4 }),
      (secret, texts) => {
        const key = engine.deriveKey(secret, scope)
        for (const text of texts) {
          const expected = createHmac('sha256', derivedKey(secret)).update(text).digest('hex')
          expect(engine.sign(key, text)).toBe(expected)
        }
      },
    ),
    { numRuns: 500 },
  )
})

test.each([0, 511, 512, 513, 2000])('an HMAC of %i characters is that of node:crypto', (length) => {
  const text = 'a'.repeat(length)
  const expected = createHmac('sha256', derivedKey('secret')).update(text).digest('hex')
  expect(engine.sign(engine.deriveKey('secret', scope), text)).toBe(expected)
})

test('a key shows nothing of itself', () => {
  const key = engine.deriveKey('secret', scope)
  void engine.sign(key, 'text')
  expect(inspect(key, { showHidden: true, depth: 10 })).toBe('HmacKey {}')
  expect(JSON.stringify(key)).toBe('{}')
})
