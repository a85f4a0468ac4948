import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { authMcp, type McpAuthOptions } from '@svc/auth-token/mcp'
import { deviceCode, loopback } from '@svc/auth-token/sign-in'
import { describe, expect, test } from 'vitest'
import { createBrowser } from '../sign-in/support/browser.ts'
import { startProvider } from '../sign-in/support/provider.ts'
import { manualTime, turnedTime } from '../support/time.ts'
import { mcpClient, sdks } from './support/clients.ts'
import { mcpServer } from './support/mcp-server.ts'

const again = [{ type: 'text', text: 'again' }]

/** A user who has not signed in, an MCP server that no program knows, and its authorization server. */
async function unknownServer(time: ReturnType<typeof turnedTime> = turnedTime()) {
  const server = await startProvider()
  const mcp = await mcpServer(async (token) => {
    const found = await server.provider.AccessToken.find(token)
    return found?.aud === mcp.url.href
  })
  mcp.world.issuer = server.issuer
  mcp.world.scopes = ['read', 'offline_access']
  const store = memoryTokenStore(time.clock)
  const auth = (own: Pick<McpAuthOptions, 'signIn'> & Partial<McpAuthOptions>) =>
    authMcp({ url: mcp.url, session: 'own', store, clock: time.clock, ...own })
  return { ...server, mcp, time, auth }
}

describe.each(sdks)('a client of %s', (sdk) => {
  test('has the user sign in in the browser for a server of which it knows the address alone', async () => {
    const { mcp, auth, count, time, seen } = await unknownServer()
    const browser = createBrowser()
    const opened: URL[] = []
    const open = async (url: string): Promise<void> => {
      opened.push(new URL(url))
      await browser.signIn(url)
    }
    const client = mcpClient(sdk, mcp.url, { fetch: auth({ signIn: loopback({ open }) }).fetch })
    await client.connect()
    expect(await client.call('echo')).toEqual(again)
    time.now += 600_000
    const calls = Array.from({ length: 10 }, () => client.call('echo'))
    expect(await Promise.all(calls)).toEqual(calls.map(() => again))
    expect(opened).toHaveLength(1)
    const [address = mcp.url] = opened
    expect(address.searchParams.get('resource')).toBe(mcp.url.href)
    expect(address.searchParams.get('scope')).toBe('read offline_access')
    expect(count('/reg')).toBe(1)
    expect(count('/token', 200)).toBe(2)
    expect(seen.filter(({ path, status }) => path === '/token' && status !== 200)).toEqual([])
  })

  test('has the user enter a code', async () => {
    const time = manualTime(Date.now())
    const { mcp, auth, count } = await unknownServer(time)
    const browser = createBrowser()
    const signIn = deviceCode({
      clientId: 'app',
      async show({ verificationUri, userCode }) {
        await browser.signIn(verificationUri, { user_code: userCode })
      },
    })
    const { fetch, getToken } = auth({ signIn })
    await time.run(getToken())
    const client = mcpClient(sdk, mcp.url, { fetch })
    await client.connect()
    expect(await client.call('echo')).toEqual(again)
    expect(count('/reg')).toBe(0)
    expect(count('/device/auth')).toBe(1)
  })
})

test('ten calls at once ask the user once', async () => {
  const { mcp, auth, count } = await unknownServer()
  const browser = createBrowser()
  let asked = 0
  const open = (url: string): void => {
    asked += 1
    void browser.signIn(url)
  }
  const { fetch } = auth({ signIn: loopback({ open }) })
  const init = { method: 'POST', body: '{}' }
  const calls = Array.from({ length: 10 }, () => fetch(mcp.url, init))
  // The server of the SDK does not take such a message.
  for (const { status } of await Promise.all(calls)) expect(status).toBe(406)
  expect(asked).toBe(1)
  expect(count('/token')).toBe(1)
})

test('a scope that is given is asked for in place of those that the server names', async () => {
  const { mcp, auth } = await unknownServer()
  const browser = createBrowser()
  let scope: string | null = ''
  const open = (url: string): void => {
    scope = new URL(url).searchParams.get('scope')
    void browser.signIn(url)
  }
  await auth({ signIn: loopback({ open, scope: 'openid write' }) }).getToken()
  expect(scope).toBe('openid write')
  expect(mcp.seen.map(({ path }) => path)).toEqual(['/mcp', mcp.metadata.pathname])
})

test('a refresh token is asked for where the authorization server offers one by a scope', async () => {
  const { mcp, auth, time, count } = await unknownServer()
  mcp.world.scopes = ['read']
  const browser = createBrowser()
  const scopes: (string | null)[] = []
  const open = (url: string): void => {
    scopes.push(new URL(url).searchParams.get('scope'))
    void browser.signIn(url)
  }
  const refreshed: (string | null)[] = []
  const own = auth({
    signIn: loopback({ open }),
    async fetch(input, init) {
      const form = new URLSearchParams(init?.body instanceof URLSearchParams ? init.body : '')
      if (form.get('grant_type') === 'refresh_token') refreshed.push(form.get('scope'))
      return fetch(input, init)
    },
  })
  await own.getToken()
  for (let turn = 0; turn < 2; turn += 1) {
    time.now += 600_000
    await own.getToken()
  }
  expect(scopes).toEqual(['read offline_access'])
  expect(refreshed).toEqual([null, null])
  expect(count('/token', 200)).toBe(3)
})

test('a scope that the authorization server does not know is not asked for', async () => {
  const { mcp, auth, issuer, world } = await unknownServer()
  mcp.world.scopes = ['read']
  world.intercept = ({ url }, response) => {
    if (url !== '/.well-known/openid-configuration') return false
    const endpoints = {
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
    }
    response.end(JSON.stringify({ issuer, ...endpoints, scopes_supported: ['read'] }))
    return true
  }
  const scopes: (string | null)[] = []
  const open = (url: string): never => {
    scopes.push(new URL(url).searchParams.get('scope'))
    throw new Error('enough')
  }
  const signIn = loopback({ clientId: 'app', open })
  await expect(auth({ signIn }).getToken()).rejects.toMatchObject({
    code: 'ERR_AUTH_SIGN_IN_FAILED',
  })
  expect(scopes).toEqual(['read'])
})

test('a sign-in with an issuer of its own needs no metadata of the server', async () => {
  const { mcp, auth, issuer } = await unknownServer()
  mcp.world.metadata = (response) => void response.writeHead(500).end()
  const browser = createBrowser()
  const open = (url: string): unknown => browser.signIn(url)
  const signIn = loopback({ issuer, open, scope: 'openid read', resource: mcp.url.href })
  const { fetch } = auth({ signIn })
  expect((await fetch(mcp.url, { method: 'POST', body: '{}' })).status).toBe(406)
  expect(mcp.seen.map(({ path }) => path)).toEqual(['/mcp'])
})

test('a user who denies is not asked again at once, and the error says so', async () => {
  const { mcp, auth } = await unknownServer()
  const browser = createBrowser()
  let asked = 0
  const open = (url: string): void => {
    asked += 1
    void browser.cancel(url)
  }
  const { fetch } = auth({ signIn: loopback({ open }) })
  const init = { method: 'POST', body: '{}' }
  await expect(fetch(mcp.url, init)).rejects.toMatchObject({ code: 'ERR_AUTH_SIGN_IN_DENIED' })
  await expect(fetch(mcp.url, init)).rejects.toMatchObject({ code: 'ERR_AUTH_SIGN_IN_DENIED' })
  expect(asked).toBe(1)
})
