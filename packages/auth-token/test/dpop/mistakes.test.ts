import { inspect } from 'node:util'
import { authFetch, createSessionAuth } from '@svc/auth-token'
import { dpop, type DpopOptions } from '@svc/auth-token/dpop'
import { authMcp } from '@svc/auth-token/mcp'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { clientCredentials, refreshToken } from '@svc/auth-token/oauth2'
import { sharedTokenStore } from '@svc/auth-token/sharing'
import { type StepUp, stepUp } from '@svc/auth-token/step-up'
import { describe, expect, test } from 'vitest'
import { serve } from '../../../auth-hooks/test/support/server.ts'
import { durableStore } from '../oauth2/support/signed-in.ts'
import { manualTime, turnedTime } from '../support/time.ts'
import { failureOf } from '../support/failure.ts'
import { readProof } from './support/resource-server.ts'

interface TokenResponse {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly [name: string]: unknown
}

/** An authorization server that responds as a test says, and a service that takes everything. */
async function lenientService(
  respond: (sent: string, count: number, proof: unknown) => TokenResponse | undefined = () => ({}),
) {
  const sent: string[] = []
  const tokens = await serve(({ body, headers: { dpop: proof } }, response) => {
    const spent = new URLSearchParams(String(body)).get('refresh_token') ?? ''
    const count = sent.push(spent)
    const { status = 200, headers = {}, ...rest } = respond(spent, count, proof) ?? {}
    const token = { access_token: `token-${count}`, token_type: 'DPoP', expires_in: 600 }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(status === 200 ? { ...token, ...rest } : rest))
  })
  const service = await serve((_, response) => response.end('ok'))
  const client = {
    issuer: tokens.origin,
    tokenEndpoint: `${tokens.origin}/token`,
    clientId: 'app',
  }
  const own = (proofs?: DpopOptions) =>
    clientCredentials({ ...client, clientSecret: 'a secret', dpop: dpop(proofs) })
  const user = (proofs?: DpopOptions) =>
    refreshToken({ ...client, refreshToken: 'first', dpop: dpop(proofs) })
  return { sent, service, baseUrl: service.origin, client, own, user }
}

const generatePair = (namedCurve = 'P-256'): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey({ name: 'ECDSA', namedCurve }, false, ['sign', 'verify'])

describe('a login around that of the package', () => {
  test.each([false, true])(
    'without its rules sends nothing, with a store: %s',
    async (isStored) => {
      const { sent, service, baseUrl, own } = await lenientService()
      const { credentials, keyOf, login } = own()
      const store = isStored ? memoryTokenStore() : undefined
      const given = { baseUrl, keyOf, store, session: 'own' } as const
      const wrapped = [
        createSessionAuth({
          ...given,
          credentials: async () => credentials,
          login: (context) => login(context),
        }),
        createSessionAuth({
          ...given,
          credentials: async () => credentials,
          login: ({ fetch, signal }) => login({ credentials, fetch, signal }),
        }),
      ]
      for (const auth of wrapped) {
        const error = await failureOf(authFetch(auth)(baseUrl))
        expect(error.code).toBe('ERR_AUTH_LOGIN_FAILED')
        expect(error.message).toContain('its login was wrapped')
      }
      expect([sent, service.arrived]).toEqual([[], []])
    },
  )

  test('with its rules sends proofs', async () => {
    const { service, baseUrl, own } = await lenientService()
    const login = own()
    const auth = createSessionAuth({
      baseUrl,
      ...login,
      credentials: async () => login.credentials,
      login: (context) => login.login(context),
    })
    await authFetch(auth)(baseUrl)
    expect(service.arrived[0]?.headers['authorization']).toBe('DPoP token-1')
  })
})

test('the provider for the SDK of MCP gives no token that is bound', async () => {
  const { sent, baseUrl, own } = await lenientService()
  const { authProvider } = authMcp({ url: `${baseUrl}/mcp`, signIn: own() })
  const acts = [() => authProvider.tokens(), () => authProvider.redirectToAuthorization()]
  for (const act of acts) {
    const error = await failureOf(act())
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_FAILED' })
    expect(error.message).toContain('give its transport the fetch of authMcp')
  }
  expect(sent).toEqual([])
})

