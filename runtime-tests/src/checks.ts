import { createSigV4Auth } from '@svc/auth-sigv4'
import { streaming } from '@svc/auth-sigv4/streaming'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import { authFetch, createTokenAuth } from '@svc/auth-token'
import { createServiceAuth } from '@svc/route-auth-selector'
import type { Addresses } from './addresses.ts'
import { equal, rejectsWith } from './assert.ts'
import type { Check } from './check.ts'
import { createControl } from './control.ts'
import { apiKey, credentials } from './credentials.ts'

const awkwardKey = "V1/a+b & 9% = (it's) *new*! ~ Größe 東京 📊.json"
const awkwardTarget =
  '/V1/a%2Bb%20%26%209%25%20%3D%20%28it%27s%29%20%2Anew%2A%21%20~%20Gr%C3%B6%C3%9Fe' +
  '%20%E6%9D%B1%E4%BA%AC%20%F0%9F%93%8A.json'

// Published by AWS's documents; nothing in it is secret.
const documentedApiKey = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const documentedSignature = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41'

/**
 * The checks, with every scheme made at once: where this is called at the top of a worker, it shows
 * that no scheme needs the network, a timer or randomness to be made.
 */
export function createChecks({ service, control: controlAddress }: Addresses): readonly Check[] {
  const control = createControl(controlAddress)
  const baseUrl = new URL(service)
  const region = 'us-east-1'
  const groupsUrl = new URL('/user/groups', baseUrl)
  const objectUrl = new URL(awkwardKey, baseUrl)
  const token = createTokenAuth({ baseUrl, credentials })
  const coldToken = createTokenAuth({ baseUrl, credentials })
  const sigv4 = createSigV4Auth({ baseUrl, region, credentials: apiKey })
  const webCrypto = createSigV4Auth({
    baseUrl,
    region,
    credentials: apiKey,
    engine: webCryptoEngine(),
  })
  const selector = createServiceAuth({ baseUrl, token, sigv4 })
  const documented = {
    baseUrl: 'https://examplebucket.s3.amazonaws.com',
    region,
    credentials: documentedApiKey,
  }
  const documentedDefault = createSigV4Auth(documented)
  const documentedWebCrypto = createSigV4Auth({ ...documented, engine: webCryptoEngine() })
  const uploads = [
    { name: 'signed chunks', payload: streaming() },
    { name: 'signed chunks and a trailer', payload: streaming({ trailer: 'crc32c' }) },
  ].map(({ name, payload }) => {
    const there = { baseUrl: controlAddress, region, credentials: apiKey }
    return { name, upload: authFetch(createSigV4Auth({ ...there, payload })) }
  })
  const uploadUrl = new URL('/upload', controlAddress)
  const fetchWithToken = authFetch(token)
  const fetchSigned = authFetch(sigv4)
  const fetchByRoute = authFetch(selector)

  const loginsDuring = async (action: () => Promise<void>): Promise<number> => {
    const { logins } = await control.state()
    await action()
    return (await control.state()).logins - logins
  }
  const listGroups = async (fetchGroups: typeof fetchWithToken): Promise<void> => {
    const response = await fetchGroups(groupsUrl)
    const text = await response.text()
    equal(response.status, 200, 'status')
    equal(text.includes('"group-0001"'), true, 'the groups of the user')
  }
  const readObject = async (expected: string): Promise<void> => {
    const response = await fetchSigned(objectUrl)
    equal(await response.text(), expected, 'body')
    equal((await control.state()).last?.target ?? '', awkwardTarget, 'request target')
  }

  return [
    {
      name: 'a login, and groups with its token',
      async run() {
        equal(await loginsDuring(() => listGroups(fetchWithToken)), 1, 'logins')
        equal(await loginsDuring(() => listGroups(fetchWithToken)), 0, 'further logins')
      },
    },
    {
      name: 'one login for two concurrent callers',
      async run() {
        const fetchGroups = authFetch(coldToken)
        const both = async (): Promise<void> => {
          await Promise.all([listGroups(fetchGroups), listGroups(fetchGroups)])
        }
        equal(await loginsDuring(both), 1, 'logins')
      },
    },
    {
      name: 'a revoked token costs one login and no error',
      async run() {
        await listGroups(fetchWithToken)
        await control.revokeTokens()
        equal(await loginsDuring(() => listGroups(fetchWithToken)), 1, 'logins')
      },
    },
    {
      name: 'an awkward key is stored and read by (url, init)',
      async run() {
        const response = await fetchSigned(objectUrl, { method: 'PUT', body: 'by init' })
        await response.text()
        equal(response.status, 200, 'status')
        await readObject('by init')
      },
    },
    {
      name: 'an awkward key is stored and read by a Request with a body',
      async run() {
        const request = new Request(objectUrl, { method: 'PUT', body: 'by Request' })
        const response = await fetchSigned(request)
        await response.text()
        equal(response.status, 200, 'status')
        await readObject('by Request')
      },
    },
    {
      name: 'a Request with a body whose URL stays is sent as it is',
      async run() {
        const url = new URL('/V1/plain.txt', baseUrl)
        const stored = await fetchSigned(new Request(url, { method: 'PUT', body: 'plain' }))
        await stored.text()
        equal(stored.status, 200, 'status')
        equal(await (await fetchSigned(new Request(url))).text(), 'plain', 'body')
      },
    },
    {
      name: 'Web Crypto signs what the service accepts',
      async run() {
        const response = await authFetch(webCrypto)(objectUrl, { method: 'PUT', body: 'web' })
        await response.text()
        equal(response.status, 200, 'status')
        await readObject('web')
      },
    },
    {
      name: 'a selector takes tokens below /user and signatures elsewhere',
      async run() {
        await listGroups(fetchByRoute)
        const response = await fetchByRoute(objectUrl, { method: 'PUT', body: 'by route' })
        await response.text()
        equal(response.status, 200, 'status')
        await readObject('by route')
      },
    },
    ...bodies().map(({ kind, body }): Check => ({
      name: `a body of ${kind} is hashed`,
      async run() {
        const url = new URL('/V1/body', baseUrl)
        const response = await fetchSigned(url, { method: 'PUT', body })
        await response.text()
        equal(response.status, 200, 'status')
        const payloadHash = (await control.state()).last?.payloadHash ?? ''
        equal(/^[0-9a-f]{64}$/.test(payloadHash), true, `hash in ${payloadHash}`)
      },
    })),
    {
      name: 'a Blob of 3 MiB is hashed and arrives whole',
      async run() {
        const url = new URL('/V1/blob', baseUrl)
        const body = new Blob([new Uint8Array(3 * 1024 * 1024), 'end'])
        const response = await fetchSigned(url, { method: 'PUT', body })
        await response.text()
        equal(response.status, 200, 'status')
        const stored = await (await fetchSigned(url)).blob()
        equal(stored.size, body.size, 'size')
      },
    },
    ...uploads.flatMap(({ name, upload }): Check[] => [
      {
        name: `a stream goes in ${name} with its length, or is refused by name`,
        async run() {
          const sent = upload(uploadUrl, streamInit(200_000, 200_000))
          if (isWithoutStreamLength) {
            await rejectsWith(sent, 'ERR_AUTH_BODY')
            return
          }
          const expected = '200000 bytes in chunks of 65536, 65536, 65536, 3392, 0'
          equal(await (await sent).text(), expected, 'upload')
        },
      },
      {
        name: `a stream in ${name} that is shorter or longer than announced is a typed error`,
        async run() {
          await rejectsWith(upload(uploadUrl, streamInit(200_000, 200_001)), 'ERR_AUTH_BODY')
          await rejectsWith(upload(uploadUrl, streamInit(200_000, 199_999)), 'ERR_AUTH_BODY')
        },
      },
    ]),
    ...[
      { engine: 'the default engine', auth: documentedDefault },
      { engine: 'Web Crypto', auth: documentedWebCrypto },
    ].map(({ engine, auth }): Check => ({
      name: `the documented signature of an object's range, by ${engine}`,
      async run() {
        const { signature } = await auth.explain(
          'https://examplebucket.s3.amazonaws.com/test.txt',
          { headers: { range: 'bytes=0-9' } },
          { at: Date.UTC(2013, 4, 24) },
        )
        equal(signature, documentedSignature, 'signature')
      },
    })),
    {
      name: 'a redirect to another origin is refused, and nothing goes there',
      async run() {
        await control.redirectAway()
        await rejectsWith(fetchWithToken(groupsUrl), 'ERR_AUTH_REDIRECT')
        equal((await control.state()).strays, 0, 'requests to the other origin')
      },
    },
    {
      name: 'a request to another origin is refused',
      async run() {
        await rejectsWith(fetchByRoute(new URL('/stray', controlAddress)), 'ERR_AUTH_ORIGIN')
        equal((await control.state()).strays, 0, 'requests to the other origin')
      },
    },
    {
      name: 'an abort is answered with its reason',
      async run() {
        const reason = new Error('no longer wanted')
        const signal = AbortSignal.abort(reason)
        const came = await fetchByRoute(groupsUrl, { signal }).catch((error: unknown) => error)
        equal(came === reason, true, 'the reason itself')
      },
    },
  ]
}

