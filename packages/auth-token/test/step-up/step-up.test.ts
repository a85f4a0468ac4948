import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { AuthError, authFetch } from '@svc/auth-token'
import { stepUpOf } from '@svc/auth-token/step-up'
import { describe, expect, onTestFinished, test } from 'vitest'
import { adapters, causes } from '../../../auth-hooks/test/support/adapters.ts'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { until } from '../support/service.ts'
import { byScope, demandingServer, failure, insufficient } from './support/demanding-server.ts'

test('a request that lacks a scope is sent again with a token for all scopes so far', async () => {
  const { seen, scopes, statusOf } = await demandingServer()
  expect(await statusOf('/read')).toBe(200)
  expect(await statusOf('/write')).toBe(200)
  expect(await statusOf('/read')).toBe(200)
  expect(await statusOf('/admin')).toBe(200)
  expect(await statusOf('/write')).toBe(200)
  expect(scopes()).toEqual(['read', 'read write', 'read admin write'])
  expect(seen.map(({ path, status }) => `${path} ${status}`)).toEqual([
    '/read 200',
    '/write 403',
    '/write 200',
    '/read 200',
    '/admin 403',
    '/admin 200',
    '/write 200',
  ])
})

/** All that see a response. */
const senders = adapters.filter(([name]) => name !== 'authorizeRequest')

test.each(senders)('a request of %s gets the scope that it lacks', async (_name, connect) => {
  const { url, create, scopes, seen } = await demandingServer()
  const send = connect(create())
  const body = 'a body'
  expect(await send(`${url.origin}/write`, { method: 'PUT', body })).toBe(200)
  expect(seen.map(({ status }) => status)).toEqual([403, 200])
  expect(scopes()).toEqual(['read', 'read write'])
})

/** Those that follow redirects. */
const following = senders.filter(([name]) => /^auth(?:Fetch$|Ky|Axios|Got)/.test(name))

/** Those that send a stream as it is: others read it first, or do not take it. */
const streaming = senders.filter(([name]) => !/Request|Ky|OpenApi|light/i.test(name))

test.each(senders)(
  '%s tells of a server that refuses what it asked for',
  async (_name, connect) => {
    const { url, create, scopes, world } = await demandingServer()
    world.rule = () => insufficient('write')
    const error = await failure(connect(create())(`${url.origin}/write`))
    expect(causes(error)).toContainEqual(expect.objectContaining({ code: 'ERR_AUTH_CHALLENGE' }))
    expect(scopes()).toEqual(['read', 'read write'])
  },
)

test.each(streaming)('%s tells of a stream that cannot be sent again', async (_name, connect) => {
  const { url, create, scopes } = await demandingServer()
  const send = connect(create())
  const body = () => Readable.from([Buffer.from('a body')])
  const init = { method: 'PUT', headers: { 'content-type': 'text/plain' } } as const
  const error = await failure(send(`${url.origin}/write`, { ...init, body: body() }))
  expect(causes(error)).toContainEqual(expect.objectContaining({ code: 'ERR_AUTH_BODY' }))
  expect(scopes()).toEqual(['read', 'read write'])
  expect(await send(`${url.origin}/write`, { ...init, body: body() })).toBe(200)
  expect(scopes()).toHaveLength(2)
})

test('200 callers that lack one scope cost one login', async () => {
  const { scopes, seen, statusOf, world } = await demandingServer()
  await statusOf('/read')
  const refusals = (): number => seen.filter(({ status }) => status === 403).length
  world.grant = () => until(() => refusals() === 200)
  const statuses = await Promise.all(Array.from({ length: 200 }, () => statusOf('/write')))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(scopes()).toEqual(['read', 'read write'])
})

test('callers that lack different scopes cost two logins, the second one for all of them', async () => {
  const { scopes, seen, statusOf, world } = await demandingServer()
  await statusOf('/read')
  const refusals = (): number => seen.filter(({ status }) => status === 403).length
  // All of them have come before the first login is over.
  world.grant = () => until(() => refusals() === 200)
  const paths = Array.from({ length: 200 }, (_, index) => `/scope${index % 20}`)
  const statuses = await Promise.all(paths.map((path) => statusOf(path)))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(refusals()).toBe(200)
  expect(scopes()).toHaveLength(3)
  expect(scopes().at(-1)?.split(' ')).toHaveLength(21)
})

