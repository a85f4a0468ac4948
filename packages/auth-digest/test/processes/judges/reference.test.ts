import { authFetch, createDigestAuth } from '@svc/auth-digest'
import { nobleHashes } from '@svc/auth-digest/noble'
import { describe, expect, test } from 'vitest'
import { hasReferenceServer, reader, startReference } from '../../support/reference-server.ts'

const hashes = nobleHashes()

describe.skipIf(!hasReferenceServer())('a server on hashlib', () => {
  test.each([
    { algorithm: 'SHA-256', qop: 'auth' },
    { algorithm: 'SHA-256-sess', qop: 'auth' },
    { algorithm: 'SHA-256', qop: 'auth-int' },
    { algorithm: 'SHA-256', qop: 'auth', userhash: true },
    { algorithm: 'SHA-512-256', qop: 'auth' },
    { algorithm: 'SHA-512-256-sess', qop: 'auth-int' },
    { algorithm: 'SHA-512-256', qop: 'auth,auth-int', userhash: true },
    { algorithm: 'MD5', qop: 'auth' },
    { algorithm: 'md5-SESS', qop: 'auth' },
    { algorithm: 'MD5' },
    { qop: 'auth' },
    {},
  ])('accepts the answers to %j, with and without a body', async (challenge) => {
    const { origin, served } = await startReference({ challenges: [challenge] })
    const auth = createDigestAuth({ baseUrl: origin, credentials: reader, hashes, allowMd5: true })
    const send = authFetch(auth, { baseUrl: origin })

    const statuses = [
      await send('/a path/%22?b=c&d=%C3%A9'),
      await send('/', { method: 'POST', body: 'text: ä' }),
      await send('/', { method: 'PUT', body: new Uint8Array(70_000) }),
      await send('/', { method: 'POST', body: new URLSearchParams({ a: 'b' }) }),
      await send('/', { method: 'DELETE' }),
    ].map(({ status }) => status)

    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect((await served()).map(({ problem }) => problem)).toEqual([
      'none',
      null,
      null,
      null,
      null,
      null,
    ])
  })

  test('is asked for one challenge by 200 callers, and counts each of them once', async () => {
    const { origin, served } = await startReference({
      challenges: [{ algorithm: 'SHA-256', qop: 'auth' }],
    })
    const auth = createDigestAuth({ baseUrl: origin, credentials: reader })
    const send = authFetch(auth, { baseUrl: origin })

    const responses = await Promise.all(Array.from({ length: 200 }, () => send('/')))

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await served()).filter(({ problem }) => problem !== null)).toHaveLength(1)
    const counts = (await served()).flatMap(
      ({ header }) => /nc=(\w+)/.exec(header ?? '')?.[1] ?? [],
    )
    expect(new Set(counts).size).toBe(200)
  })

  test.each([1, 3])('takes the next nonce of each response, of %i uses each', async (uses) => {
    const { origin, served } = await startReference({
      challenges: [{ algorithm: 'SHA-256', qop: 'auth' }],
      next: true,
      uses,
    })
    const auth = createDigestAuth({ baseUrl: origin, credentials: reader })
    const send = authFetch(auth, { baseUrl: origin })

    for (let call = 1; call <= 5; call += 1) expect((await send('/')).status).toBe(200)
    expect((await served()).filter(({ status }) => status === 401)).toHaveLength(1)

    const responses = await Promise.all(Array.from({ length: 200 }, () => send('/')))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set((await served()).map(({ problem }) => problem))).toEqual(
      new Set(['none', null, 'stale']),
    )
  })

  test('is answered once more if it calls a nonce stale', async () => {
    const { origin, served } = await startReference({
      challenges: [{ algorithm: 'SHA-256-sess', qop: 'auth' }],
      uses: 2,
    })
    const auth = createDigestAuth({ baseUrl: origin, credentials: reader })
    const send = authFetch(auth, { baseUrl: origin })
    for (let call = 1; call <= 3; call += 1) expect((await send('/')).status).toBe(200)
    expect((await served()).map(({ problem }) => problem)).toEqual([
      'none',
      null,
      null,
      'stale',
      null,
    ])
  })

  test('knows a name of other letters, and a realm with quotes and backslashes', async () => {
    const credentials = { username: 'Jäsøn "(Doe)\'*%', password: 'Secret, or not? ⚷' }
    const { origin } = await startReference({
      challenges: [{ algorithm: 'SHA-512-256', qop: 'auth' }],
      users: { [credentials.username]: credentials.password },
      realm: 'a "realm" \\ of, commas',
    })
    const auth = createDigestAuth({ baseUrl: origin, credentials, hashes })
    expect((await authFetch(auth)(origin)).status).toBe(200)
  })

  test('gets a wrong password once, whoever calls', async () => {
    const { origin, served } = await startReference({
      challenges: [{ algorithm: 'SHA-256', qop: 'auth' }],
    })
    const credentials = { ...reader, password: 'wrong' }
    const auth = createDigestAuth({ baseUrl: origin, credentials })
    const send = authFetch(auth, { baseUrl: origin })
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => send('/')))
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { code: 'ERR_AUTH_LOGIN_REFUSED', status: 401, retryAt: expect.any(Number) },
      })
    }
    expect((await served()).map(({ problem }) => problem)).toEqual(['none', 'response'])
  })

  test('is answered with the strongest hash of those that it offers', async () => {
    const { origin, served } = await startReference({
      challenges: ['MD5', 'SHA-256', 'SHA-512-256', 'SHA-256-sess'].map((algorithm) => ({
        algorithm,
        qop: 'auth',
      })),
    })
    for (const [given, algorithm] of [
      [{ hashes, allowMd5: true }, 'SHA-512-256'],
      [{}, 'SHA-256'],
    ] as const) {
      const auth = createDigestAuth({ baseUrl: origin, credentials: reader, ...given })
      expect((await authFetch(auth)(origin)).status).toBe(200)
      expect((await served()).at(-1)?.header).toContain(`algorithm=${algorithm},`)
    }
  })
})
