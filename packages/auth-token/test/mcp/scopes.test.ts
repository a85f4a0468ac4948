import type { McpServer } from '@svc/auth-token/mcp'
import { refreshToken } from '@svc/auth-token/oauth2'
import { describe, expect, test } from 'vitest'
import { mcpClient, sdks, signedInForMcp } from './support/clients.ts'
import type { McpWorld } from './support/mcp-server.ts'

const init = { method: 'POST', body: '{}' }

/** Refuses every change with the first token, by a 403 that names a scope. */
function refuseChanges(scope: string): McpWorld['intercept'] {
  let first: string | undefined
  return ({ url, headers }, response) => {
    const { authorization } = headers
    first ??= authorization
    if (!authorization || authorization !== first || !url?.includes('change')) return false
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
    response.writeHead(403, { 'www-authenticate': challenge }).end()
    return true
  }
}

/** A server that wants another scope for each change, and a user who grants everything. */
async function scoped(scope = 'write') {
  const { mcp, auth, signIn, ...rest } = await signedInForMcp()
  const asked: McpServer[] = []
  mcp.world.challenge = `Bearer resource_metadata="${mcp.metadata.href}", scope="read"`
  // What the server names for this very request comes before what its metadata name.
  mcp.world.scopes = ['read', 'admin']
  mcp.world.intercept = refuseChanges(scope)
  const own = auth({
    async signIn(server) {
      asked.push(server)
      const first = await signIn(mcp.url.href)
      return refreshToken({ ...server, clientId: 'app', refreshToken: first })
    },
  })
  return { ...rest, mcp, own, asked, change: new URL('/mcp?change', mcp.url) }
}

test('a 403 that names a scope leads to a sign-in with it as well, once for all calls', async () => {
  const { mcp, own, asked, change, issuer, tokenRequests } = await scoped()
  const resource = mcp.url.href
  expect((await own.fetch(mcp.url, init)).status).toBe(406)
  expect(asked).toEqual([{ issuer, resource, scope: 'read' }])
  const calls = Array.from({ length: 5 }, async () => (await own.fetch(change, init)).status)
  expect(await Promise.all(calls)).toEqual([406, 406, 406, 406, 406])
  expect(asked.slice(1)).toEqual([{ issuer, resource, scope: 'read write' }])
  expect(tokenRequests.map(({ form }) => form.get('scope'))).toEqual(['read', 'read write'])
  const tokenOf = (): string | undefined => mcp.seen.at(-1)?.authorization
  const wide = tokenOf()
  // The wider token is that of everything after it.
  await own.fetch(mcp.url, init)
  expect(tokenOf()).toBe(wide)
  expect(tokenRequests).toHaveLength(2)
})

test('a scope that was asked for is not asked for again: the 403 is an error', async () => {
  const { own, asked, change } = await scoped('read')
  await expect(own.fetch(change, init)).rejects.toMatchObject({
    code: 'ERR_AUTH_CHALLENGE',
    status: 403,
    message: expect.stringContaining("needs scope 'read', but its token was asked for with that"),
  })
  expect(asked).toHaveLength(1)
})

test('a server that asks for ever more scopes is told no, and the user is left alone', async () => {
  const refused = { code: 'ERR_AUTH_CHALLENGE' }
  const { mcp, auth } = await signedInForMcp()
  let refusals = 0
  mcp.world.intercept = ({ headers, url }, response) => {
    if (!headers.authorization) return false
    refusals += 1
    return refuseChanges(`scope${refusals}`)?.({ headers, url } as never, response) ?? false
  }
  const asked: unknown[] = []
  const own = auth({
    // The login of a server that grants whatever it is asked for.
    signIn({ scope = '' }) {
      asked.push(scope)
      const login = async () => ({ token: `a-token-${asked.length}` })
      return { credentials: { secrets: [] }, keyOf: () => scope, login }
    },
  })
  const change = new URL('/mcp?change', mcp.url)
  for (let turn = 0; turn < 30; turn += 1) {
    await expect(own.fetch(change, init)).rejects.toMatchObject(refused)
  }
  expect(asked).toHaveLength(21)
})

test('a server may ask for another authentication, too', async () => {
  const { mcp, auth, first } = await signedInForMcp()
  const asked: McpServer[] = []
  let refused: string | undefined
  mcp.world.intercept = ({ headers: { authorization } }, response) => {
    refused ??= authorization
    if (authorization === undefined || authorization !== refused) return false
    const challenge = 'Bearer error="insufficient_user_authentication", acr_values="mfa"'
    response.writeHead(401, { 'www-authenticate': challenge }).end()
    return true
  }
  const own = auth({
    signIn(server) {
      asked.push(server)
      return refreshToken({ ...server, clientId: 'app', refreshToken: first })
    },
  })
  expect((await own.fetch(mcp.url, init)).status).toBe(406)
  const { issuer, resource } = asked[0] ?? {}
  expect(asked.at(-1)).toMatchObject({ issuer, resource, parameters: { acr_values: 'mfa' } })
  expect(asked).toHaveLength(2)
})

test('a 403 for another reason is the response', async () => {
  const { mcp, own, asked } = await scoped()
  mcp.world.intercept = ({ headers }, response) => {
    if (!headers.authorization) return false
    response.writeHead(403, { 'www-authenticate': 'Bearer error="invalid_request"' }).end()
    return true
  }
  expect((await own.fetch(mcp.url, init)).status).toBe(403)
  expect(asked).toHaveLength(1)
})

test('a user who grants no more keeps what there is', async () => {
  const { mcp, auth, first } = await signedInForMcp()
  let isDenied = 0
  const own = auth({
    async signIn(server) {
      if (server.scope?.includes('admin')) {
        isDenied += 1
        throw new Error('denied')
      }
      return refreshToken({ ...server, clientId: 'app', refreshToken: first })
    },
  })
  mcp.world.intercept = refuseChanges('admin')
  const change = new URL('/mcp?change', mcp.url)
  const failed = {
    code: 'ERR_AUTH_CREDENTIALS',
    message: expect.stringContaining("needs scope 'admin'"),
    cause: expect.objectContaining({ cause: new Error('denied') }),
  }
  await own.fetch(mcp.url, init)
  await expect(own.fetch(change, init)).rejects.toMatchObject(failed)
  expect((await own.fetch(mcp.url, init)).status).toBe(406)
  // It may be granted later.
  await expect(own.fetch(change, init)).rejects.toMatchObject(failed)
  expect(isDenied).toBe(2)
})

describe.each(sdks)('a client of %s', (sdk) => {
  test('gets the 403 where the login is one that was given', async () => {
    const { mcp, auth, first, issuer } = await signedInForMcp()
    const resource = mcp.url.href
    const signIn = refreshToken({ issuer, resource, clientId: 'app', refreshToken: first })
    const client = mcpClient(sdk, mcp.url, { fetch: auth({ signIn }).fetch })
    await client.connect()
    mcp.world.intercept = (_request, response) => {
      const challenge = 'Bearer error="insufficient_scope", scope="admin"'
      response.writeHead(403, { 'www-authenticate': challenge }).end()
      return true
    }
    await expect(client.call('echo')).rejects.toThrow(/scope|403|HTTP/)
  })
})
