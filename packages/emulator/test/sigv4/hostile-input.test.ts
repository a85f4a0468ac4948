import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEmulator, verifySigV4, type RawRequest } from '@svc/emulator'
import { signChunks } from '../support/sign-chunks.ts'
import { sign, testAt, testKey } from '../support/sign.ts'

const options = { apiKeys: [testKey], region: 'us-east-1', clock: () => testAt }

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', '%', '%zz', '\0', '\r\n', '\ud800', '__proto__', '/'.repeat(999)),
)
const headerNames = fc.constantFrom(
  'authorization',
  'host',
  'x-amz-date',
  'x-amz-content-sha256',
  'x-amz-security-token',
  'x-amz-meta-a',
  '__proto__',
)
const almostAuthorization = fc
  .array(
    fc.constantFrom(
      'AWS4-HMAC-SHA256',
      ' ',
      ',',
      ', ',
      'Credential=',
      'TESTKEY/20260102/us-east-1/s3/aws4_request',
      'SignedHeaders=',
      'host;x-amz-date',
      'Signature=',
      'a'.repeat(64),
      '=',
      ';',
      '/',
    ),
  )
  .map((pieces) => pieces.join(''))
const hostileRequest: fc.Arbitrary<RawRequest> = fc.record({
  method: fc.oneof(fc.constantFrom('GET', 'PUT'), anyText),
  target: fc.oneof(
    anyText,
    anyText.map((text) => `/V1/${text}?${text}`),
  ),
  rawHeaders: fc.array(
    fc.tuple(
      fc.oneof(headerNames, anyText),
      fc.oneof(almostAuthorization, fc.constant('20260102T030405Z'), anyText),
    ),
  ),
  body: fc.uint8Array(),
})

test('whatever a request holds, the verification returns a refusal and never rejects', async () => {
  await fc.assert(
    fc.asyncProperty(hostileRequest, async (request) => {
      const verification = await verifySigV4(request, options)
      expect(verification).toMatchObject({
        ok: false,
        code: expect.stringMatching(/^[A-Za-z0-9]+$/),
        status: expect.toSatisfy((status: number) => status >= 400),
      })
    }),
    { numRuns: 3000 },
  )
})

test('a good request with one hostile piece is refused or means the same, and never rejects', async () => {
  const good = sign({ headers: [['x-amz-meta-a', 'a']] })
  await fc.assert(
    fc.asyncProperty(fc.nat(4), anyText, async (index, text) => {
      const rawHeaders = good.rawHeaders.map(([name, value], position): [string, string] => [
        name,
        position === index ? text : value,
      ])
      const { ok } = await verifySigV4({ ...good, rawHeaders }, options)
      expect(ok).toBe(text.replace(/^[ \t]+|[ \t]+$/g, '') === good.rawHeaders[index]?.[1])
    }),
    { numRuns: 2000 },
  )
})

const almostPresigned = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'X-Amz-Algorithm',
        'X-Amz-Credential',
        'X-Amz-Date',
        'X-Amz-Expires',
        'X-Amz-SignedHeaders',
        'X-Amz-Signature',
        'X-Amz-Security-Token',
        'X-Amz-Content-Sha256',
      ),
      fc.oneof(
        fc.constantFrom(
          'AWS4-HMAC-SHA256',
          'TESTKEY%2F20260102%2Fus-east-1%2Fs3%2Faws4_request',
          '20260102T030405Z',
          '99991231T235959Z',
          '00000101T000000Z',
          '604800',
          '1e3',
          '-0',
          'host',
          'a'.repeat(64),
        ),
        anyText,
      ),
    ),
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'))

test('whatever a query says of a signature, the verification refuses it and never rejects', async () => {
  await fc.assert(
    fc.asyncProperty(almostPresigned, async (query) => {
      const request = {
        method: 'GET',
        target: `/V1/a?${query}`,
        rawHeaders: [['host', 'localhost'] as const],
        body: new Uint8Array(),
      }
      expect(await verifySigV4(request, options)).toMatchObject({
        ok: false,
        status: expect.toSatisfy((status: number) => status >= 400 && status < 500),
      })
    }),
    { numRuns: 3000 },
  )
})

const almostChunked = fc
  .array(
    fc.constantFrom(
      '0',
      '4',
      '00',
      'ffffffffffff',
      ';chunk-signature=',
      'a'.repeat(64),
      '\r\n',
      '\n',
      'data',
      'x-amz-checksum-crc32:AAAAAA==',
      'x-amz-trailer-signature:',
      '\0',
      '\u00ff',
    ),
  )
  .map((pieces) => new Uint8Array(Buffer.from(pieces.join(''), 'latin1')))

test.each(['PAYLOAD', 'PAYLOAD-TRAILER', 'UNSIGNED-TRAILER'] as const)(
  'whatever a body in chunks holds, the verification returns and never rejects: %s',
  async (payload) => {
    const good = signChunks({ payload, chunks: [], announced: 'x-amz-checksum-crc32' })
    const rawHeaders = good.rawHeaders.filter(([name]) => name !== 'content-length')
    await fc.assert(
      fc.asyncProperty(almostChunked, async (body) => {
        const length = ['content-length', String(body.byteLength)] as const
        const request = { ...good, rawHeaders: [...rawHeaders, length], body }
        const verification = await verifySigV4(request, options)
        const text = Buffer.from(body).toString('latin1')
        const isGood =
          payload === 'UNSIGNED-TRAILER' &&
          /^0+\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n$/.test(text)
        expect(verification.ok).toBe(isGood)
      }),
      { numRuns: 2000 },
    )
  },
)

test('a character beyond one byte is never hashed as another', async () => {
  const good = sign({ headers: [['x-amz-meta-a', '\u0001']] })
  const rawHeaders = good.rawHeaders.map(([name, value]): [string, string] => [
    name,
    value === '\u0001' ? '\u0101' : value,
  ])
  expect(await verifySigV4(good, options)).toMatchObject({ ok: true })
  expect(await verifySigV4({ ...good, rawHeaders }, options)).toMatchObject({
    code: 'InvalidArgument',
  })
})

test('the emulator responds to any path, query, header and body in process', async () => {
  const emulator = createEmulator({ clock: () => testAt })
  await fc.assert(
    fc.asyncProperty(
      fc.webPath(),
      fc.webQueryParameters(),
      fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH', 'brew'),
      fc.constantFrom('authorization', 'x-svc-security-token', 'range', 'content-type'),
      fc.oneof(almostAuthorization, fc.string()),
      fc.uint8Array(),
      async (path, query, method, name, value, body) => {
        const headers = new Headers()
        try {
          headers.set(name, value)
        } catch {
          return // fetch itself rejects the value
        }
        const bodyless = method === 'GET' || method === 'HEAD'
        const responses = await Promise.all(
          ['', '/user', '/user/login', '/V1/'].map((prefix) =>
            emulator.fetch(`http://localhost${prefix}${path}?${query}`, {
              method,
              headers,
              body: bodyless ? null : new Uint8Array(body),
            }),
          ),
        )
        for (const { status } of responses) {
          expect(status).toBeLessThan(500)
          expect(status).toBeGreaterThanOrEqual(400)
        }
      },
    ),
    { numRuns: 300 },
  )
})
