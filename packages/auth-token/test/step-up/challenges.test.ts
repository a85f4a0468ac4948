import { authFetch } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import type { StepUp } from '@svc/auth-token/step-up'
import { describe, expect, test } from 'vitest'
import { demandingServer, failure, insufficient, type Rule } from './support/demanding-server.ts'

const encode = (claims: unknown): string => btoa(JSON.stringify(claims))
/** What Azure asks for after an event, and for a context of authentication. */
const newer = { access_token: { nbf: { essential: true, value: '1604106651' } } }
const context = { access_token: { acrs: { essential: true, value: 'c1' } } }

/** Asks for an authentication by one of these contexts. */
const byContext =
  (values: string): Rule =>
  (_path, { parameters }) => {
    const { acr_values: given = 'none' } = parameters ?? {}
    if (values.split(' ').includes(given)) return undefined
    const challenge = `Bearer error="insufficient_user_authentication", error_description="a stronger one", acr_values="${values}"`
    return { status: 401, challenge }
  }

describe('a stronger authentication (RFC 9470)', () => {
  test('is asked for by acr_values, and its 401 does not replace the token', async () => {
    const { logins, seen, statusOf, world } = await demandingServer()
    world.rule = byContext('mfa')
    expect(await statusOf('/')).toBe(200)
    expect(logins).toEqual([
      { scope: 'read' },
      { scope: 'read', parameters: { acr_values: 'mfa' } },
    ])
    expect(seen.map(({ status }) => status)).toEqual([401, 200])
    // It is enough where it is one of several.
    world.rule = byContext('hardware mfa')
    expect(await statusOf('/')).toBe(200)
    // A scope is added to it.
    world.rule = (_path, wanted) =>
      wanted.scope?.includes('write')
        ? undefined
        : { status: 403, challenge: 'Bearer error="insufficient_scope", scope="write"' }
    expect(await statusOf('/')).toBe(200)
    expect(logins.at(-1)).toEqual({ scope: 'read write', parameters: { acr_values: 'mfa' } })
    // What it was asked for stays, where it is enough.
    const both = 'error="insufficient_scope", scope="admin", acr_values="hardware mfa"'
    world.rule = (_path, wanted) =>
      wanted.scope?.includes('admin') ? undefined : { status: 403, challenge: `Bearer ${both}` }
    expect(await statusOf('/')).toBe(200)
    expect(logins.at(-1)).toMatchObject({ parameters: { acr_values: 'mfa' } })
  })

  test('that excludes another one costs a login for each of them, and no more', async () => {
    const { logins, statusOf, world } = await demandingServer()
    world.rule = (path, wanted) => byContext(path.slice(1))(path, wanted)
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await statusOf('/one')).toBe(200)
      expect(await statusOf('/two')).toBe(200)
    }
    expect(logins.map(({ parameters }) => parameters?.['acr_values'])).toEqual([
      undefined,
      'one',
      'two',
    ])
  })
})