describe('a refresh token', () => {
  test('is kept where the token that came with it is not bound', async () => {
    const { sent, service, baseUrl, user } = await lenientService((_, count) => ({
      token_type: 'Bearer',
      refresh_token: `next-${count}`,
    }))
    const { store } = durableStore()
    const session = (proofs: DpopOptions = {}) =>
      createSessionAuth({
        baseUrl,
        ...user(proofs),
        store: sharedTokenStore(store),
        session: 'own',
      })
    for (const _ of [1, 2]) {
      const error = await failureOf(authFetch(session())(baseUrl))
      expect(error.code).toBe('ERR_AUTH_LOGIN_FAILED')
      expect(error.message).toContain('allowBearer')
    }
    expect([sent, service.arrived]).toEqual([['first'], []])
    expect((await authFetch(session({ allowBearer: true }))(baseUrl)).status).toBe(200)
    expect(sent).toEqual(['first', 'next-1'])
    expect(service.arrived[0]?.headers['authorization']).toBe('Bearer token-2')
  })

  test.each([500, 503, 200, 403])('is sent once for a nonce with status %s', async (status) => {
    const { sent, baseUrl, user } = await lenientService(() => ({
      status,
      error: 'use_dpop_nonce',
      access_token: undefined,
      headers: { 'dpop-nonce': 'n' },
    }))
    const { store } = durableStore()
    const auth = createSessionAuth({ baseUrl, ...user(), store: sharedTokenStore(store) })
    await failureOf(auth.getToken())
    expect(sent).toEqual(['first'])
  })

  test.each([true, false])(
    'with a line break is refused, and not shown: dpop %s',
    async (binds) => {
      const secret = 'next-refresh-token\nrest'
      const type = binds ? 'DPoP' : 'Bearer'
      const { baseUrl, client } = await lenientService(() => ({
        refresh_token: secret,
        token_type: type,
      }))
      const login = refreshToken({
        ...client,
        refreshToken: 'first',
        rotation: 'none',
        dpop: binds ? dpop() : undefined,
      })
      const error = await failureOf(createSessionAuth({ baseUrl, ...login }).getToken())
      expect(error.code).toBe('ERR_AUTH_LOGIN_FAILED')
      expect(error.message).toContain('refresh_token has a line break')
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('next-refresh-token')
    },
  )

  test('stands in no message where two sessions are of one login', async () => {
    let begin: (() => void) | undefined
    const begun = new Promise<void>((resolve) => (begin = resolve))
    let release: (() => void) | undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    let turn = 0
    const { baseUrl, client } = await lenientService((spent) => {
      if (turn === 0) return { refresh_token: `secret-of-${(count += 1)}` }
      return spent.endsWith('1')
        ? { status: 400, error: 'invalid_grant', error_description: `not ${spent}` }
        : { refresh_token: 'another' }
    })
    let count = 0
    const time = turnedTime()
    const login = refreshToken({ ...client, refreshToken: 'first', rotation: 'none', dpop: dpop() })
    const session = (hold: boolean) =>
      createSessionAuth({
        baseUrl,
        ...login,
        session: 'own',
        clock: time.clock,
        store: memoryTokenStore(time.clock),
        // Held back after the other session has noted its own.
        fetch: async (input, init) => {
          if (turn === 1 && hold) {
            begin?.()
            await held
          }
          return fetch(input, init)
        },
      })
    const [first, second] = [session(true), session(false)]
    await first.getToken()
    await second.getToken()
    time.now += 600_000
    turn = 1
    const failing = failureOf(first.getToken())
    await begun
    expect(await second.getToken()).toMatch(/^token/)
    release?.()
    const error = await failing
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', status: 400 })
    expect(`${error.serverMessage} ${inspect(error)}`).not.toContain('secret-of')
  })
})