test('schemes that are made apart share the logins of one process', async () => {
  const { url, create, scopes } = await demandingServer()
  for (const scheme of [create(), create()]) {
    expect((await authFetch(scheme)(`${url.origin}/write`)).status).toBe(200)
  }
  expect(scopes()).toEqual(['read', 'read write'])
})

describe('what is no step-up is the response:', () => {
  test.each([
    ['a 403 without a challenge', 403, undefined],
    ['a challenge of another scheme', 403, 'Basic error="insufficient_scope", scope="write"'],
    ['one that names no scope', 403, 'Bearer error="insufficient_scope"'],
    ['another error', 403, 'Bearer error="invalid_request", scope="write"'],
    ['a hint without an error', 403, 'Bearer scope="write"'],
    ['another status', 400, 'Bearer error="insufficient_scope", scope="write"'],
  ])('%s', async (_name, status, challenge) => {
    const { world, scopes, statusOf } = await demandingServer()
    world.rule = () => ({ status, ...(challenge !== undefined && { challenge }) })
    expect(await statusOf('/write')).toBe(status)
    expect(scopes()).toEqual(['read'])
  })
})

test('a token that is invalid is replaced by one for the same scopes', async () => {
  const { world, scopes, statusOf } = await demandingServer()
  await statusOf('/write')
  world.revoked.add('token-2')
  expect(await statusOf('/write')).toBe(200)
  expect(scopes()).toEqual(['read', 'read write', 'read write'])
})

test('a renewed token has all scopes that were asked for', async () => {
  const { time, scopes, statusOf } = await demandingServer()
  await statusOf('/write')
  time.now += 3_600_000
  expect(await statusOf('/write')).toBe(200)
  expect(scopes()).toEqual(['read', 'read write', 'read write'])
})

test('a server that refuses what it asked for gets one step-up, and its callers an error', async () => {
  const { world, scopes, seen, send, statusOf } = await demandingServer()
  world.rule = (path) => (path === '/write' ? insufficient('write') : undefined)
  for (let call = 0; call < 3; call += 1) {
    const error = await failure(send('/write'))
    expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE', status: 403 })
    expect(error.message).toMatch(
      /GET http:.*\/write needs scope 'write', but .*asked for with that/,
    )
  }
  // Only the first call had a token without it.
  expect(seen).toHaveLength(4)
  expect(scopes()).toEqual(['read', 'read write'])
  expect(await statusOf('/read')).toBe(200)
})

test('a request gets one step-up, and the next call a second one', async () => {
  const { world, scopes, send, statusOf } = await demandingServer()
  world.rule = (_path, { scope = '' }) => {
    const missing = ['one', 'two'].find((name) => !scope.includes(name))
    return missing === undefined ? undefined : insufficient(missing)
  }
  const error = await failure(send('/'))
  expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE' })
  expect(error.message).toContain("needs scope 'two' after one step-up: call again")
  expect(await statusOf('/')).toBe(200)
  expect(scopes()).toEqual(['read', 'read one', 'read one two'])
})

test.each([
  ['20 logins', 20, () => {}],
  ['5 of a user who denies them', 5, () => Promise.reject(new Error('denied'))],
])('a server that asks for ever more gets %s in ten minutes', async (_name, most, grant) => {
  const { world, scopes, send, statusOf, time } = await demandingServer()
  await statusOf('/')
  let asked = 0
  world.rule = () => insufficient(`scope${(asked += 1)}`)
  world.grant = grant
  for (let call = 0; call < 30; call += 1) await failure(send('/'))
  expect(scopes()).toHaveLength(1 + most)
  const error = await failure(send('/'))
  expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE', retryAt: time.now + 600_000 })
  time.now += 600_000
  await failure(send('/'))
  expect(scopes()).toHaveLength(2 + most)
})

test.each(following)('%s gets a step-up at each hop of a redirect', async (_name, connect) => {
  const { create, logins, seen, url, world } = await demandingServer()
  world.rule = (path, wanted) => {
    const next = ({ '/one': '/two', '/two': '/three' } as Record<string, string>)[path]
    return (
      byScope(path, wanted) ?? (next === undefined ? undefined : { status: 307, location: next })
    )
  }
  expect(await connect(create())(`${url.origin}/one`)).toBe(200)
  expect([logins.length, seen.length]).toEqual([4, 6])
})

