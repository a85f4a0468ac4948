import { inspect } from 'node:util'
import { authFetch, createSessionAuth, type TokenAuth } from '@svc/auth-token'
import { dpop, type DpopOptions } from '@svc/auth-token/dpop'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import { sharedTokenStore } from '@svc/auth-token/sharing'
import { calculateJwkThumbprint } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { authorizationServer, reports } from '../oauth2/support/authorization-server.ts'
import { durableStore } from '../oauth2/support/signed-in.ts'
import { turnedTime } from '../support/time.ts'
import { createHolder } from '../testing.ts'
import { readProof, resourceServer } from './support/resource-server.ts'
import { boundService, withNonces } from './support/sessions.ts'

const thisProcess = { createSessionAuth, dpop, refreshToken, sharedTokenStore }

/** Loads the package anew, as another process does. */
async function otherProcess(): Promise<typeof thisProcess> {
  vi.resetModules()
  const doors = await Promise.all([
    import('@svc/auth-token'),
    import('@svc/auth-token/dpop'),
    import('@svc/auth-token/oauth2'),
    import('@svc/auth-token/sharing'),
  ])
  return Object.assign({}, ...doors) as typeof thisProcess
}

const generatePair = (): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])

/** A user who has signed in at a server that binds each token, also that for a refresh, since the client is public. */
async function boundUser(boundTo?: CryptoKeyPair) {
  const server = await authorizationServer({ binds: true, features: withNonces })
  const resource = await resourceServer(server.find, { nonces: 'one' })
  const time = turnedTime()
  const { store, memory, keys } = durableStore(() => time.now)
  const jwk = boundTo && (await crypto.subtle.exportKey('jwk', boundTo.publicKey))
  const bound = jwk && { jkt: await calculateJwkThumbprint(jwk) }
  const first = await server.signIn(reports, bound)
  const session = (process = thisProcess, proofs: DpopOptions = {}, own: object = {}): TokenAuth =>
    process.createSessionAuth({
      baseUrl: resource.origin,
      ...process.refreshToken({
        issuer: server.issuer,
        clientId: 'app',
        refreshToken: first,
        resource: reports,
        dpop: process.dpop(proofs),
        ...own,
      }),
      store: process.sharedTokenStore(store),
      session: 'own',
      clock: time.clock,
      random: () => 0,
    })
  const get = async (auth: TokenAuth): Promise<number> =>
    (await authFetch(auth)(`${resource.origin}/a`)).status
  const records = async () => Promise.all([...keys].map((key) => memory.get(key)))
  const expire = (): void => void (time.now += 600_000)
  return { ...server, resource, session, get, records, expire, first }
}

const keysOf = (proofs: readonly string[]): (string | undefined)[] => [
  ...new Set(proofs.map((proof) => readProof(proof).header.jwk['x'])),
]

