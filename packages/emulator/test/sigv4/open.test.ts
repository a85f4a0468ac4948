import { crc32 } from 'node:zlib'
import * as fc from 'fast-check'
import { verifySigV4 } from '@svc/emulator'
import { openSigV4 } from '@svc/emulator/verify'
import { describe, expect, test } from 'vitest'
import { presign } from '../support/presign.ts'
import { signChunks } from '../support/sign-chunks.ts'
import { sign, testAt, testKey } from '../support/sign.ts'

const options = { apiKeys: [testKey], region: 'us-east-1', clock: () => testAt }
const payloads = ['PAYLOAD', 'PAYLOAD-TRAILER', 'UNSIGNED-TRAILER'] as const

/** Opens a request that has to be good so far. */
function open(request: Parameters<typeof openSigV4>[0], more = {}) {
  const opened = openSigV4(request, { ...options, ...more })
  if (!opened.ok) throw new Error(opened.message)
  return opened
}

function checksum(data: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(data))
  return bytes.toString('base64')
}

/** A chunked request whose trailer, if it has one, is right. */
function chunked(
  payload: (typeof payloads)[number],
  change: { readonly decodedLength?: string } = {},
) {
  const trailers =
    payload === 'PAYLOAD' ? [] : [['x-amz-checksum-crc32', checksum(signChunks().data)] as const]
  return signChunks({ payload, trailers, ...change })
}

test('a head tells what its signature covers, before there is a body', () => {
  expect(open(sign({ method: 'PUT', body: 'hello' }))).toMatchObject({
    accessKeyId: testKey.accessKeyId,
    form: 'header',
    payload: 'signed',
    payloadHash: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  })
  expect(open(presign())).toMatchObject({ form: 'query', payload: 'unsigned' })
})

test.each([
  ['a wrong signature', { ...sign(), target: '/V1/other' }, 'SignatureDoesNotMatch'],
  ['a wrong key', sign({ key: { ...testKey, accessKeyId: 'OTHER' } }), 'InvalidAccessKeyId'],
  [
    'no signature',
    { method: 'GET', target: '/', rawHeaders: [['host', 'a']] as const },
    'AccessDenied',
  ],
  ['another region', sign({ region: 'eu-west-1' }), 'AuthorizationHeaderMalformed'],
  [
    'a chunked body of unknown length',
    signChunks({ decodedLength: undefined }),
    'MissingContentLength',
  ],
])('a head is rejected with the same code as a whole request: %s', async (_name, request, code) => {
  expect(openSigV4(request, options)).toMatchObject({ ok: false, code })
  const whole = { body: new Uint8Array(), ...request }
  expect(await verifySigV4(whole, options)).toMatchObject({ ok: false, code })
})

test('without a region, any will do, and another one fails still by its signature', () => {
  const { region: _, ...anywhere } = options
  expect(openSigV4(sign({ region: 'anywhere' }), anywhere)).toMatchObject({ ok: true })
  const moved = sign({ region: 'anywhere' })
  const rawHeaders = moved.rawHeaders.map(
    ([name, value]) => [name, value.replace('/anywhere/', '/elsewhere/')] as const,
  )
  expect(openSigV4({ ...moved, rawHeaders }, anywhere)).toMatchObject({
    code: 'SignatureDoesNotMatch',
  })
})

test.each([
  [{ apiKeys: 'none' }, 'apiKeys must be an array'],
  [{ ...options, maxSkew: 1 }, 'maxSkew is not an option; did you mean maxSkewMs?'],
  [{ ...options, region: '' }, 'region must be a name'],
])('a wrong option is named: %j', (wrong, message) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test is of wrong types
  expect(() => openSigV4(sign(), wrong as never)).toThrow(`[@svc/emulator] openSigV4: ${message}`)
})

