import { explain } from '@svc/auth-sigv4/explain'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { engines, exampleAuth } from '../support/signing.ts'

const latin1 = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
})

const requests = fc.record({
  method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD'),
  path: fc.array(fc.string({ unit: 'binary' }).map(encodeURIComponentSafely), { maxLength: 4 }),
  query: fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), {
    maxLength: 5,
  }),
  meta: latin1,
  body: fc.uint8Array({ maxLength: 100 }),
  at: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  sessionToken: fc.option(fc.stringMatching(/^[!-~]{1,40}$/), { nil: undefined }),
  secretAccessKey: fc.stringMatching(/^[!-~]{1,60}$/),
})

describe('all engines', () => {
  test('give the same bytes for any request', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { method, path, query, meta, body, at, secretAccessKey, sessionToken } = request
        const url = new URL(`https://examplebucket.s3.amazonaws.com/${path.join('/')}`)
        for (const [name, value] of query) url.searchParams.append(name, value)
        const hasBody = method === 'PUT' || method === 'POST'
        const explanations = await Promise.all(
          engines.map((engine) =>
            explain(
              exampleAuth({
                engine,
                credentials: { accessKeyId: 'AKID', secretAccessKey, sessionToken },
              }),
              url,
              {
                method,
                headers: { 'x-amz-meta-text': meta },
                ...(hasBody && { body }),
              },
              { at },
            ),
          ),
        )
        const [first, ...others] = explanations.map(({ headers, url: wire, ...steps }) =>
          Object.assign(steps, { url: wire.href, headers: [...headers] }),
        )
        for (const other of others) expect(other).toEqual(first)
      }),
      { numRuns: 300 },
    )
  })
})

test.each(engines)('the $name engine hashes bytes that threads share', async (engine) => {
  const shared = new Uint8Array(new SharedArrayBuffer(5)).fill(65)
  expect(await engine.hash(shared.subarray(1, 3))).toBe(await engine.hash('AA'))
})

test('each engine has a name of its own', () => {
  expect(engines.map(({ name }) => name)).toEqual(['native', 'webcrypto', 'aws4', 'noble'])
})

test('the webcrypto engine holds a key that nobody can export', async () => {
  const scope = { date: '20260101', region: 'us-east-1', service: 's3' }
  const key = await webCryptoEngine().deriveKey('secret', scope)
  expect(key).toMatchObject({ type: 'secret', extractable: false, usages: ['sign'] })
})

// A segment that is a dot segment is refused, and lone surrogates have no encoding.
function encodeURIComponentSafely(text: string): string {
  const segment = encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''))
  return /^\.{1,2}$/.test(segment) ? 'dots' : segment.replaceAll('%2F', '_')
}

test.each(['plain', 'ä€😀', 'torn \ud83d', '\udc00\ud800'])(
  'the text %j is hashed as the bytes that fetch sends of it',
  async (body) => {
    const sent = new Uint8Array(await new Response(body).arrayBuffer())
    const url = 'https://examplebucket.s3.amazonaws.com/'
    for (const engine of engines) {
      const { payloadHash } = await explain(exampleAuth({ engine }), url, { method: 'POST', body })
      expect(payloadHash).toBe(await engine.hash(sent))
    }
  },
)

test('WebCrypto hashes and signs many texts at once as one after the other', async () => {
  const engine = webCryptoEngine()
  const key = await engine.deriveKey('secret', { date: '20260101', region: 'r', service: 's3' })
  const texts = Array.from({ length: 100 }, (_, at) => `text ${at}${'é '.repeat(at * 50)}`)
  const oneByOne: unknown[] = []
  for (const text of texts) oneByOne.push(await engine.hash(text), await engine.sign(key, text))
  const atOnce = await Promise.all(
    texts.flatMap((text) =>
      [engine.hash(text), engine.sign(key, text)].map((one) => Promise.resolve(one)),
    ),
  )
  expect(atOnce).toEqual(oneByOne)
})