describe('processes that share a store', () => {
  test('prove the key of one login', async () => {
    const { server, resource, session } = await boundService()
    const memory = memoryTokenStore()
    const [one, other] = [await otherProcess(), await otherProcess()].map((process) =>
      session({ store: process.sharedTokenStore(memory), dpop: process.dpop() }),
    )
    expect((await authFetch(one as TokenAuth)(resource.origin)).status).toBe(200)
    expect((await authFetch(other as TokenAuth)(resource.origin)).status).toBe(200)
    expect(resource.problems()).toEqual([null, null])
    expect(server.tokenRequests).toHaveLength(1)
  })

  test('refresh with the key that the refresh token is bound to', async () => {
    const user = await boundUser()
    expect(await user.get(user.session(await otherProcess()))).toBe(200)
    user.expire()
    expect(await user.get(user.session(await otherProcess()))).toBe(200)
    user.expire()
    expect(await user.get(user.session(await otherProcess()))).toBe(200)
    expect(user.resource.problems().filter((problem) => problem === null)).toHaveLength(3)
    const proofs = user.tokenRequests.map(({ proof }) => proof)
    expect(keysOf(proofs)).toHaveLength(1)
    expect(user.revoked()).toBe(0)
    // Each refresh is sent twice, by a process that knows no nonce yet.
    expect(user.tokenRequests).toHaveLength(6)
  })

  test('know the nonce of a login at the next one', async () => {
    const user = await boundUser()
    const auth = user.session()
    expect(await user.get(auth)).toBe(200)
    user.expire()
    expect(await user.get(auth)).toBe(200)
    expect(user.tokenRequests).toHaveLength(3)
  })

  test('send no key where DPoP was left out again', async () => {
    const user = await boundUser()
    await user.session().getToken()
    user.expire()
    await user
      .session(await otherProcess(), {}, { dpop: undefined })
      .getToken()
      .catch(() => {})
    const sent = user.tokenRequests.map(({ form }) => form.get('refresh_token') ?? '')
    expect(new Set(sent).size).toBe(2)
    for (const text of sent) expect(text).toMatch(/^[\w-]+$/)
  })

  test('keep the key sealed', async () => {
    const user = await boundUser()
    await user.session().getToken()
    const text = JSON.stringify(await user.records())
    expect(text).toMatch(/"sealed":"[\w-]+"/)
    const { x = '' } = readProof(user.tokenRequests[0]?.proof).header.jwk
    const inBase64 = Buffer.from(`"x":"${x}"`).toString('base64url').slice(4, -4)
    for (const part of [x, 'P-256', inBase64]) expect(text).not.toContain(part)
  })

  test('have the public part alone of a key that the program keeps', async () => {
    const keyPair = await generatePair()
    const user = await boundUser(keyPair)
    expect(await user.get(user.session(thisProcess, { keyPair }))).toBe(200)
    user.expire()
    expect(await user.get(user.session(await otherProcess(), { keyPair }))).toBe(200)
    expect(await user.get(user.session(await otherProcess(), { keyPair }))).toBe(200)
    const { length } = user.resource.served
    // Without the pair, the token of the store is of no use, and is not sent.
    await expect(user.get(user.session(await otherProcess()))).rejects.toMatchObject({
      code: 'ERR_AUTH_CREDENTIALS',
      message: expect.stringContaining('keyPair of the sign-in'),
    })
    expect(user.resource.served).toHaveLength(length)
  })

  test('take no token of sessions that send theirs as Bearer', async () => {
    const user = await boundUser()
    const free = await authorizationServer()
    const first = await free.signIn()
    const own = { issuer: free.issuer, refreshToken: first }
    const bearer = user.session(thisProcess, {}, { ...own, dpop: undefined })
    const bound = user.session(await otherProcess(), {}, own)
    const tokens = [await bearer.getToken(), await bound.getToken()]
    expect(new Set(tokens).size).toBe(2)
    expect((await free.find(tokens[0] ?? ''))?.jkt).toBeUndefined()
    expect((await free.find(tokens[1] ?? ''))?.jkt).toMatch(/^[\w-]{43}$/)
  })
})

test.each([false, true])(
  'a key can be read only if a store has to have it: %s',
  async (isShared) => {
    const { privateKey, text } = await (await createHolder(isShared)).read()
    expect(privateKey.extractable).toBe(false)
    expect(Object.keys(JSON.parse(text)).includes('d')).toBe(isShared)
  },
)

test('a session without a store keeps its key', async () => {
  const { server, session } = await boundService()
  const auth = session()
  await auth.getToken()
  await auth.invalidate()
  await auth.getToken()
  expect(keysOf(server.tokenRequests.map(({ proof }) => proof))).toHaveLength(1)
  await session().getToken()
  expect(keysOf(server.tokenRequests.map(({ proof }) => proof))).toHaveLength(2)
})

test('a refresh token that the server repeats stands in no message', async () => {
  const user = await boundUser()
  const auth = user.session()
  await auth.getToken()
  user.expire()
  let sent = ''
  user.world.intercept = async ({ form, response }) => {
    sent = form.get('refresh_token') ?? ''
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: 'invalid_grant', error_description: `not ${sent}` }))
  }
  const error: unknown = await auth.getToken().catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', status: 400 })
  expect(sent).toMatch(/^[\w-]{20,}$/)
  expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(sent)
})