test('a stream that cannot be sent again fails, and the next one has the token', async () => {
  const { scopes, send, statusOf } = await demandingServer()
  const stream = () => ({
    method: 'POST',
    body: new Blob(['a body']).stream(),
    duplex: 'half' as const,
  })
  const error = await failure(send('/write', stream()))
  expect(error).toMatchObject({ code: 'ERR_AUTH_BODY', status: 403 })
  expect(error.message).toMatch(
    /needs scope 'write', and its body cannot be sent again: call again/,
  )
  expect(scopes()).toEqual(['read', 'read write'])
  expect(await statusOf('/write', stream())).toBe(200)
})

describe('a login that fails', () => {
  test('is an error that says what was needed and how to get it, and the token at hand stays', async () => {
    const { world, logins, send, statusOf, time } = await demandingServer()
    await statusOf('/read')
    world.grant = () => {
      throw new AuthError('ERR_AUTH_LOGIN_REFUSED', '[@svc/auth-token] refused', { status: 400 })
    }
    const errors = await Promise.all(Array.from({ length: 20 }, () => failure(send('/write'))))
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', status: 400 })
      expect(error.message).toMatch(/GET http.*\/write needs scope 'write', and the login failed: /)
      expect(error.message).toContain("sign in with scope 'read write'")
      expect(stepUpOf(error)).toEqual({ scope: 'read write' })
    }
    expect(await statusOf('/read')).toBe(200)
    // The pause of the session holds.
    expect(await failure(send('/write'))).toMatchObject({ retryAt: expect.any(Number) })
    expect(logins).toHaveLength(2)
    world.grant = () => {}
    time.now += 60_000
    expect(await statusOf('/write')).toBe(200)
  })

  test('has a pause, also where each session is a new one', async () => {
    const { world, session, create, url, logins } = await demandingServer()
    const own = create({ session: (wanted) => session(wanted, { session: 'own' }) })
    const send = authFetch(own, { baseUrl: url })
    await send('/read')
    world.grant = () => Promise.reject(new Error('refused'))
    for (let call = 0; call < 5; call += 1) {
      expect(await failure(send('/write'))).toMatchObject({ retryAt: expect.any(Number) })
    }
    expect(logins).toHaveLength(2)
  })

  test('is not that of those who lack another scope', async () => {
    const { world, scopes, send, statusOf } = await demandingServer()
    await statusOf('/read')
    world.grant = ({ scope = '' }) => {
      if (scope.includes('admin')) throw new Error('refused')
    }
    const [admin, write] = await Promise.all([failure(send('/admin')), statusOf('/write')])
    expect(admin).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
    expect(write).toBe(200)
    expect(scopes()).toEqual(['read', 'read admin', 'read write'])
  })

  test('is one of a person, where the program has no login', async () => {
    const { session, url, create } = await demandingServer()
    const own = create({
      session: (wanted) => (wanted.scope === 'read' ? session(wanted) : undefined),
    })
    const error = await failure(authFetch(own)(`${url.origin}/write`))
    expect(error).toMatchObject({ code: 'ERR_AUTH_SIGN_IN_NEEDED' })
    expect(error.message).toMatch(
      /needs scope 'write', which no login here gives: sign in with scope 'read write'/,
    )
    expect(stepUpOf(error)).toEqual({ scope: 'read write' })
    expect(stepUpOf(new Error('another'))).toBeUndefined()
    expect(stepUpOf(undefined)).toBeUndefined()
  })
})

test('an abort ends the wait of one caller, and not of the others', async () => {
  const { scopes, send, statusOf } = await demandingServer()
  await statusOf('/read')
  const controller = new AbortController()
  const gone = failure(send('/write', { signal: controller.signal }))
  const others = [statusOf('/write'), statusOf('/write')]
  await until(() => scopes().length === 2)
  controller.abort(new Error('given up'))
  expect((await gone).message).toBe('given up')
  expect(await Promise.all(others)).toEqual([200, 200])
  expect(scopes()).toHaveLength(2)
})

test('nobody is asked for what was given up', { timeout: 5000 }, async () => {
  const { world, scopes, send, statusOf } = await demandingServer()
  await statusOf('/read')
  const controller = new AbortController()
  world.grant = ({ scope = '' }) => scope.includes('admin') && new Promise(() => {})
  const gone = failure(send('/admin', { signal: controller.signal }))
  await until(() => scopes().length === 2)
  controller.abort(new Error('given up'))
  expect((await gone).message).toBe('given up')
  expect(await statusOf('/write')).toBe(200)
  expect(scopes()).toEqual(['read', 'read admin', 'read write'])
})

