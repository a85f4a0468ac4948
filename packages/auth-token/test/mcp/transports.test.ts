import { describe, expect, test } from 'vitest'
import { holdNextExchange } from '../oauth2/support/authorization-server.ts'
import { mcpClient, sdks, signedInForMcp } from './support/clients.ts'

const again = [{ type: 'text', text: 'again' }]

describe.each(sdks)('a client of %s', (sdk) => {
  test('asks once without a token, and then sends it with everything up to the end of its session', async () => {
    const { mcp, auth, tokenRequests } = await signedInForMcp()
    const client = mcpClient(sdk, mcp.url, { fetch: auth().fetch })
    await client.connect()
    expect(await client.call('echo')).toEqual(again)
    await expect.poll(() => mcp.seen.some(({ method }) => method === 'GET')).toBe(true)
    await client.terminate()
    const own = mcp.seen.filter(({ path }) => path === '/mcp')
    const [first, ...others] = own
    expect(first).toMatchObject({ method: 'POST', authorization: '', status: 401 })
    const tokens = new Set(others.map(({ authorization }) => authorization))
    expect([...tokens]).toEqual([expect.stringMatching(/^Bearer ./)])
    const methods = new Set(others.map(({ method }) => method))
    expect(methods).toEqual(new Set(['POST', 'GET', 'DELETE']))
    expect(mcp.sessions.size).toBe(0)
    expect(tokenRequests).toHaveLength(1)
    expect(client.errors).toEqual([])
  })

  test('goes on where its stream broke off, with a token', async () => {
    const { mcp, auth } = await signedInForMcp()
    const client = mcpClient(sdk, mcp.url, { fetch: auth().fetch })
    await client.connect()
    expect(await client.call('break')).toEqual([{ type: 'text', text: 'after the break' }])
    const resumed = mcp.seen.filter(({ lastEventId }) => lastEventId !== '')
    expect(resumed.length).toBeGreaterThan(0)
    for (const one of resumed) expect(one).toMatchObject({ method: 'GET', status: 200 })
  })

  test('gets another token where the server takes the one it has no more', async () => {
    const { mcp, auth, end, tokenRequests, revoked } = await signedInForMcp()
    const client = mcpClient(sdk, mcp.url, { fetch: auth().fetch })
    await client.connect()
    await client.call('echo')
    const { authorization = '' } = mcp.seen.at(-1) ?? {}
    await end(authorization.replace('Bearer ', ''))
    const calls = Array.from({ length: 10 }, () => client.call('echo'))
    expect(await Promise.all(calls)).toEqual(calls.map(() => again))
    expect(tokenRequests).toHaveLength(2)
    expect(revoked()).toBe(0)
  })

  test('sends its token by SSE too, to the address that the server names', async () => {
    const { mcp, auth } = await signedInForMcp()
    const client = mcpClient(sdk, mcp.sse, { fetch: auth().fetch })
    await client.connect()
    expect(await client.call('echo')).toEqual(again)
    const own = mcp.seen.filter(({ path }) => path.startsWith('/sse'))
    expect(own.filter(({ authorization }) => authorization === '')).toHaveLength(1)
    expect(own.some(({ path }) => path.startsWith('/sse/messages?'))).toBe(true)
  })

  test('says by SSE too what is wrong with a server', async () => {
    const { mcp, auth } = await signedInForMcp()
    mcp.world.resource = 'https://other.example.com/sse'
    mcp.world.challenge = `Bearer resource_metadata="${mcp.metadata.href}"`
    const client = mcpClient(sdk, mcp.sse, { fetch: auth({ url: mcp.sse }).fetch })
    await expect(client.connect()).rejects.toThrow(
      'are of another resource: https://other.example.com/sse',
    )
  })

  test('can abort a call that waits for the sign-in, which goes on for others', async () => {
    const { mcp, auth, world, tokenRequests } = await signedInForMcp()
    const exchange = holdNextExchange(world)
    const { fetch } = auth()
    const one = new AbortController()
    const init = { method: 'POST', body: '{}' }
    const aborted = fetch(mcp.url, { ...init, signal: one.signal }).catch((error: unknown) => error)
    const other = fetch(mcp.url, init)
    await expect.poll(exchange.isHeld).toBe(true)
    one.abort(new Error('enough'))
    expect(await aborted).toEqual(new Error('enough'))
    exchange.release()
    // The server of the SDK does not take such a message.
    expect((await other).status).toBe(406)
    expect(tokenRequests).toHaveLength(1)
  })
})

test('a server that needs no token gets none, and is asked for no metadata', async () => {
  const { mcp, auth, tokenRequests } = await signedInForMcp()
  mcp.world.intercept = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    return true
  }
  const { fetch } = auth()
  expect((await fetch(mcp.url, { method: 'POST', body: '{}' })).status).toBe(200)
  expect(mcp.seen.map(({ path, authorization }) => path + authorization)).toEqual(['/mcp'])
  expect(tokenRequests).toEqual([])
})

test('a stream that breaks off fails its reader, and nothing else', async () => {
  const { mcp, auth } = await signedInForMcp()
  const { fetch } = auth()
  mcp.world.intercept = (request, response) => {
    if (request.headers.authorization === undefined) return false
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: one\n\n')
    setTimeout(() => response.destroy(), 10)
    return true
  }
  const response = await fetch(mcp.url)
  const reader = response.body?.getReader()
  const first = await reader?.read()
  expect(new TextDecoder().decode(first?.value)).toBe('data: one\n\n')
  await expect(reader?.read()).rejects.toThrow('terminated')
  mcp.world.intercept = undefined
  expect((await fetch(mcp.url, { method: 'DELETE' })).status).not.toBe(401)
})
