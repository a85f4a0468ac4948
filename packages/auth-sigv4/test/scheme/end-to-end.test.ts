import { authFetch, authKy, createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { streaming } from '@svc/auth-sigv4/streaming'
import { createEmulator, defaultApiKeys } from '@svc/emulator'
import ky from 'ky'
import ky1 from 'ky1'
import { describe, expect, onTestFinished, test } from 'vitest'
import { streamInit } from '../support/bodies.ts'
import { engines } from '../support/signing.ts'

async function service(options: Partial<SigV4AuthOptions> = {}) {
  const emulator = createEmulator()
  const server = await emulator.listen()
  const { url } = server
  onTestFinished(() => server.close())
  const { accessKeyId, secretAccessKey } = defaultApiKeys[0]
  const auth = createSigV4Auth({
    baseUrl: url,
    region: 'us-east-1',
    credentials: { accessKeyId, secretAccessKey },
    ...options,
  })
  return { emulator, base: url.origin, auth, fetch: authFetch(auth) }
}

const awkwardKeys = [
  'plain.txt',
  'a b+c',
  "it's (1)*!~.txt",
  'a$b&c=d,e;f@g:h',
  'a%2520b',
  '100%',
  'ünï/你好/😀',
  'a//b',
  '/leading',
  'a|b^c`d{e}[f]"g"<h>',
  '%FF%00',
]

describe.each(engines)('the $name engine', (engine) => {
  test('signs what the service accepts, whatever is in the name and the query', async () => {
    const { base, fetch } = await service({ engine })
    for (const key of awkwardKeys) {
      const url = `${base}/V1/${key}`
      const put = await fetch(url, { method: 'PUT', body: `content of ${key}` })
      expect([key, put.status]).toEqual([key, 200])
      const got = await fetch(`${url}?b=2&a=1&a=0&x=a+b%2Bc`)
      expect(await got.text()).toBe(`content of ${key}`)
    }
  })
})

describe('through fetch', () => {
  const form = new FormData()
  form.append('text', 'ü')
  form.append('file', new File(['content'], 'na"me.txt', { type: 'text/plain' }))

  test.each<[kind: string, body: NonNullable<RequestInit['body']>]>([
    ['a string', 'text ü 😀'],
    ['a lone surrogate', 'a\ud800b'],
    ['bytes', new Uint8Array([0, 255, 1, 2]).subarray(1, 3)],
    ['an ArrayBuffer', new Uint8Array([1, 2, 3]).buffer],
    ['a DataView', new DataView(new Uint8Array([1, 2, 3]).buffer, 1)],
    ['a Blob', new Blob(['blob'], { type: 'text/css' })],
    ['a File', new File(['file'], 'name')],
    ['URLSearchParams', new URLSearchParams({ a: 'b c' })],
    ['FormData', form],
    ['an empty string', ''],
  ])('the bytes of %s are the bytes that were signed', async (_kind, body) => {
    const { base, fetch, emulator } = await service()
    const request = new Request(`${base}/V1/a+b`, { method: 'PUT', body })
    const responses = [await fetch(`${base}/V1/a b`, { method: 'PUT', body }), await fetch(request)]
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    const verified = emulator.requests.map(({ auth }) => auth)
    expect(verified).toMatchObject([
      { scheme: 'sigv4', ok: true },
      { scheme: 'sigv4', ok: true },
    ])
  })

  test('a stream that is asked to go unsigned arrives whole', async () => {
    const { base, fetch, emulator } = await service({ payload: 'unsigned' })
    const body = new Blob(['one', 'two']).stream()
    const init: RequestInit & { duplex: 'half' } = { method: 'PUT', body, duplex: 'half' }
    const headers = { 'content-length': '6' }
    expect((await fetch(`${base}/V1/stream`, { ...init, headers })).status).toBe(200)
    expect(new TextDecoder().decode(emulator.requests.at(-1)?.body)).toBe('onetwo')
    const withoutLength = { ...init, body: new Blob(['three']).stream() }
    expect((await fetch(`${base}/V1/stream`, withoutLength)).status).toBe(411)
  })

  test.each([{}, { trailer: 'crc32c' }] as const)(
    'a stream in signed chunks arrives whole, with %o',
    async (options) => {
      const { base, fetch } = await service({ payload: streaming(options) })
      const bytes = new Uint8Array(200_000).map((_, index) => index % 251)
      const body = new Blob([bytes]).stream()
      const headers = { 'content-length': String(bytes.byteLength) }
      const stored = await fetch(`${base}/V1/stream`, streamInit(body, headers))
      expect([stored.status, await stored.text()]).toEqual([200, ''])
      const got = await fetch(`${base}/V1/stream`)
      expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true)
    },
  )

  test('a redirect within the origin is signed anew', async () => {
    const { base, fetch, emulator } = await service()
    await fetch(`${base}/V1/there`, { method: 'PUT', body: 'moved' })
    emulator.fault({ path: '/V1/here', redirect: { to: '/V1/there' }, times: 1 })
    const response = await fetch(`${base}/V1/here`)
    expect(await response.text()).toBe('moved')
    expect(response.redirected).toBe(true)
  })

  test('a key that the service does not know is refused with its response', async () => {
    const { base, fetch } = await service({
      credentials: async () => ({ accessKeyId: 'AKIDUNKNOWN', secretAccessKey: 'x' }),
    })
    const response = await fetch(`${base}/V1/k`)
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('InvalidAccessKeyId')
  })
})

describe.each([
  [
    'ky 2',
    (base: string, auth: Parameters<typeof authKy>[0]) =>
      ky.create({ prefix: base, retry: { delay: () => 0 } }).extend(authKy(auth)),
  ],
  [
    'ky 1',
    (base: string, auth: Parameters<typeof authKy>[0]) =>
      ky1.create({ prefixUrl: base, retry: { delay: () => 0 } }).extend(authKy(auth)),
  ],
])('through %s', (_name, create) => {
  test('stores, reads and deletes, each signed where it leaves', async () => {
    const { base, auth } = await service()
    const api = create(base, auth)
    await api.put('V1/a b+c', { json: { text: 'ü' } })
    expect(await api.get('V1/a b+c').json()).toEqual({ text: 'ü' })
    await api.delete('V1/a b+c')
    expect((await api.get('V1/a b+c', { throwHttpErrors: false })).status).toBe(404)
  })

  test("the client's own retry bears a signature of its own", async () => {
    let now = Date.now()
    const { base, auth, emulator } = await service({ clock: () => (now += 1000) })
    emulator.fault({ status: 503, times: 2 })
    await create(base, auth).put('V1/k', { body: 'again' })
    const signatures = emulator.requests.map(({ headers }) => headers['authorization'])
    expect(new Set(signatures).size).toBe(3)
    expect(new TextDecoder().decode(emulator.requests.at(-1)?.body)).toBe('again')
  })
})
