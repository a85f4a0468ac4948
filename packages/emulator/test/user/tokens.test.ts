import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { listening } from '../support/emulator.ts'

const primary = { Username: 'primary', Password: 'primary-password' }
const unique = { ...primary, UniqueSession: true }

test('a token opens the groups of its user', async () => {
  const { emulator, groups, token } = await listening()
  const response = await groups(await token())
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual([
    { id: 'g1', name: 'One', permissions: [{ Actions: ['*'], Condition: null }] },
  ])
  const [login, listing] = emulator.requests
  expect(listing?.auth).toEqual({
    scheme: 'token',
    ok: true,
    user: 'primary',
    jti: login?.auth.jti,
  })
})

test.each(['/user/groups', '/User/Groups', '/USER/groups?page=1'])(
  'the groups are at %s',
  async (path) => {
    const { server, token } = await listening()
    const headers = { 'x-svc-route-token': 'login', 'x-svc-security-token': await token() }
    const response = await fetch(new URL(path, server.url), { headers })
    expect(response.status).toBe(200)
  },
)

describe('401 is the response to', () => {
  test('a missing token', async () => {
    const { emulator, groups } = await listening()
    const response = await groups('')
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ Code: 'MissingToken' })
    expect(emulator.requests[0]?.auth).toEqual({
      scheme: 'token',
      ok: false,
      code: 'MissingToken',
    })
  })

  test.each(['garbage', 'a.b.c', `${btoa('{"alg":"none"}')}.${btoa('{"sub":"primary"}')}.`])(
    'the malformed token %s',
    async (token) => {
      const { groups } = await listening()
      const response = await groups(token)
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ Code: 'MalformedToken' })
    },
  )

  test('a token that another secret signed', async () => {
    const { groups, time } = await listening()
    const foreign = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('primary')
      .setExpirationTime(time.now / 1000 + 60)
      .sign(new Uint8Array(32))
    const response = await groups(foreign)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ Code: 'MalformedToken' })
  })

  test('a token with one changed character', async () => {
    const { groups, token } = await listening()
    const good = await token()
    const changed = good.replace(
      /^(.{40})(.)/,
      (_, head: string, next: string) => head + (next === 'A' ? 'B' : 'A'),
    )
    expect((await groups(changed)).status).toBe(401)
  })

  test('an expired token, from the very second of its end', async () => {
    const { groups, time, token } = await listening()
    const expiring = await token()
    time.now += 86_399_000
    expect((await groups(expiring)).status).toBe(200)
    time.now += 1000
    const response = await groups(expiring)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ Code: 'ExpiredToken' })
  })

  test('revoked tokens of one user, of all, and not those issued later', async () => {
    const { emulator, groups, token } = await listening()
    const sub = { Username: 'sub', Password: 'sub-password-1', ParentUid: 'tenant-1' }
    const [first, other] = [await token(), await token(sub)]
    emulator.revokeTokens('primary')
    expect(await (await groups(first)).json()).toMatchObject({ Code: 'RevokedToken' })
    expect((await groups(other)).status).toBe(200)
    const later = await token()
    expect((await groups(later)).status).toBe(200)
    emulator.revokeTokens()
    expect((await groups(later)).status).toBe(401)
    expect((await groups(other)).status).toBe(401)
  })

  test('a token that a later unique session of the same user ended', async () => {
    const { groups, token } = await listening()
    const [first, second] = [await token(primary), await token(unique)]
    expect(await (await groups(first)).json()).toMatchObject({ Code: 'EndedSession' })
    expect((await groups(second)).status).toBe(200)
  })
})

describe('earlier tokens stay valid', () => {
  test('where the later login asks for no unique session', async () => {
    const { groups, token } = await listening()
    const [first] = [await token(unique), await token(primary)]
    expect((await groups(first)).status).toBe(200)
  })

  test('where the emulator is told that unique sessions end nothing', async () => {
    const { groups, token } = await listening({ uniqueSessionEndsOthers: false })
    const [first] = [await token(unique), await token(unique)]
    expect((await groups(first)).status).toBe(200)
  })

  test('where the later login failed', async () => {
    const { groups, login, token } = await listening()
    const first = await token(unique)
    await login({ ...unique, Password: 'wrong' })
    expect((await groups(first)).status).toBe(200)
  })

  test('where it is another user of the same name who logs in', async () => {
    const { groups, token } = await listening()
    const first = { Username: 'sub', Password: 'sub-password-1', ParentUid: 'tenant-1' }
    const second = { Username: 'sub', Password: 'sub-password-2', ParentUid: 'tenant-2' }
    const [kept] = [await token(first), await token({ ...second, UniqueSession: true })]
    expect((await groups(kept)).status).toBe(200)
  })
})

describe('other paths under /user', () => {
  test.each(['/user', '/user/', '/user/views', '/USER/x/y', '/user/login'])(
    '%s asks for the token first, then responds 404',
    async (path) => {
      const { server, token } = await listening()
      const url = new URL(path, server.url)
      expect((await fetch(url)).status).toBe(401)
      const headers = { 'x-svc-route-token': 'login', 'x-svc-security-token': await token() }
      expect((await fetch(url, { headers })).status).toBe(404)
    },
  )

  test('/users is not among them', async () => {
    const { emulator, server } = await listening()
    expect((await fetch(new URL('/users', server.url))).status).toBe(403)
    expect(emulator.requests[0]?.auth.scheme).toBe('sigv4')
  })

  test('a good token without the route token gives 400 and names it', async () => {
    const { groups, token } = await listening()
    const response = await groups(await token(), { 'x-svc-route-token': 'other' })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('x-svc-route-token')
  })

  test('a POST to the groups gives 405', async () => {
    const { server, token } = await listening()
    const headers = { 'x-svc-route-token': 'login', 'x-svc-security-token': await token() }
    const response = await fetch(new URL('/user/groups', server.url), { method: 'POST', headers })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  })
})
