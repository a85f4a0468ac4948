import assert from 'node:assert/strict'
import { authFetch } from '@svc/auth-hooks'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { createTokenAuth, type TokenStore } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { createEmulator } from '@svc/emulator'
import { createRouteAuthSelector } from '@svc/route-auth-selector'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { NotPossible, titleOf } from '../clients/client.ts'
import { triedClients } from '../clients/libraries/index.ts'
import { responseText, serveRaw } from './raw-server.ts'
import { apiKeyAuth, serviceAuth, sigV4Auth, tokenAuth } from './schemes.ts'
import { makeJwt } from './secrets.ts'

const jwt = makeJwt('prototypes')
/** Names that an object without care takes for its prototype, or finds in it. */
const inherited = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty']
const before = Object.getOwnPropertyNames(Object.prototype)

afterEach(() => {
  assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before)
})

function service(loginBody: string) {
  return serveRaw((socket, { path }) => {
    socket.write(responseText(200, {}, path === '/user/login' ? loginBody : ''))
  })
}

/** Options as a program reads them from a file of somebody else's: `__proto__` is a property of its own. */
function parsed(own: object, more: object): never {
  const options: unknown = JSON.parse(`{"__proto__":${JSON.stringify(more)}}`)
  // The test that reads it knows what it is.
  return Object.assign(options as object, own) as never
}

describe('options from JSON', () => {
  test('with a __proto__ in them are wrong, and nothing is taken from it', () => {
    const scheme = apiKeyAuth('https://h')
    const key = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'hidden' }
    const user = { username: 'reader', password: 'hidden' }
    const options = { baseUrl: 'https://h', credentials: user }
    const origins = ['https://h']
    const select = (route: never): unknown =>
      createRouteAuthSelector({ origins, routes: [route], otherwise: scheme })
    for (const create of [
      () => createTokenAuth(parsed(options, { allowInsecureHttp: true })),
      () => createSigV4Auth(parsed({ ...options, region: 'r', credentials: key }, { origins })),
      () => authFetch(scheme, parsed({}, { redirect: 'follow' })),
      () => select(parsed({ path: '/a', use: scheme }, { method: 'GET' })),
    ]) {
      expect(create).toThrow(
        /^\[@svc\/[\w-]+\] [\w[\]: ]+ __proto__ is not an option; the options are /,
      )
    }
  })

  test('have nothing taken from a __proto__ in their credentials', () => {
    const key = { accessKeyId: 'AKIDEXAMPLE' }
    const options = { baseUrl: 'https://h', region: 'us-east-1' }
    const credentials = parsed(key, { secretAccessKey: 'hidden' })
    expect(() => createSigV4Auth({ ...options, credentials })).toThrow(
      'credentials.secretAccessKey',
    )
    const user = parsed({ username: 'reader' }, { password: 'hidden' })
    expect(() => createTokenAuth({ baseUrl: 'https://h', credentials: user })).toThrow(
      'credentials.password',
    )
  })

  test.each(inherited)(
    'take %s for the name of a method, a prefix and a region, and for nothing else',
    async (name) => {
      const { origin, requests } = await service(JSON.stringify({ Token: jwt }))
      const auth = createRouteAuthSelector({
        origins: [origin],
        routes: [
          { path: '/user', method: name, use: apiKeyAuth(origin) },
          { prefix: `/${name}`, use: tokenAuth(origin, { vendorPrefix: name }) },
        ],
        otherwise: sigV4Auth(origin, { region: name, signHeaders: [name] }),
      })
      const fetch = authFetch(auth)
      // A signed one would not be sent: Node's `fetch` drops this one.
      const isDropped = name === '__proto__'
      const headers: [string, string][] = isDropped ? [] : [[name, 'own']]
      await fetch(`${origin}/${name}?${name}=1`, { headers })
      await fetch(`${origin}/V1/${name}?${name}=1&${name}=0`, { headers })
      const [token, signed] = requests.filter(({ path }) => path !== '/user/login')
      expect(token?.head.toLowerCase()).toContain(
        `\r\nx-${name}-security-token: ${jwt}`.toLowerCase(),
      )
      expect(signed?.head).toContain(`/${name}/s3/aws4_request`)
      if (isDropped) return
      for (const head of [token?.head, signed?.head]) {
        expect(head?.toLowerCase()).toContain(`\r\n${name.toLowerCase()}: own\r\n`)
      }
      expect(signed?.head).toMatch(new RegExp(`SignedHeaders=[^,]*${name.toLowerCase()}`))
    },
  )
})

test.each(['__proto__', '__PROTO__'])(
  'a header %s, which fetch drops, is not signed',
  async (name) => {
    const { origin, requests } = await service('')
    const send = authFetch(sigV4Auth(origin, { signHeaders: [name] }))
    await send(origin, { headers: [[name, 'own']] })
    await send(origin, { headers: new Headers([[name, 'own']]) })
    expect(requests.map(({ head }) => /__proto__/i.test(head))).toEqual([false, false])
  },
)

