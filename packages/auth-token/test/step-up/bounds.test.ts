import { AuthError, authFetch } from '@svc/auth-token'
import type { StepUp } from '@svc/auth-token/step-up'
import { describe, expect, test } from 'vitest'
import { serve } from '../../../auth-hooks/test/support/server.ts'
import { until } from '../support/service.ts'
import {
  byScope,
  demandingServer,
  failure,
  insufficient,
  type Rule,
} from './support/demanding-server.ts'

const namesOf = (scope = ''): readonly string[] => scope.split(' ')
const refuse =
  (name: string) =>
  ({ scope }: StepUp): void => {
    if (namesOf(scope).includes(name)) throw new Error('invalid_scope')
  }

test('an outage of the authorization server does not end step-up', async () => {
  const { world, scopes, send, statusOf, time } = await demandingServer()
  await statusOf('/read')
  world.grant = () => {
    throw new AuthError('ERR_AUTH_LOGIN_FAILED', '[@svc/auth-token] 503', { status: 503 })
  }
  for (let second = 0; second < 60; second += 1) {
    const error = await failure(send('/write'))
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_FAILED' })
    time.now += 1000
  }
  world.grant = () => {}
  time.now += 60_000
  expect(await statusOf('/write')).toBe(200)
  expect(scopes().at(-1)).toBe('read write')
})

test('a scope that is refused at a renewal costs no call that does without it', async () => {
  const { auth, world, send, statusOf, time } = await demandingServer()
  expect(await statusOf('/write')).toBe(200)
  world.grant = refuse('write')
  for (let hour = 0; hour < 3; hour += 1) {
    time.now += 3_600_000
    const statuses = await Promise.all(Array.from({ length: 5 }, () => statusOf('/read')))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await auth.getToken()).toMatch(/^token-/)
    const error = await failure(send('/write'))
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
    expect(error.message).toContain("needs scope 'write', and the login failed")
  }
  world.grant = () => {}
  time.now += 3_600_000
  expect(await statusOf('/write')).toBe(200)
})

test('getToken has the first scopes where further ones are refused at a renewal', async () => {
  const { auth, world, scopes, statusOf, time } = await demandingServer()
  expect(await statusOf('/write')).toBe(200)
  world.grant = refuse('write')
  time.now += 3_600_000
  expect(await auth.getToken()).toBe('token-4')
  expect(scopes()).toEqual(['read', 'read write', 'read write', 'read'])
})

test('a renewal that fails for a while is not one for fewer scopes', async () => {
  const { world, scopes, send, statusOf, time } = await demandingServer()
  expect(await statusOf('/write')).toBe(200)
  time.now += 3_600_000
  world.grant = () => {
    throw new AuthError('ERR_AUTH_LOGIN_FAILED', '[@svc/auth-token] 503', { status: 503 })
  }
  expect(await failure(send('/read'))).toMatchObject({ code: 'ERR_AUTH_LOGIN_FAILED' })
  world.grant = () => {}
  time.now += 60_000
  expect(await statusOf('/read')).toBe(200)
  expect(scopes()).toEqual(['read', 'read write', 'read write', 'read write'])
})