describe('a fresher authentication (RFC 9470)', () => {
  /** A server that looks at the time of the login. */
  async function fresh(maxAge: number, skewMs = 0) {
    const server = await demandingServer()
    const { world, time } = server
    const madeAt = new Map<unknown, number>()
    world.grant = (wanted) => madeAt.set(wanted, time.now)
    world.rule = (path, wanted) => {
      const age = time.now + skewMs - (madeAt.get(wanted) ?? 0)
      if (path === '/' || age <= maxAge * 1000) return undefined
      const challenge = `Bearer error="insufficient_user_authentication", max_age="${maxAge}"`
      return { status: 401, challenge }
    }
    return server
  }

  test.each([300, 60, 1200])(
    'is asked for each time that it is older than %d s',
    async (maxAge) => {
      const { logins, statusOf, time } = await fresh(maxAge)
      expect(await statusOf('/')).toBe(200)
      time.now += maxAge * 1000 + 1
      for (let turn = 1; turn < 5; turn += 1) {
        expect(await statusOf('/pay')).toBe(200)
        expect(logins).toHaveLength(1 + turn)
        const { parameters, since = 0 } = logins.at(-1) ?? {}
        expect(parameters).toEqual({ max_age: `${maxAge}` })
        expect(time.now - since).toBeLessThanOrEqual((maxAge * 1000) / 4)
        expect(await statusOf('/pay')).toBe(200)
        time.now += maxAge * 1000 - 1
        expect(await statusOf('/pay')).toBe(200)
        time.now += 2
      }
    },
  )

  test('is one login for all, also where the clock of the server is ahead', async () => {
    const { logins, statusOf, time } = await fresh(300, 20_000)
    await statusOf('/')
    for (let turn = 0; turn < 3; turn += 1) {
      time.now += 281_000
      const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf('/pay')))
      expect(new Set(statuses)).toEqual(new Set([200]))
    }
    expect(logins).toHaveLength(4)
  })

  test('is shared by processes that ask for it at about the same time', async () => {
    const { create, logins, session, time, url, world } = await demandingServer()
    const store = memoryTokenStore(time.clock)
    const challenge = 'Bearer error="insufficient_user_authentication", max_age="300"'
    world.rule = (_path, { parameters }) => (parameters ? undefined : { status: 401, challenge })
    const own = (wanted: StepUp) => session(wanted, { session: 'own', store })
    time.now = 75_000 * Math.ceil(time.now / 75_000)
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await authFetch(create({ session: own }))(url)).status).toBe(200)
      time.now += 20_000
    }
    expect(logins).toHaveLength(2)
  })

  test('keeps the shortest age', async () => {
    const { logins, statusOf, time, world } = await demandingServer()
    const ask = (age: number): void => {
      const before = logins.length
      const challenge = `Bearer error="insufficient_user_authentication", max_age="${age}"`
      world.rule = () => (logins.length > before ? undefined : { status: 401, challenge })
    }
    await statusOf('/')
    ask(300)
    expect(await statusOf('/')).toBe(200)
    time.now += 500_000
    ask(900)
    expect(await statusOf('/')).toBe(200)
    expect(logins.at(-1)).toMatchObject({ parameters: { max_age: '300' } })
    // But not for long.
    time.now += 2_000_000
    ask(3600)
    expect(await statusOf('/')).toBe(200)
    expect(logins.at(-1)).toMatchObject({ parameters: { max_age: '3600' } })
  })

  test('than any can be is an error after one login, and not a loop', async () => {
    const { logins, send, world } = await demandingServer()
    const challenge = 'Bearer error="insufficient_user_authentication", max_age=0'
    world.rule = () => ({ status: 401, challenge })
    for (let call = 0; call < 5; call += 1) {
      const error = await failure(send('/'))
      expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE', status: 401 })
      expect(error.message).toMatch(/needs max_age '0', but its token was asked for with that/)
    }
    expect(logins).toHaveLength(2)
  })
})

describe('claims of Azure', () => {
  const withClaims = (claims: string, error = 'insufficient_claims') => ({
    status: 401,
    challenge: `Bearer realm="", authorization_uri="https://login.example.com/common/oauth2/authorize", error="${error}", claims="${claims}"`,
  })

  test.each(['insufficient_claims', 'invalid_token'])('after %s are a new token', async (named) => {
    const { logins, statusOf, world } = await demandingServer()
    await statusOf('/')
    const [old] = logins
    const refusal = withClaims(encode(newer), named)
    world.rule = (_path, wanted) => (wanted === old ? refusal : undefined)
    const calls = Array.from({ length: 20 }, () => statusOf('/'))
    const statuses = await Promise.all(calls)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(logins).toEqual([{ scope: 'read' }, { scope: 'read' }])
  })

  test('are passed on to the login where a new token does not have them', async () => {
    const { logins, seen, statusOf, world } = await demandingServer()
    world.rule = (_path, { parameters }) =>
      parameters?.['claims'] === undefined ? withClaims(encode(context)) : undefined
    expect(await statusOf('/')).toBe(200)
    expect(logins.at(-1)).toEqual({
      scope: 'read',
      parameters: { claims: JSON.stringify(context) },
    })
    expect(seen.map(({ status }) => status)).toEqual([401, 401, 200])
    expect(logins).toHaveLength(3)
  })

  test('are asked for by no login after half an hour, nor by one for others', async () => {
    const { logins, send, statusOf, world, time } = await demandingServer()
    world.rule = (path, { scope = '', parameters }) => {
      if (path === '/claims') return parameters ? undefined : withClaims(encode(context))
      return path === '/write' && !scope.includes('write') ? insufficient('write') : undefined
    }
    expect(await statusOf('/claims')).toBe(200)
    expect(logins.at(-1)).toEqual({ scope: 'read', parameters: expect.anything() })
    time.now += 3_600_000
    expect(await statusOf('/read')).toBe(200)
    expect(await statusOf('/write')).toBe(200)
    expect(logins.slice(-2)).toEqual([{ scope: 'read' }, { scope: 'read write' }])
    // A server that asks again gets them again.
    expect((await send('/claims')).status).toBe(200)
    expect(logins.at(-1)).toEqual({ scope: 'read write', parameters: expect.anything() })
  })

  test('that are refused again are an error', async () => {
    const { logins, send, world } = await demandingServer()
    world.rule = () => withClaims(encode(context))
    const error = await failure(send('/'))
    expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE' })
    // They may have any character.
    expect(error.message).toMatch(/needs claims, but/)
    const after = logins.length
    for (let call = 0; call < 5; call += 1) await failure(send('/'))
    expect(logins.length - after).toBeLessThanOrEqual(5)
  })

  test('that refuse a stream are an error, and the next one has a token with them', async () => {
    const { send, statusOf, world } = await demandingServer()
    world.rule = (_path, { parameters }) => (parameters ? undefined : withClaims(encode(context)))
    const body = () => new Blob(['a body']).stream()
    const init = { method: 'POST', duplex: 'half' } as const
    const error = await failure(send('/', { ...init, body: body() }))
    expect(error).toMatchObject({ code: 'ERR_AUTH_BODY', status: 401 })
    expect(await statusOf('/', { ...init, body: body() })).toBe(200)
  })

  test('in base64url, and with characters beyond ASCII, are read', async () => {
    const { logins, statusOf, world } = await demandingServer()
    const claims = { userinfo: { given_name: { value: 'Zoë ✓>>>???' } } }
    const bytes = new TextEncoder().encode(JSON.stringify(claims))
    const encoded = Buffer.from(bytes).toString('base64url')
    world.rule = (_path, { parameters }) => (parameters ? undefined : withClaims(encoded))
    expect(await statusOf('/')).toBe(200)
    expect(JSON.parse(logins.at(-1)?.parameters?.['claims'] ?? '')).toEqual(claims)
  })
})