describe('responses of a server', () => {
  test.each([
    `{"__proto__":{"Token":"${jwt}"}}`,
    `{"constructor":{"prototype":{"Token":"${jwt}"}}}`,
    '{"toString":"x","hasOwnProperty":1}',
  ])('are no token and change nothing: %s', async (body) => {
    const { origin } = await service(body)
    await expect(tokenAuth(origin).getToken()).rejects.toMatchObject({
      code: 'ERR_AUTH_LOGIN_NO_TOKEN',
    })
  })

  test('have their token taken whatever stands beside it', async () => {
    const { origin } = await service(
      `{"__proto__":{"x":1},"constructor":null,"Token":"${jwt}","toString":{}}`,
    )
    expect(await tokenAuth(origin).getToken()).toBe(jwt)
  })

  test.each(['{"__proto__":{"exp":9,"iat":1}}', '{"constructor":1,"exp":{"valueOf":1},"iat":[1]}'])(
    'do not set the lifetime of a token by what its claims inherit: %s',
    async (claims) => {
      const now = Date.now()
      const token = `e30.${Buffer.from(claims).toString('base64url')}.x`
      const { origin } = await service(JSON.stringify({ Token: token }))
      const auth = tokenAuth(origin, { clock: () => now })
      expect(await auth.getToken()).toBe(token)
      expect(auth.inspect().expiresAt).toBe(now + 24 * 3_600_000)
    },
  )

  test.each(inherited)('whose XML has an element %s are read as any other', async (name) => {
    const auth = sigV4Auth('https://h')
    const element = `<${name}>x</${name}>`
    for (const xml of [
      `<Error>${element}<Code>${name}</Code></Error>`,
      `<${name}><Code>${name}</Code>${element}</${name}>`,
      `<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>GET\n/\n\n${name}:1\n\n${name}\nx</CanonicalRequest></Error>`,
    ]) {
      const diagnosis = await diagnose(auth, new Response(xml, { status: 403 }), 'https://h/')
      expect(['unknown', 'canonical-request']).toContain(diagnosis.verdict)
    }
  })
})

describe.each(triedClients.map((client) => [titleOf(client), client] as const))(
  '%s',
  (_, client) => {
    test.each(inherited)('sends a header of the name %s, and no other', async (name) => {
      // Some drop `__proto__` themselves, and the newest axios what else leads to a prototype.
      const isDropped = /^axios [\w.]+ 1\.2/.test(titleOf(client)) && /^(?:con|pro)/.test(name)
      const sent = [`${name}: own`.toLowerCase()]
      const expected = name === '__proto__' || isDropped ? ['', ...sent] : sent
      const { origin, requests } = await service(JSON.stringify({ Token: jwt }))
      const connection = client.connect(serviceAuth(origin), {})
      for (const path of ['/user/groups', '/V1/a']) {
        const headers = Object.defineProperty({}, name, { value: 'own', enumerable: true })
        const url = new URL(path, origin)
        const error: unknown = await connection
          .send({ method: 'POST', url, body: 'x', headers })
          // Of an empty response some make an error.
          .then((response) => response.text())
          .catch((thrown: unknown) => thrown)
        expect(error).not.toBeInstanceOf(NotPossible)
      }
      await connection.close?.()
      const heads = requests.filter(({ path }) => path !== '/user/login').map(({ head }) => head)
      expect(heads).not.toEqual([])
      for (const head of heads) {
        const own = head.split('\r\n').filter((line) => line.endsWith(': own'))
        expect(expected).toContain(own.join().toLowerCase())
        expect(head).not.toMatch(/native code|\[object/)
      }
    })
  },
)

describe('a store', () => {
  const open: Readonly<Record<string, () => Promise<TokenStore>>> = {
    memoryTokenStore: async () => memoryTokenStore(),
    fileTokenStore: async () => {
      const path = await mkdtemp(join(tmpdir(), 'svc-auth-security-'))
      onTestFinished(() => rm(path, { recursive: true }))
      return fileTokenStore({ path })
    },
  }
  test.each(Object.entries(open))('%s takes any key for a key', async (_name, make) => {
    const store = await make()
    for (const key of inherited) {
      expect(await store.get(key)).toBeUndefined()
      const fencingToken = (await store.lock(key, { owner: '__proto__', ttlMs: 1000 })) ?? 0
      const record = { generation: 1, sealed: key }
      expect(await store.compareAndSwap(key, record, { fencingToken, ttlMs: 1000 })).toBe(true)
      expect(await store.get(key)).toEqual(record)
    }
  })

  test('that returns what it inherited is rubbish, and the login is made without it', async () => {
    const { origin } = await service(JSON.stringify({ Token: jwt }))
    const record: unknown = JSON.parse('{"__proto__":{"generation":1,"sealed":"AAAA"}}')
    const store = { ...memoryTokenStore(), get: async () => record as never }
    const events: string[] = []
    const auth = tokenAuth(origin, { store, onEvent: ({ type }) => events.push(type) })
    expect(await auth.getToken()).toBe(jwt)
    expect(events).toContain('store.failed')
  })
})

test('the emulator takes such names in bodies, headers, keys and queries for what they are', async () => {
  const emulator = createEmulator()
  for (const name of inherited) {
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-svc-route-token': 'login',
    }
    const responses = await Promise.all([
      emulator.fetch('http://localhost/user/login', {
        method: 'POST',
        headers,
        body: `{"${name}":{"Username":"a"}}`,
      }),
      emulator.fetch(`http://localhost/user/${name}`, { headers: [[name, name]] }),
      emulator.fetch(`http://localhost/V1/${name}?${name}=1`, { headers: { authorization: name } }),
    ])
    expect(responses.map(({ status }) => status)).toEqual([
      400,
      401,
      expect.toSatisfy((status: number) => status >= 400 && status < 500),
    ])
  }
})