describe('scopes that a server makes up', () => {
  /** Names 30 others at each path of `/junk`, for which its tokens are good. */
  const junk = (path: string): readonly string[] =>
    Array.from({ length: 30 }, (_, at) => `${path.slice(1)}-${at}`)
  const rule: Rule = (path, { scope }) => {
    const needed = path.startsWith('/junk') ? junk(path) : [path.slice(1)]
    const isEnough = needed.every((one) => namesOf(scope).includes(one))
    return isEnough ? undefined : insufficient(needed.join(' '))
  }

  test('do not end step-up, and are forgotten where they do not fit', async () => {
    const { scopes, statusOf } = await demandingServer(rule)
    for (let turn = 0; turn < 6; turn += 1) {
      expect(await statusOf(`/junk${turn}`)).toBe(200)
      expect(await statusOf('/write')).toBe(200)
    }
    for (const scope of scopes()) expect(namesOf(scope).length).toBeLessThanOrEqual(101)
    expect(await statusOf('/admin')).toBe(200)
  })

  test('are no part of what fits for those who wait', async () => {
    const { scopes, seen, statusOf, world } = await demandingServer(rule)
    await statusOf('/read')
    const paths = ['/a', '/junk0', '/junk1', '/junk2', '/junk3', '/b']
    world.grant = () => new Promise((resolve) => setTimeout(resolve, seen.length < 7 ? 50 : 1))
    const statuses = await Promise.all(paths.map((path) => statusOf(path)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    for (const scope of scopes()) expect(namesOf(scope).length).toBeLessThanOrEqual(101)
  })
})

describe('a scope that is refused', () => {
  test('fails none that came at the same time for another', async () => {
    const { world, scopes, seen, send, statusOf } = await demandingServer()
    await statusOf('/read')
    world.grant = async (wanted) => {
      await new Promise((resolve) => setTimeout(resolve, seen.length < 9 ? 50 : 5))
      refuse('evil')(wanted)
    }
    const paths = ['/a', '/b', '/c', '/d', '/e', '/f']
    const first = statusOf('/first')
    await until(() => scopes().length === 2)
    const evil = failure(send('/evil'))
    const statuses = await Promise.all(paths.map((path) => statusOf(path)))
    expect(await first).toBe(200)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await evil).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
    expect(scopes().length).toBeLessThanOrEqual(12)
  })

  test('beside those of others is asked for alone, and after that costs no login', async () => {
    const { world, scopes, statusOf } = await demandingServer()
    world.grant = ({ scope }) => {
      if (['one', 'two'].every((name) => namesOf(scope).includes(name))) throw new Error('not both')
    }
    for (let turn = 0; turn < 10; turn += 1) {
      expect(await statusOf('/one')).toBe(200)
      expect(await statusOf('/two')).toBe(200)
    }
    expect(scopes()).toEqual(['read', 'read one', 'read one two', 'read two'])
  })

  test('by the function session fails none that came at the same time for another', async () => {
    const { session, create, scopes, url, seen, world } = await demandingServer()
    const own = create({
      session: (wanted) => (wanted.scope?.includes('evil') ? undefined : session(wanted)),
    })
    const send = authFetch(own, { baseUrl: url })
    await send('/read')
    world.grant = () => new Promise((resolve) => setTimeout(resolve, seen.length < 5 ? 50 : 5))
    const first = send('/a')
    await until(() => scopes().length === 2)
    const [a, evil, b, c] = await Promise.all([
      first,
      failure(send('/evil')),
      send('/b'),
      send('/c'),
    ])
    expect([a, b, c].map(({ status }) => status)).toEqual([200, 200, 200])
    expect(evil).toMatchObject({ code: 'ERR_AUTH_SIGN_IN_NEEDED' })
  })
})

test('claims that are others each time cost 20 logins in ten minutes', async () => {
  const { world, logins, time, send, statusOf } = await demandingServer()
  await statusOf('/')
  let asked = 0
  world.rule = (path) => {
    if (path === '/') return undefined
    const claims = btoa(JSON.stringify({ a: (asked += 1) }))
    return { status: 401, challenge: `Bearer error="insufficient_claims", claims="${claims}"` }
  }
  for (let second = 0; second < 599; second += 3) {
    await failure(send('/evil'))
    expect(await statusOf('/')).toBe(200)
    time.now += 3000
  }
  expect(logins.length - 1).toBeLessThanOrEqual(20)
})

test('what a server asks of the user is not asked for by later logins for others', async () => {
  const { world, logins, statusOf, time } = await demandingServer()
  const challenge =
    'Bearer error="insufficient_user_authentication", max_age="0", acr_values="urn:evil"'
  world.rule = (path, { scope, parameters }) => {
    if (path === '/evil') return parameters ? undefined : { status: 401, challenge }
    return namesOf(scope).includes(path.slice(1)) ? undefined : insufficient(path.slice(1))
  }
  await statusOf('/read')
  expect(await statusOf('/evil')).toBe(200)
  time.now += 3_600_000
  expect(await statusOf('/read')).toBe(200)
  expect(await statusOf('/write')).toBe(200)
  expect(logins.slice(2)).toEqual([{ scope: 'read' }, { scope: 'read write' }])
})

test('after too many logins, retryAt is when one may be made', async () => {
  const { world, scopes, send, statusOf, time } = await demandingServer()
  expect(await statusOf('/first')).toBe(200)
  time.now += 60_000
  world.grant = ({ scope = '' }) => {
    if (scope.includes('bad')) throw new Error('invalid_scope')
  }
  for (let call = 0; call < 5; call += 1) await failure(send(`/bad${call}`))
  const error = await failure(send('/good'))
  const { retryAt = 0 } = error as { readonly retryAt?: number }
  expect(error.message).toContain('too many logins')
  const before = scopes().length
  time.now = retryAt - 1
  await failure(send('/good'))
  expect(scopes()).toHaveLength(before)
  time.now = retryAt
  expect(await statusOf('/good')).toBe(200)
})

test('what one origin asks for leaves the others their logins', async () => {
  const { session, create, world, url, scopes } = await demandingServer()
  const evil = await serve(({ count }, response) => {
    const { status, challenge = '' } = insufficient(`evil${count}`)
    response.writeHead(status, { 'www-authenticate': challenge }).end()
  })
  const origins = [evil.origin]
  const auth = create({ session: (wanted) => session(wanted, { origins }) })
  const send = authFetch(auth)
  world.grant = ({ scope = '' }) => {
    if (scope.includes('evil')) throw new Error('invalid_scope')
  }
  for (let call = 0; call < 10; call += 1) await failure(send(evil.origin))
  const before = scopes().length
  expect(before).toBeLessThanOrEqual(1 + 5)
  expect((await failure(send(evil.origin))).message).toContain('too many logins')
  expect((await send(new URL('/write', url))).status).toBe(200)
  expect(scopes()).toHaveLength(before + 1)
})

test('a login that was granted less costs each call one request, and after invalidate() is made again', async () => {
  const { auth, world, scopes, seen, send } = await demandingServer()
  // It gives what it likes, and is asked for the same all the time.
  world.rule = (path) => (path === '/write' ? insufficient('write') : undefined)
  expect(await failure(send('/write'))).toMatchObject({ code: 'ERR_AUTH_CHALLENGE', status: 403 })
  expect([seen.length, scopes()]).toEqual([2, ['read', 'read write']])
  for (let call = 1; call <= 5; call += 1) {
    const error = await failure(send('/write'))
    expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE', status: 403 })
    expect(error.message).toContain("/write needs scope 'write', but its token was asked for with")
    expect((await send('/read')).status).toBe(200)
    expect([seen.length, scopes().length]).toEqual([2 + 2 * call, 2])
  }
  world.rule = () => undefined
  await auth.invalidate()
  expect((await send('/write')).status).toBe(200)
  world.rule = byScope
  expect((await send('/write')).status).toBe(200)
  expect(scopes()).toEqual(['read', 'read write', 'read', 'read write'])
})

test('what no login gives is said each time, and does not count as a login', async () => {
  const { session, create, url } = await demandingServer()
  const own = create({
    session: (wanted) => (/scope/.test(wanted.scope ?? '') ? undefined : session(wanted)),
  })
  const send = authFetch(own, { baseUrl: url })
  for (let call = 0; call < 25; call += 1) {
    expect(await failure(send(`/scope${call}`))).toMatchObject({ code: 'ERR_AUTH_SIGN_IN_NEEDED' })
  }
  expect((await send('/write')).status).toBe(200)
})

test('a refusal counts as four logins, also where it is tried alone', async () => {
  const { world, scopes, send, statusOf } = await demandingServer()
  expect(await statusOf('/first')).toBe(200)
  world.grant = refuse('bad')
  for (let call = 0; call < 3; call += 1) {
    world.rule = (_path, { scope = '' }) =>
      scope.includes('other') ? undefined : insufficient(`bad other${call}`)
    expect(await failure(send('/'))).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
  }
  expect(scopes()).toHaveLength(2 + 3 * 2)
  world.rule = () => insufficient('bad another')
  expect(await failure(send('/'))).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
})

test('a user who denies is not asked again at once for less', async () => {
  const { world, scopes, send, statusOf } = await demandingServer()
  expect(await statusOf('/first')).toBe(200)
  world.grant = () => {
    throw new AuthError('ERR_AUTH_SIGN_IN_DENIED', '[@svc/auth-token] the sign-in was denied')
  }
  expect(await failure(send('/write'))).toMatchObject({ code: 'ERR_AUTH_SIGN_IN_DENIED' })
  expect(scopes()).toEqual(['read', 'read first', 'read first write'])
  expect(await statusOf('/first')).toBe(200)
})