describe('a key of the program', () => {
  test('is not replaced by one that a server puts before a refresh token', async () => {
    const pair = await generatePair()
    const { baseUrl, user, sent } = await lenientService(() => ({ refresh_token: '{"kty":1}\nx' }))
    const login = user({ keyPair: pair })
    const { store } = durableStore()
    const auth = createSessionAuth({ baseUrl, ...login, store: sharedTokenStore(store) })
    await failureOf(auth.getToken())
    expect(sent).toEqual(['first'])
  })

  test('makes another session than another key', async () => {
    const { service, baseUrl, own, user } = await lenientService()
    for (const make of [own, user]) {
      const pairs = [await generatePair(), await generatePair()]
      const { store } = durableStore()
      for (const keyPair of [...pairs, ...pairs].slice(0, make === own ? 4 : 1)) {
        const given = make === own ? {} : { store: sharedTokenStore(store) }
        const auth = createSessionAuth({ baseUrl, ...make({ keyPair }), ...given })
        await authFetch(auth)(baseUrl)
        const { x } = await crypto.subtle.exportKey('jwk', keyPair.publicKey)
        const { headers } = service.arrived.at(-1) ?? {}
        expect(readProof(headers?.['dpop']).header.jwk['x']).toBe(x)
      }
    }
    const tokens = service.arrived.map(({ headers }) => headers['authorization'])
    expect(new Set(tokens).size).toBe(3)
  })

  test('has two halves of one key, or is an error before anything is sent', async () => {
    const { sent, baseUrl, own } = await lenientService()
    const [{ privateKey }, { publicKey }] = [await generatePair(), await generatePair()]
    const keyPair = { privateKey, publicKey }
    const auth = createSessionAuth({ baseUrl, ...own({ keyPair }) })
    for (const _ of [1, 2]) {
      const error = await failureOf(auth.getToken())
      expect(error.code).toBe('ERR_AUTH_CREDENTIALS')
      expect(error.message).toContain('dpop: keyPair is of two keys')
    }
    expect(sent).toEqual([])
  })

  test('has a public part of the same kind, which verifies and can be read', async () => {
    const { privateKey, publicKey } = await generatePair()
    const raw = await crypto.subtle.exportKey('raw', publicKey)
    const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' }
    const publicKeys = [
      (await generatePair('P-384')).publicKey,
      await crypto.subtle.importKey('raw', raw, ecdsa, true, []),
      await crypto.subtle.importKey('raw', raw, ecdsa, false, ['verify']),
      privateKey,
      undefined,
    ]
    for (const wrong of publicKeys) {
      const keyPair = { privateKey, publicKey: wrong as CryptoKey }
      expect(() => dpop({ keyPair })).toThrow('keyPair must be')
    }
    expect(() => dpop({ keyPair: { privateKey: publicKey, publicKey } })).toThrow('keyPair must be')
  })
})

test('a demand for a further scope lets the others go on, and tells the nonce', async () => {
  const { baseUrl, client, sent } = await lenientService()
  const nonces: unknown[] = []
  const server = await serve(({ headers }, response) => {
    nonces.push(readProof(headers['dpop']).payload.nonce)
    const challenge = 'DPoP error="insufficient_scope", scope="write"'
    if (headers.authorization !== 'DPoP token-1') response.end()
    else response.writeHead(403, { 'www-authenticate': challenge, 'dpop-nonce': 'n' }).end()
  })
  // Its timers never fire.
  const { clock } = manualTime(Date.now())
  const dpopOption = dpop({ keyPair: await generatePair() })
  const session = (wanted: StepUp) => {
    const login = { ...client, ...wanted, clientSecret: 'a secret', dpop: dpopOption }
    return createSessionAuth({ baseUrl: server.origin, ...clientCredentials(login), clock })
  }
  const auth = stepUp({ scope: 'read', session })
  await auth.getToken()
  const send = authFetch(auth, { baseUrl: server.origin })
  const calls = await Promise.all(['/a', '/b', '/c'].map((path) => send(path)))
  expect(calls.map(({ status }) => status)).toEqual([200, 200, 200])
  expect([server.arrived.length, sent.length]).toEqual([6, 2])
  expect(nonces.slice(-3)).toEqual(['n', 'n', 'n'])
  expect(baseUrl).not.toBe(server.origin)
})

describe('a clock', () => {
  test('is read after the response', async () => {
    let now = 1_800_000_000_000
    const { baseUrl, own, sent } = await lenientService((_, count, proof) => {
      const ahead = readProof(proof).payload.iat * 1000 - now
      if (count > 1 && Math.abs(ahead) < 1000) return {}
      now += 7000
      const headers = { date: new Date(now).toUTCString(), 'dpop-nonce': 'n' }
      return { status: 400, error: 'use_dpop_nonce', headers }
    })
    await createSessionAuth({ baseUrl, ...own(), clock: () => now }).getToken()
    expect(sent).toHaveLength(2)
  })

  test.each([-3_600_000, -3000, 3000])(
    'that is off by %s ms at a server costs no second request beside that for a nonce',
    async (skewMs) => {
      const { baseUrl, own } = await lenientService()
      const server = await serve(({ headers }, response) => {
        const now = Date.now() + skewMs
        const { iat, nonce } = readProof(headers['dpop']).payload
        response.setHeader('date', new Date(now).toUTCString())
        const isRight = nonce === 'n' && iat <= now / 1000 && iat > now / 1000 - 4
        const refusal = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n' }
        response.writeHead(isRight ? 200 : 401, isRight ? {} : refusal).end()
      })
      const auth = createSessionAuth({ baseUrl: server.origin, ...own() })
      expect((await authFetch(auth)(server.origin)).status).toBe(200)
      expect(server.arrived).toHaveLength(2)
      expect(baseUrl).not.toBe(server.origin)
    },
  )
})
