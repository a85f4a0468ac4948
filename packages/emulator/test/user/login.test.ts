import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { createEmulator, defaultUsers } from '@svc/emulator'
import { listening, loginHeaders, readLogin } from '../support/emulator.ts'

const primary = { Username: 'primary', Password: 'primary-password' }

test('a login responds with a JWT that tells user, issue and end in the time of the clock', async () => {
  const { time, token } = await listening({ tokenLifetimeSeconds: 60 })
  const jwt = await token()
  expect(decodeProtectedHeader(jwt)).toMatchObject({ alg: 'HS256' })
  const issuedAt = time.now / 1000
  expect(decodeJwt(jwt)).toEqual({
    sub: 'primary',
    iat: issuedAt,
    exp: issuedAt + 60,
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
})

test('a token is valid for 24 hours where nothing else is asked for', async () => {
  const { token } = await listening()
  const { iat = 0, exp = 0 } = decodeJwt(await token())
  expect(exp - iat).toBe(86_400)
})

test('the password of a user is that of its object now, as its service may change it', async () => {
  const user = { username: 'ann', password: 'a first one' }
  const { login } = await listening({ users: [user] })
  const statusOf = async (Password: string) =>
    (await login({ Username: user.username, Password })).status
  expect(await statusOf('a first one')).toBe(200)
  user.password = 'another one'
  expect([await statusOf('a first one'), await statusOf('another one')]).toEqual([401, 200])
})

test('every login gives a token of its own, and is counted', async () => {
  const { emulator, login, token } = await listening()
  expect(await token()).not.toBe(await token())
  await login({ ...primary, Password: 'wrong' })
  expect(emulator.logins).toBe(2)
  expect(emulator.requests.at(-1)?.auth).toEqual({
    scheme: 'login',
    ok: false,
    code: 'InvalidCredentials',
    user: 'primary',
  })
})

test.each(['/user/login', '/User/Login', '/USER/LOGIN', '/%75ser/login', '/user/login?x=1'])(
  'the path %s logs in',
  async (path) => {
    const { server } = await listening()
    const response = await fetch(new URL(path, server.url), {
      method: 'POST',
      headers: loginHeaders,
      body: JSON.stringify(primary),
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ Token: expect.any(String) })
  },
)

test.each(defaultUsers)(
  'the default user $username can log in, in process',
  async ({ username, password, parentUid }) => {
    const emulator = createEmulator()
    const response = await emulator.fetch('http://emulator.test/user/login', {
      method: 'POST',
      headers: loginHeaders,
      body: JSON.stringify({ Username: username, Password: password, ParentUid: parentUid }),
    })
    expect(response.status).toBe(200)
    expect(emulator.logins).toBe(1)
  },
)

describe('credentials', () => {
  test.each<[behaviour: string, body: object, status: number]>([
    ['the right ones', primary, 200],
    ['a wrong password', { ...primary, Password: 'primary-passwore' }, 401],
    ['an unknown user', { ...primary, Username: 'nobody' }, 401],
    ['a primary user with its own ParentUid', { ...primary, ParentUid: 'tenant-1' }, 200],
    ['a primary user with a foreign ParentUid', { ...primary, ParentUid: 'tenant-2' }, 401],
    [
      'a subaccount user with its ParentUid',
      { Username: 'sub', Password: 'sub-password-1', ParentUid: 'tenant-1' },
      200,
    ],
    ['a subaccount user without', { Username: 'sub', Password: 'sub-password-1' }, 401],
    [
      'a subaccount user with that of another tenant',
      { Username: 'sub', Password: 'sub-password-1', ParentUid: 'tenant-2' },
      401,
    ],
    [
      'the user of that name of the other tenant',
      { Username: 'sub', Password: 'sub-password-2', ParentUid: 'tenant-2' },
      200,
    ],
  ])('%s: %j gives %d', async (_, body, status) => {
    const { login } = await listening()
    expect((await login(body)).status).toBe(status)
  })
})

test.each<[what: string, body: object, code: string, message: string]>([
  [
    'a subaccount without ParentUid',
    { Username: 'sub', Password: 'sub-password-1' },
    'MissingParentUid',
    'ParentUid is required for a subaccount user: send tenant-1',
  ],
  [
    'a subaccount with the ParentUid of another',
    { Username: 'sub', Password: 'sub-password-1', ParentUid: 'tenant-2' },
    'InvalidParentUid',
    'ParentUid is not that of this user',
  ],
  [
    'a subaccount with a password that is not right either',
    { Username: 'sub', Password: 'sub-password-3' },
    'InvalidCredentials',
    'these credentials match no user',
  ],
])('%s is told apart', async (_what, body, Code, Message) => {
  const { login, emulator } = await listening()
  const response = await login(body)
  expect(response.status).toBe(401)
  expect(await response.json()).toEqual({ Code, Message })
  expect(emulator.requests.at(-1)?.auth.code).toBe(Code)
})

describe('a login is refused with 400, naming what is wrong, for', () => {
  test.each(['accept', 'content-type', 'x-svc-route-token'])('a missing %s', async (name) => {
    const { emulator } = await listening()
    // In process, since fetch adds an `accept` of its own on the way to a socket.
    const headers = new Headers(loginHeaders)
    headers.delete(name)
    const response = await emulator.fetch('http://localhost/user/login', {
      method: 'POST',
      headers,
      body: new TextEncoder().encode(JSON.stringify(primary)),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      Code: 'InvalidHeader',
      Message: expect.stringContaining(name),
    })
  })

  test.each([
    ['accept', '*/*', 400],
    ['accept', 'application/json, text/plain, */*', 200],
    ['content-type', 'text/plain;charset=UTF-8', 400],
    ['content-type', 'application/json; charset=utf-8', 200],
    ['x-svc-route-token', 'logout', 400],
  ])('%s: %s gives %d', async (name, value, status) => {
    const { login } = await listening()
    expect((await login(primary, { ...loginHeaders, [name]: value })).status).toBe(status)
  })

  test.each<[body: unknown, named: string]>([
    ['', 'JSON'],
    ['{', 'JSON'],
    ['[]', 'object'],
    ['null', 'object'],
    [{ Password: 'x' }, 'Username'],
    [{ ...primary, Username: 1 }, 'Username'],
    [{ ...primary, Username: '' }, 'Username'],
    [{ Username: 'primary' }, 'Password'],
    [{ username: 'primary', password: 'x' }, 'Username'],
    [{ ...primary, ParentUid: 7 }, 'ParentUid'],
    [{ ...primary, UniqueSession: 'true' }, 'UniqueSession'],
  ])('the body %j', async (body, named) => {
    const { login } = await listening()
    const response = await login(body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      Code: 'InvalidBody',
      Message: expect.stringContaining(named),
    })
  })
})

test('the header names follow the vendor prefix', async () => {
  const { login, server } = await listening({ vendorPrefix: 'Acme' })
  expect((await login(primary)).status).toBe(400)
  const { 'x-svc-route-token': routeToken, ...others } = loginHeaders
  const response = await login(primary, { ...others, 'x-acme-route-token': routeToken })
  const { Token } = readLogin(await response.json())
  const groups = await fetch(new URL('/user/groups', server.url), {
    headers: { 'x-acme-route-token': 'login', 'x-acme-security-token': Token },
  })
  expect(groups.status).toBe(200)
})