// Deno drops the length of a stream, whatever its headers say.
const isWithoutStreamLength = 'Deno' in globalThis

function streamInit(size: number, announced: number): RequestInit & { duplex: 'half' } {
  const pieceBytes = 10_000
  let given = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = new Uint8Array(Math.min(pieceBytes, size - given)).fill(given / pieceBytes)
      given += piece.byteLength
      if (piece.byteLength > 0) controller.enqueue(piece)
      else controller.close()
    },
  })
  const headers = { 'content-length': String(announced) }
  return { method: 'PUT', headers, body, duplex: 'half' }
}

function bodies(): { kind: string; body: BodyInit }[] {
  const form = new FormData()
  form.set('field', 'größer')
  form.set('file', new Blob(['in a file'], { type: 'text/plain' }), 'a "b".txt')
  return [
    { kind: 'text', body: 'größer' },
    { kind: 'a typed array', body: new Uint8Array([0, 1, 254, 255]).subarray(1) },
    { kind: 'an ArrayBuffer', body: new Uint8Array([3, 2, 1]).buffer },
    { kind: 'Blob', body: new Blob(['a blob'], { type: 'text/plain' }) },
    { kind: 'URLSearchParams', body: new URLSearchParams({ 'a b': 'c+d' }) },
    { kind: 'FormData', body: form },
  ]
}
