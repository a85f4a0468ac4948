import { describe, expect, test } from 'vitest'
import { mcpClient, sdks, signedInForMcp } from './support/clients.ts'

const again = [{ type: 'text', text: 'again' }]

describe.each(sdks)('a client of %s with the provider', (sdk) => {
  test('sends a token with its first request', async () => {
    const { mcp, auth, tokenRequests } = await signedInForMcp()
    const { authProvider } = auth()
    const client = mcpClient(sdk, mcp.url, { authProvider })
    await client.connect()
    const calls = Array.from({ length: 10 }, () => client.call('echo'))
    expect(await Promise.all(calls)).toEqual(calls.map(() => again))
    const own = mcp.seen.filter(({ path }) => path === '/mcp')
    // That for the challenge.
    expect(own.filter(({ authorization }) => authorization === '')).toHaveLength(1)
    expect(tokenRequests).toHaveLength(1)
  })

  test('gets a token before the last one ends', async () => {
    const { mcp, auth, time, tokenRequests, revoked } = await signedInForMcp()
    const { authProvider } = auth()
    const client = mcpClient(sdk, mcp.url, { authProvider })
    await client.connect()
    time.now += 599_000
    const calls = Array.from({ length: 10 }, () => client.call('echo'))
    expect(await Promise.all(calls)).toEqual(calls.map(() => again))
    time.now += 1000
    expect(await client.call('echo')).toEqual(again)
    expect(tokenRequests).toHaveLength(2)
    expect(revoked()).toBe(0)
  })

  test('fails with what to do where the server takes its token no more, and has another by then', async () => {
    const { mcp, auth, end, tokenRequests, revoked, paths } = await signedInForMcp()
    const { authProvider } = auth()
    const client = mcpClient(sdk, mcp.url, { authProvider })
    await client.connect()
    await client.call('echo')
    await end((mcp.seen.at(-1)?.authorization ?? '').replace('Bearer ', ''))
    await expect(client.call('echo')).rejects.toMatchObject({
      code: 'ERR_AUTH_LOGIN_FAILED',
      message: `[@svc/auth-token] the sign-in for ${mcp.url.href} was refused: there is a new token now, so send the request again; the fetch of authMcp, in place of authProvider, does that itself`,
    })
    expect(await client.call('echo')).toEqual(again)
    expect(tokenRequests).toHaveLength(2)
    expect(revoked()).toBe(0)
    // The SDK itself registers nothing.
    expect(paths.filter((path) => path.startsWith('/reg'))).toEqual([])
  })

  test('has its token replaced once where five calls are refused with it, one after the other', async () => {
    const { mcp, auth, end, tokenRequests, revoked } = await signedInForMcp()
    const client = mcpClient(sdk, mcp.url, { authProvider: auth().authProvider })
    await client.connect()
    await client.call('echo')
    await end((mcp.seen.at(-1)?.authorization ?? '').replace('Bearer ', ''))
    const held: (() => void)[] = []
    mcp.world.intercept = () => new Promise((resolve) => held.push(() => resolve(false)))
    const calls = Array.from({ length: 5 }, () => client.call('echo').catch((error) => error))
    await expect.poll(() => held.length).toBe(5)
    mcp.world.intercept = undefined
    for (const [index, call] of calls.entries()) {
      held[index]?.()
      expect(await call).toMatchObject({ code: 'ERR_AUTH_LOGIN_FAILED' })
    }
    expect(await client.call('echo')).toEqual(again)
    expect(tokenRequests).toHaveLength(2)
    expect(revoked()).toBe(0)
  })

  test('sends no token to a server that asks for none', async () => {
    const { mcp, auth, tokenRequests } = await signedInForMcp()
    mcp.world.issuer = undefined
    mcp.world.isOpen = true
    const client = mcpClient(sdk, mcp.url, { authProvider: auth().authProvider })
    await client.connect()
    expect(await client.call('echo')).toEqual(again)
    expect(mcp.seen.filter(({ authorization }) => authorization !== '')).toEqual([])
    // It is asked for its metadata once: below its path, and at its root.
    expect(mcp.seen.filter(({ path }) => path.startsWith('/.well-known/'))).toHaveLength(2)
    expect(tokenRequests).toEqual([])
  })
})

test('a token can be had before the first request, and is that of the requests', async () => {
  const { mcp, auth, tokenRequests } = await signedInForMcp()
  const { fetch, getToken } = auth()
  const token = await getToken()
  await fetch(mcp.url, { method: 'POST', body: '{}' })
  expect(mcp.seen.at(-1)?.authorization).toBe(`Bearer ${token}`)
  expect(tokenRequests).toHaveLength(1)
})

test('a server that asks for no token at first may ask for one later', async () => {
  const { mcp, auth } = await signedInForMcp()
  const { issuer } = mcp.world
  mcp.world.issuer = undefined
  mcp.world.isOpen = true
  const { fetch, authProvider } = auth()
  expect(await authProvider.tokens()).toBeUndefined()
  mcp.world.issuer = issuer
  mcp.world.isOpen = false
  await fetch(mcp.url, { method: 'POST', body: '{}' })
  expect(await authProvider.tokens()).toMatchObject({ token_type: 'Bearer' })
})

test('a challenge that led nowhere is not that of the next call, which asks for another', async () => {
  const { mcp, auth } = await signedInForMcp()
  const { fetch, getToken } = auth()
  mcp.world.challenge = 'Bearer resource_metadata="https://elsewhere.example/metadata"'
  const post = fetch(mcp.url, { method: 'POST', body: '{}' })
  await expect(post).rejects.toMatchObject({ code: 'ERR_AUTH_URL' })
  mcp.world.challenge = undefined
  expect(await getToken()).toMatch(/./)
})

test('to wait for a token can be aborted', async () => {
  const { mcp, auth } = await signedInForMcp()
  const { getToken } = auth()
  const reason = new Error('enough')
  await expect(getToken({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  // While the server does not respond.
  let isAsked = false
  mcp.world.metadata = () => void (isAsked = true)
  const controller = new AbortController()
  const waiting = getToken({ signal: controller.signal })
  await expect.poll(() => isAsked).toBe(true)
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
})

test('no secret shows in what it returns', async () => {
  const { auth, first } = await signedInForMcp()
  const own = auth()
  const token = await own.getToken()
  const { inspect } = await import('node:util')
  const shown = inspect(own, { depth: 10, showHidden: true }) + JSON.stringify(own)
  expect(shown).not.toContain(token)
  expect(shown).not.toContain(first)
})