describe('a hostile challenge is a typed error, and no login:', () => {
  const scopes = (text: string): string => `Bearer error="insufficient_scope", scope="${text}"`
  const authentication = (text: string): string =>
    `Bearer error="insufficient_user_authentication", ${text}`
  const claims = (text: string): string => `Bearer error="insufficient_claims", claims="${text}"`
  test.each([
    ['a scope of 64 KB', scopes('x'.repeat(65_000)), 'a scope that cannot be asked for'],
    [
      '1,000 scopes',
      scopes(Array.from({ length: 1000 }, (_, at) => `s${at}`).join(' ')),
      'a scope',
    ],
    ['31 scopes', scopes(Array.from({ length: 31 }, (_, at) => `${at}`).join(' ')), 'a scope'],
    ['a scope with a quote', scopes('a\\"b'), 'a scope that cannot be asked for'],
    ['a scope with a backslash', scopes('a\\\\b'), 'a scope that cannot be asked for'],
    ['a scope with a tab', scopes('a\tb'), 'a scope that cannot be asked for'],
    ['a scope beyond ASCII', scopes('caf\u00e9'), 'a scope that cannot be asked for'],
    ['acr_values of 64 KB', authentication(`acr_values="${'x'.repeat(65_000)}"`), 'acr_values'],
    ['a max_age below zero', authentication('max_age="-1"'), 'a max_age'],
    ['a max_age of no number', authentication('max_age="1e3"'), 'a max_age'],
    ['a max_age beyond all', authentication(`max_age=${'9'.repeat(400)}`), 'a max_age'],
    ['claims that are no base64', claims('%%%'), 'claims that are not JSON'],
    ['claims that are no JSON', claims(btoa('{"a":')), 'claims that are not JSON'],
    ['claims that are no object', claims(btoa('"text"')), 'claims that are not JSON'],
    ['claims that are null', claims(btoa('null')), 'claims that are not JSON'],
    ['empty claims', claims(''), 'claims that are not JSON'],
    ['claims of 64 KB', claims(btoa(JSON.stringify({ a: 'x'.repeat(48_000) }))), 'claims'],
  ])('%s', async (_name, challenge, message) => {
    const { auth, logins, statusOf, world, url } = await demandingServer()
    await statusOf('/read')
    // `fetch` takes no header that long.
    const headers = new Headers({ 'www-authenticate': challenge })
    const facts = { method: 'GET', url, headers: new Headers(), body: undefined } as const
    const sent = await auth.authorize({ ...facts, attempt: 1, reason: 'initial' })
    const error = await failure((async () => sent.review?.({ status: 403, headers }))())
    expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE', status: 403 })
    expect(error.message).toContain(message)
    expect(error.message.length).toBeLessThan(200)
    expect(logins).toEqual([{ scope: 'read' }])
    world.rule = () => undefined
    expect(await statusOf('/read')).toBe(200)
  })
})
