import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import { createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { presign, type PresignOptions } from '@svc/auth-sigv4/presign'
import { streaming } from '@svc/auth-sigv4/streaming'
import { createEmulator, defaultApiKeys } from '@svc/emulator'
import aws4 from 'aws4'
import { describe, expect, onTestFinished, test } from 'vitest'
import { apiKey, signedAt } from './fixtures/s3-examples.ts'
import { Sha256 } from './peers/peers.ts'
import { otherService, serviceServer } from './support/service-server.ts'
import { engines, exampleAuth } from './support/signing.ts'

const host = 'https://examplebucket.s3.amazonaws.com'
const sha256 = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')
const window = new Uint8Array([9, 0, 255, 128, 9])

/** Bodies in every form, with the bytes that `fetch` sends for them. */
const bodies: readonly (readonly [
  what: string,
  body: NonNullable<PresignOptions['body']>,
  bytes: Uint8Array,
])[] = [
  ['text', '{"a":"ü😀"}', new TextEncoder().encode('{"a":"ü😀"}')],
  ['text with half a pair', 'a\ud800b', new TextEncoder().encode('a\ufffdb')],
  ['no text', '', new Uint8Array()],
  ['bytes', new Uint8Array([0, 255, 128]), new Uint8Array([0, 255, 128])],
  ['a window of bytes', window.subarray(1, 4), new Uint8Array([0, 255, 128])],
  ['a DataView', new DataView(window.buffer, 1, 3), new Uint8Array([0, 255, 128])],
  ['an ArrayBuffer', window.slice(1, 4).buffer, new Uint8Array([0, 255, 128])],
  ['a Buffer', Buffer.from('text'), new TextEncoder().encode('text')],
]

describe.each(engines)('a URL for a body, presigned by the $name engine', (engine) => {
  test.each(bodies)('of a service other than s3 has the hash of %s', async (_what, body, bytes) => {
    const auth = exampleAuth({ service: 'service', engine })
    const headers = { 'x-amz-content-sha256': sha256(bytes) }
    const [signed, told] = await Promise.all([
      presign(auth, `${host}/k`, { method: 'POST', body }),
      presign(auth, `${host}/k`, { method: 'POST', headers }),
    ])
    // The service takes the hash from the body, so that nobody has to send it.
    expect(signed.searchParams.get('X-Amz-SignedHeaders')).toBe('host')
    expect(told.searchParams.get('X-Amz-SignedHeaders')).toBe('host;x-amz-content-sha256')
    const empty = await presign(auth, `${host}/k`, { method: 'POST' })
    expect(signed.href === empty.href).toBe(bytes.length === 0)
  })

  test.each(bodies)('of s3 has the hash of %s as a header to send', async (_what, body, bytes) => {
    for (const payload of ['auto', 'signed', streaming()] as const) {
      const auth = exampleAuth({ engine, payload })
      const [signed, told] = await Promise.all([
        presign(auth, `${host}/k`, { method: 'PUT', body }),
        presign(auth, `${host}/k`, {
          method: 'PUT',
          headers: { 'x-amz-content-sha256': sha256(bytes) },
        }),
      ])
      expect(signed.href).toBe(told.href)
    }
  })
})

describe('a URL for a body', () => {
  test('of s3 is UNSIGNED-PAYLOAD where the scheme says so, or none is given', async () => {
    const unsigned = exampleAuth({ payload: 'unsigned' })
    const put = { method: 'PUT' }
    const [withBody, without, ofOther] = await Promise.all([
      presign(unsigned, `${host}/k`, { ...put, body: 'text' }),
      presign(unsigned, `${host}/k`, put),
      // @ts-expect-error -- null is no body for `fetch`, and so it is here
      presign(exampleAuth({ payload: 'signed' }), `${host}/k`, { ...put, body: null }),
    ])
    expect(withBody.href).toBe(without.href)
    expect(ofOther.href).toBe(without.href)
    expect(without.searchParams.get('X-Amz-SignedHeaders')).toBe('host')
  })

  test('of another service is UNSIGNED-PAYLOAD where the scheme says so, in a header to send', async () => {
    const auth = exampleAuth({ service: 'service', payload: 'unsigned' })
    const [withBody, told] = await Promise.all([
      presign(auth, `${host}/k`, { method: 'PUT', body: 'text' }),
      presign(auth, `${host}/k`, {
        method: 'PUT',
        headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      }),
    ])
    expect(withBody.href).toBe(told.href)
  })

  test.each(['s3', 'service'])('of %s has the hash that the caller gives', async (service) => {
    const auth = exampleAuth({ service })
    const headers = { 'x-amz-content-sha256': 'ab'.repeat(32) }
    const [both, told] = await Promise.all([
      presign(auth, `${host}/k`, { method: 'PUT', headers, body: 'text' }),
      presign(auth, `${host}/k`, { method: 'PUT', headers }),
    ])
    expect(both.href).toBe(told.href)
  })

  test('has the bytes of the call, whatever becomes of them while the key is obtained', async () => {
    const body = new Uint8Array([1, 2, 3])
    const slow = { credentials: () => Promise.resolve(apiKey), service: 'service' }
    const asked = presign(exampleAuth(slow), `${host}/k`, { method: 'PUT', body })
    body.fill(0)
    const same = new Uint8Array([1, 2, 3])
    const expected = await presign(exampleAuth(slow), `${host}/k`, { method: 'PUT', body: same })
    expect((await asked).href).toBe(expected.href)
  })

  test.each<[what: string, body: () => unknown]>([
    ['a stream', () => new Blob(['text']).stream()],
    ['a stream of Node', () => Readable.from(['text'])],
    ['an async iterable', async function* pieces() {}],
    ['a Blob', () => new Blob(['text'])],
    ['a form', () => new FormData()],
    ['parameters', () => new URLSearchParams('a=1')],
    ['an object', () => ({ a: 1 })],
    ['a number', () => 5],
    ['a symbol', () => Symbol('hidden')],
  ])('is not made of %s, which is no text and no bytes', async (_what, body) => {
    for (const service of ['s3', 'service']) {
      // What a caller without types may give.
      const options = { method: 'PUT', body: body() } as PresignOptions
      await expect(
        presign(exampleAuth({ service }), `${host}/k?a=1`, options),
      ).rejects.toMatchObject({
        code: 'ERR_AUTH_BODY',
        message: `[@svc/auth-sigv4] PUT ${host}/k: the body to presign must be text or bytes`,
      })
    }
  })
})

describe('a body', () => {
  const of = (origin: string, options: Partial<SigV4AuthOptions> = {}) =>
    createSigV4Auth({
      baseUrl: origin,
      region: 'us-east-1',
      credentials: defaultApiKeys[0],
      ...options,
    })

  test.each(bodies)(
    'that was signed is accepted by another service: %s',
    async (_what, body, bytes) => {
      const { origin, arrived } = await serviceServer()
      const link = await presign(of(origin, { service: otherService }), `${origin}/a%2Fb//c?x=1`, {
        method: 'POST',
        body,
      })
      const sent = { method: 'POST', body: new Uint8Array(bytes) }
      expect((await fetch(link, sent)).status).toBe(200)
      const changed = { method: 'POST', body: new Uint8Array([...bytes, 0]) }
      expect((await fetch(link, changed)).status).toBe(403)
      expect(arrived.map(({ verification }) => verification.ok)).toEqual([true, false])
    },
  )

  test('that was signed for s3 is accepted with its hash, and no other body is', async () => {
    const emulator = createEmulator()
    const server = await emulator.listen()
    onTestFinished(() => server.close())
    const { origin } = server.url
    const link = await presign(of(origin), `${origin}/V1/k`, { method: 'PUT', body: 'text' })
    const headers = { 'x-amz-content-sha256': sha256('text') }
    const put = (init: RequestInit) => fetch(link, { method: 'PUT', ...init })
    const statuses = [
      await put({ headers, body: 'text' }),
      await put({ headers, body: 'other' }),
      await put({ headers: { 'x-amz-content-sha256': sha256('other') }, body: 'other' }),
      await put({ body: 'other' }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([200, 400, 403, 403])
  })
})

test('aws4 and smithy presign a body for a service other than s3 as we do', async () => {
  const auth = exampleAuth({ service: 'service' })
  const { hostname } = new URL(host)
  const smithy = new SignatureV4({
    credentials: apiKey,
    region: 'us-east-1',
    service: 'service',
    sha256: Sha256,
    applyChecksum: false,
  })
  for (const [, body, bytes] of bodies) {
    const url = await presign(auth, `${host}/a%2Fb//?b=1`, { method: 'POST', body })
    const own = url.searchParams.get('X-Amz-Signature')
    const byAws4 = aws4.sign(
      {
        service: 'service',
        region: 'us-east-1',
        method: 'POST',
        headers: { Host: hostname },
        path: '/a%2Fb//?b=1&X-Amz-Date=20130524T000000Z&X-Amz-Expires=3600',
        body: Buffer.from(bytes),
        doNotModifyHeaders: true,
        signQuery: true,
      },
      apiKey,
    )
    expect(byAws4.path.split('&X-Amz-Signature=')[1]).toBe(own)
    const bySmithy = await smithy.presign(
      new HttpRequest({
        method: 'POST',
        hostname,
        path: '/a%2Fb//',
        query: { b: '1' },
        headers: { host: hostname },
        body: bytes,
      }),
      { signingDate: new Date(signedAt), expiresIn: 3600 },
    )
    expect(bySmithy.query?.['X-Amz-Signature']).toBe(own)
  }
})