describe('whatever the borders of its pieces are,', () => {
  const cuts = fc.array(fc.nat(20_000), { maxLength: 20 })

  test.each(payloads)('a body comes out as it was: %s', (payload) => {
    const request = chunked(payload)
    fc.assert(
      fc.property(cuts, (at) => {
        const { body } = open(request)
        const data = inPieces(request.body, at).flatMap((piece) =>
          body.write(piece).map((bytes) => Buffer.from(bytes)),
        )
        expect(body.rejected).toBeUndefined()
        expect(body.end()).toBeUndefined()
        expect(Buffer.concat(data).toString('latin1')).toBe(request.data)
      }),
    )
  })

  test.each(payloads)(
    'a body that was changed is rejected as when it is whole: %s',
    async (payload) => {
      const request = chunked(payload)
      await fc.assert(
        fc.asyncProperty(
          cuts,
          fc.nat(request.body.byteLength - 1),
          fc.integer({ min: 1, max: 255 }),
          async (at, place, by) => {
            const changed = Uint8Array.from(request.body)
            changed[place] = (changed[place] ?? 0) ^ by
            const { body } = open(request)
            for (const piece of inPieces(changed, at)) body.write(piece)
            const whole = await verifySigV4({ ...request, body: changed }, options)
            // A hex digit of a size may change its case, and no more.
            expect(body.end()?.code).toBe(whole.ok ? undefined : whole.code)
          },
        ),
      )
    },
  )
})

function inPieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...cuts.toSorted((one, other) => one - other), bytes.byteLength]
  return places.map((end, index) => bytes.subarray(places[index - 1] ?? 0, end))
}

test.each(['PAYLOAD', 'PAYLOAD-TRAILER'] as const)(
  'a wrong chunk is known at its end, before the rest has come: %s',
  (payload) => {
    const request = chunked(payload)
    const [head, data, end] = request.pieces.map(({ bytes }) => bytes)
    const { body } = open(request)
    body.write(head ?? new Uint8Array())
    body.write(Buffer.alloc(data?.byteLength ?? 0, 'x'))
    expect(body.rejected).toMatchObject({ code: 'SignatureDoesNotMatch' })
    body.write(end ?? new Uint8Array())
    expect(body.rejected).toMatchObject({ code: 'SignatureDoesNotMatch' })
  },
)

test('more data than was announced is known at once', () => {
  const request = signChunks({ decodedLength: '100' })
  const { body } = open(request)
  body.write(request.body.subarray(0, 1000))
  expect(body.rejected).toMatchObject({ code: 'IncompleteBody' })
})

test('a chunk passes through while it arrives, however large it says it is', () => {
  const request = signChunks({ decodedLength: '1000000000000', contentLength: '1000000001000' })
  const { body } = open(request)
  body.write(Buffer.from(`e8d4a51000;chunk-signature=${'a'.repeat(64)}\r\n`))
  const piece = Buffer.alloc(65_536)
  for (let count = 0; count < 100; count += 1) expect(body.write(piece)).toEqual([piece])
  expect(body.end()).toMatchObject({ code: 'IncompleteBody' })
})

test.each([
  ['the head of a chunk', 'PAYLOAD', '', 'IncompleteBody'],
  ['a trailer', 'UNSIGNED-TRAILER', '0\r\n', 'MalformedTrailerError'],
  ['many trailers', 'UNSIGNED-TRAILER', `0\r\n${'a:b\r\n'.repeat(2000)}`, 'MalformedTrailerError'],
] as const)('a line without an end is not kept: %s', (_name, payload, start, code) => {
  const { body } = open(signChunks({ payload, contentLength: '99999' }))
  body.write(Buffer.from(start))
  for (let count = 0; count < 10_000 && !body.rejected; count += 1) body.write(Buffer.from('0'))
  expect(body.rejected).toMatchObject({ code })
})

test('a body that is shorter than its length is not whole', () => {
  const request = chunked('PAYLOAD')
  const { body } = open(request)
  body.write(request.body.subarray(0, -1))
  expect(body.end()).toMatchObject({ code: 'IncompleteBody' })
})