test('what callers give up does not count as refused', async () => {
  const { world, scopes, send, statusOf } = await demandingServer()
  await statusOf('/read')
  world.grant = ({ scope = '' }) => scope.includes('slow') && new Promise(() => {})
  for (let turn = 0; turn < 8; turn += 1) {
    const controller = new AbortController()
    const gone = failure(send(`/slow${turn}`, { signal: controller.signal }))
    await until(() => scopes().length === 2 + turn)
    controller.abort(new Error('given up'))
    expect((await gone).message).toBe('given up')
  }
  expect(await statusOf('/write')).toBe(200)
})

test('a challenge of DPoP is one, too', async () => {
  const { world, scopes, statusOf } = await demandingServer()
  const challenge = 'DPoP algs="ES256", error="insufficient_scope", scope="write"'
  world.rule = (path, wanted) => byScope(path, wanted) && { status: 403, challenge }
  expect(await statusOf('/write')).toBe(200)
  expect(scopes()).toEqual(['read', 'read write'])
})

test('nobody is asked for what was given up while others logged in', async () => {
  const { world, scopes, send, statusOf } = await demandingServer()
  await statusOf('/read')
  let release = (): void => {}
  world.grant = ({ scope = '' }) =>
    scope.endsWith('first') && new Promise<void>((resolve) => (release = resolve))
  const first = statusOf('/first')
  await until(() => scopes().length === 2)
  const controller = new AbortController()
  const gone = failure(send('/admin', { signal: controller.signal }))
  const write = statusOf('/write')
  await new Promise((resolve) => setTimeout(resolve, 50))
  controller.abort(new Error('given up'))
  expect((await gone).message).toBe('given up')
  release()
  expect(await Promise.all([first, write])).toEqual([200, 200])
  expect(scopes()).toEqual(['read', 'read first', 'read first write'])
})

test('a challenge of another origin is not answered', async () => {
  const { scopes, send, world } = await demandingServer()
  const elsewhere = await listenOnLoopback(
    createServer((_request, response) => {
      const challenge = 'Bearer error="insufficient_scope", scope="write"'
      response.writeHead(403, { 'www-authenticate': challenge }).end()
    }),
  )
  onTestFinished(elsewhere.close)
  const { url } = elsewhere
  world.rule = byScope
  const other = `http://localhost:${url.port}/`
  const response = await send(other).catch((error: unknown) => error)
  expect(response).toMatchObject({ code: 'ERR_AUTH_ORIGIN' })
  expect(scopes()).toEqual([])
})

test('invalidate() goes back to the first scopes', async () => {
  const { auth, scopes, statusOf } = await demandingServer()
  await statusOf('/write')
  await auth.invalidate()
  expect(await statusOf('/read')).toBe(200)
  expect(scopes()).toEqual(['read', 'read write', 'read'])
})

test('getToken and inspect are those of the session that is used', async () => {
  const { auth, statusOf } = await demandingServer()
  expect(auth.inspect().state).toBe('empty')
  await statusOf('/write')
  expect(await auth.getToken()).toBe('token-2')
  expect(auth.inspect().state).toBe('valid')
  expect(auth).toMatchObject({ name: 'session', sensitiveHeaders: ['authorization'] })
})

test('a session that is none is a TypeError', async () => {
  const { url, create, session } = await demandingServer()
  const none = (wanted: object): never => ({ token: wanted }) as never
  const own = create({ session: (wanted) => (wanted.scope === 'read' ? session : none)(wanted) })
  const error = await failure(authFetch(own)(`${url.origin}/write`))
  expect(error).toBeInstanceOf(TypeError)
  expect(error.message).toContain('session must return what createSessionAuth')
})

test.each([
  [{ session: 'none' }, 'session must be a function'],
  [{ session: () => undefined }, 'session must return what createSessionAuth'],
  [{ scope: '' }, 'scope must be names, separated by blanks'],
  [{ scope: undefined }, 'scope must be names, separated by blanks'],
  [{ scope: ['read'] }, 'scope must be names, separated by blanks'],
  [{ scope: 'a"b' }, 'scope must be names, separated by blanks'],
  [{ clock: 1 }, 'clock must be a function'],
  [{ scopes: 'read' }, 'scopes is not an option; did you mean scope?'],
])('%o is a TypeError', async (wrong, message) => {
  const { create } = await demandingServer()
  expect(() => create(wrong as never)).toThrow(message)
})
