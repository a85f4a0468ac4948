import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { authMcp, type McpAuth } from '@svc/auth-token/mcp'
import { loopback } from '@svc/auth-token/sign-in'
import { expect, test } from 'vitest'
import { navigation, send } from '../sign-in/support/browser.ts'
import { scriptedServer } from '../sign-in/support/scripted-server.ts'
import { turnedTime } from '../support/time.ts'
import { mcpServer } from './support/mcp-server.ts'

/** A user who signs in whenever the browser opens, and an MCP server that takes a token only while it is told to. */
async function setUp() {
  const time = turnedTime()
  const server = await scriptedServer()
  const world = { isTaken: false, givesRefreshTokens: false, denies: false, prompts: 0 }
  const mcp = await mcpServer(async (token) => world.isTaken && token !== '')
  mcp.world.issuer = server.issuer
  let count = 0
  server.replies['/token'] = ({ form }) => {
    // None is good.
    if (form.get('grant_type') === 'refresh_token') return [400, { error: 'invalid_grant' }]
    count += 1
    const refresh = world.givesRefreshTokens && { refresh_token: 'a refresh token' }
    return { access_token: `token-${count}`, token_type: 'Bearer', expires_in: 3600, ...refresh }
  }
  const open = (address: string): void => {
    world.prompts += 1
    const { searchParams } = new URL(address)
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    const state = searchParams.get('state') ?? ''
    const answer = world.denies ? { error: 'access_denied' } : { code: 'a code' }
    back.search = new URLSearchParams({ ...answer, state }).toString()
    void send(back, { ...navigation, host: back.host })
  }
  const store = memoryTokenStore(time.clock)
  const auth = (): McpAuth =>
    authMcp({
      url: mcp.url,
      session: 'own',
      clock: time.clock,
      store,
      signIn: loopback({ clientId: 'app', open }),
    })
  const post = ({ fetch }: McpAuth): Promise<unknown> =>
    fetch(mcp.url, { method: 'POST', body: '{}' }).then(
      ({ status }) => status,
      (error: unknown) => error,
    )
  return { time, world, auth, post }
}

const refused = expect.objectContaining({
  code: 'ERR_AUTH_SIGN_IN_FAILED',
  message: expect.stringContaining('refuses the token of a sign-in that was just made'),
})

test('a server that refuses each token has the user asked once, by all processes', async () => {
  const { time, world, auth, post } = await setUp()
  const own = auth()
  for (let call = 0; call < 5; call += 1) {
    expect(await post(own)).toEqual(refused)
    time.now += 60_000
  }
  for (let process = 0; process < 3; process += 1) expect(await post(auth())).toEqual(refused)
  expect(world.prompts).toBe(1)
})

test('a server that refuses each token has the user asked once by a client with a provider', async () => {
  const { time, world, auth } = await setUp()
  const { authProvider } = auth()
  for (let call = 0; call < 5; call += 1) {
    const asked = authProvider.tokens().then(() => authProvider.redirectToAuthorization())
    await expect(asked).rejects.toEqual(refused)
    time.now += 30_000
  }
  expect(world.prompts).toBe(1)
})

test('a server that refuses a token some time after the sign-in has the user asked again', async () => {
  const { time, world, auth, post } = await setUp()
  const own = auth()
  world.isTaken = true
  expect(await post(own)).toBe(406)
  time.now += 600_001
  world.isTaken = false
  expect(await post(own)).toBe(401)
  time.now += 60_000
  expect(await post(own)).toEqual(refused)
  expect(world.prompts).toBe(2)
})

test('a server that refuses each token, and each refresh, has the user asked twice', async () => {
  const { time, world, auth, post } = await setUp()
  world.givesRefreshTokens = true
  const own = auth()
  for (let call = 0; call < 5; call += 1) {
    await post(own)
    time.now += 31_000
  }
  expect(world.prompts).toBe(2)
})

test('invalidate() asks anew at the next call', async () => {
  const { world, auth, post } = await setUp()
  const own = auth()
  // There is nothing to drop, and nothing is sent.
  await own.invalidate()
  expect(world.prompts).toBe(0)
  expect(await post(own)).toEqual(refused)
  await own.invalidate()
  expect(world.prompts).toBe(1)
  world.isTaken = true
  expect(await post(own)).toBe(406)
  expect(world.prompts).toBe(2)
  expect(await post(own)).toBe(406)
  expect(world.prompts).toBe(2)
  const token = await own.getToken()
  await own.invalidate()
  expect(await own.getToken()).not.toBe(token)
  expect(world.prompts).toBe(3)
})

test('invalidate() asks anew in a process that has made no call, after the user denied in another', async () => {
  const { world, auth, post } = await setUp()
  const denied = expect.objectContaining({ code: 'ERR_AUTH_SIGN_IN_DENIED' })
  world.denies = true
  expect(await post(auth())).toEqual(denied)
  Object.assign(world, { denies: false, isTaken: true })
  expect(await post(auth())).toEqual(denied)
  expect(world.prompts).toBe(1)
  const next = auth()
  await next.invalidate()
  expect(world.prompts).toBe(1)
  expect(await post(next)).toBe(406)
  expect(world.prompts).toBe(2)
})
