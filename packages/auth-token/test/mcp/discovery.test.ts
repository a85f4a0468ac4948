import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { authMcp } from '@svc/auth-token/mcp'
import { loopback } from '@svc/auth-token/sign-in'
import { manualTime } from '../support/time.ts'
import { durableStore } from '../oauth2/support/signed-in.ts'
import { mcpClient, sdks, signedInForMcp } from './support/clients.ts'

const init = { method: 'POST', body: '{}' }

/** Calls the server once, and returns the error. */
async function failureOf(
  auth: { fetch: (url: URL, init?: RequestInit) => Promise<Response> },
  url: URL,
) {
  return auth.fetch(url, init).then(
    ({ status }) => status,
    (error: unknown) => error,
  )
}

/** A server elsewhere, which notes what it is asked. */
async function elsewhere() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
    response.end('{}')
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { url, seen }
}

const login = { signIn: () => Promise.reject(new Error('not reached')) }

test.each([
  ['http://mcp.example.com/mcp', 'url must be a URL with https://, or http:// on loopback'],
  ['ftp://mcp.example.com/mcp', 'url must be a URL with https://, or http:// on loopback'],
  ['mcp.example.com', 'url must be a URL with https://, or http:// on loopback'],
  ['https://user:secret@mcp.example.com/mcp', 'url must not contain credentials'],
])('the url %s is a TypeError', (url, requirement) => {
  const { store } = durableStore()
  const create = () => authMcp({ url, store, ...login })
  expect(create).toThrow(new TypeError(`[@svc/auth-token] authMcp: ${requirement}`))
})

test('an option that is wrong is a TypeError that names it', () => {
  const url = 'https://mcp.example.com/mcp'
  const of = (options: object) => () => authMcp({ url, ...login, ...options })
  expect(of({ serverUrl: url })).toThrow('serverUrl is not an option; did you mean url?')
  expect(of({ allowInsecureHttp: true })).toThrow('allowInsecureHttp is not an option')
  expect(of({ signIn: 'a token' })).toThrow('signIn must be what loopback(), deviceCode()')
  expect(of({ fetch: 'no function' })).toThrow('fetch must be a function')
  expect(of({ renewBeforeMs: -1 })).toThrow('renewBeforeMs must be a non-negative number')
  const signIn = loopback({ open: () => {} })
  expect(of({ signIn })).toThrow('store must be given')
  expect(of({ signIn, store: {} })).toThrow('store must be what')
})

test('a challenge that names metadata at another origin is refused, and that origin is asked nothing', async () => {
  const { mcp, auth, tokenRequests } = await signedInForMcp()
  const other = await elsewhere()
  mcp.world.challenge = `Bearer resource_metadata="${other.url.href}metadata"`
  const error = await failureOf(auth(), mcp.url)
  expect(error).toMatchObject({
    code: 'ERR_AUTH_URL',
    message: `[@svc/auth-token] the sign-in for ${mcp.url.href} names metadata at ${other.url.origin}, in the resource_metadata of its challenge: they must be at ${mcp.url.origin}. Ask its operator, or give signIn a login with an issuer`,
  })
  expect(other.seen).toEqual([])
  expect(tokenRequests).toEqual([])
})

test.each([
  ['another origin', 'https://other.example.com/mcp'],
  ['another path', '/other'],
  ['a path that only begins alike', '/mc'],
])('metadata of %s are refused, and no token is asked for', async (_, resource) => {
  const { mcp, auth, tokenRequests } = await signedInForMcp()
  mcp.world.resource = new URL(resource, mcp.url).href
  expect(await failureOf(auth(), mcp.url)).toMatchObject({
    code: 'ERR_AUTH_LOGIN_FAILED',
    message: `[@svc/auth-token] the resource ${mcp.url.href} has metadata at ${mcp.metadata.href} that are of another resource: ${mcp.world.resource}, not ${mcp.url.href}; check the address, or give issuer`,
  })
  expect(tokenRequests).toEqual([])
})

test('metadata of the origin are those of what is below it', async () => {
  const { mcp, auth, signIn, tokenRequests } = await signedInForMcp()
  mcp.world.resource = mcp.url.origin
  const first = await signIn(mcp.url.origin)
  const { refreshToken } = await import('@svc/auth-token/oauth2')
  const own = auth({
    signIn: (found) => refreshToken({ ...found, clientId: 'app', refreshToken: first }),
  })
  // The server of the SDK does not take such a message.
  expect((await own.fetch(mcp.url, init)).status).toBe(406)
  expect(tokenRequests[0]?.form.get('resource')).toBe(mcp.url.origin)
})

test.each([
  ['not JSON', '<html>', 'that are not JSON'],
  ['null', 'null', 'that are of another resource: none'],
  ['without a server', undefined, 'that name no authorization server; give issuer'],
  [
    'with the metadata of a server',
    'https://login.example.com/.well-known/openid-configuration',
    'that name the metadata of the authorization server https://login.example.com in place of its issuer',
  ],
  [
    'with a server over http',
    'http://login.example.com',
    'that name the authorization server http://login.example.com, which is not https',
  ],
])('metadata %s are refused', async (_, body, what) => {
  const { mcp, auth } = await signedInForMcp()
  const resource = mcp.url.href
  const isText = body === '<html>' || body === 'null'
  const servers = body === undefined ? [] : [body]
  const text = isText ? body : JSON.stringify({ resource, authorization_servers: servers })
  mcp.world.metadata = (response) => void response.end(text)
  expect(await failureOf(auth(), mcp.url)).toMatchObject({
    code: 'ERR_AUTH_LOGIN_FAILED',
    message: expect.stringContaining(what),
  })
})

test('metadata of 5 MB are not read to their end', async () => {
  const { mcp, auth } = await signedInForMcp()
  let sent = 0
  mcp.world.metadata = (response) => {
    const chunk = ' '.repeat(65_536)
    const more = (): void => {
      while (sent < 5_000_000 && !response.destroyed) {
        sent += chunk.length
        if (!response.write(chunk)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  }
  const error = await failureOf(auth(), mcp.url)
  expect(error).toMatchObject({
    code: 'ERR_AUTH_LOGIN_TOO_LARGE',
    message: `[@svc/auth-token] GET ${mcp.metadata.href} returned more than 1 MiB`,
  })
  // What the sockets hold is sent all the same.
  expect(sent).toBeLessThan(5_000_000)
})

test('metadata that redirect are not followed', async () => {
  const { mcp, auth } = await signedInForMcp()
  const other = await elsewhere()
  mcp.world.metadata = (response) =>
    void response.writeHead(302, { location: other.url.href }).end()
  expect(await failureOf(auth(), mcp.url)).toMatchObject({ code: 'ERR_AUTH_LOGIN_REDIRECT' })
  expect(other.seen).toEqual([])
})

test('metadata that never come end the call at its deadline', async () => {
  const time = manualTime(Date.now())
  const { mcp, auth } = await signedInForMcp(time)
  let isAsked = false
  mcp.world.metadata = () => void (isAsked = true)
  const failed = failureOf(auth({ loginTimeoutMs: 15_000 }), mcp.url)
  await expect.poll(() => isAsked).toBe(true)
  expect(await time.run(failed)).toMatchObject({
    code: 'ERR_AUTH_LOGIN_TIMEOUT',
    message: `[@svc/auth-token] the sign-in for ${mcp.url.href} got no metadata within 15000 ms (loginTimeoutMs): the server did not respond`,
  })
})

test.each(sdks)(
  'a path at which there is no server is an error that says so, with %s',
  async (sdk) => {
    const { mcp, auth } = await signedInForMcp()
    mcp.world.issuer = undefined
    mcp.world.intercept = ({ url = '' }, response) => {
      if (url === '/mcp') return false
      response.writeHead(404, { 'content-type': 'text/html' }).end('<pre>Cannot POST</pre>')
      return true
    }
    const url = new URL('/wrong', mcp.url)
    const own = auth({ url })
    const message = `[@svc/auth-token] the sign-in for ${url.href} was not made: the server asked for no token and returned status 404: check the path of url`
    const notThere = { code: 'ERR_AUTH_LOGIN_FAILED', status: 404, message }
    await expect(own.getToken()).rejects.toMatchObject(notThere)
    await expect(mcpClient(sdk, url, { fetch: own.fetch }).connect()).rejects.toThrow(message)
  },
)

test.each(sdks)(
  'a server without a token that has a stream alone at its address is used, with %s',
  async (sdk) => {
    const { mcp, auth } = await signedInForMcp()
    mcp.world.issuer = undefined
    mcp.world.isOpen = true
    mcp.world.intercept = ({ url, method }, response) => {
      if (url !== '/sse' || method === 'GET') return false
      response.writeHead(404).end()
      return true
    }
    const { fetch, authProvider } = auth({ url: mcp.sse })
    for (const options of [{ fetch }, { authProvider }]) {
      const client = mcpClient(sdk, mcp.sse, options)
      await client.connect()
      expect(await client.call('echo')).toEqual([{ type: 'text', text: 'again' }])
    }
  },
)

test('a session of the server that is over is for the client', async () => {
  const { mcp, auth } = await signedInForMcp()
  mcp.world.intercept = (_, response) => {
    response.writeHead(404).end()
    return true
  }
  const headers = { 'mcp-session-id': 'over' }
  expect((await auth().fetch(mcp.url, { ...init, headers })).status).toBe(404)
})

test('a failed look at the metadata is made again by the next call', async () => {
  const { mcp, auth, tokenRequests } = await signedInForMcp()
  mcp.world.metadata = (response) => void response.writeHead(503).end()
  const own = auth()
  expect(await failureOf(own, mcp.url)).toMatchObject({
    code: 'ERR_AUTH_LOGIN_REFUSED',
    status: 503,
  })
  mcp.world.metadata = undefined
  expect(await failureOf(own, mcp.url)).toBe(406)
  expect(tokenRequests).toHaveLength(1)
})

test('ten calls at once look for the metadata once', async () => {
  const { mcp, auth, tokenRequests } = await signedInForMcp()
  const own = auth()
  const calls = Array.from({ length: 10 }, () => failureOf(own, mcp.url))
  expect(new Set(await Promise.all(calls))).toEqual(new Set([406]))
  expect(mcp.seen.filter(({ path }) => path === mcp.metadata.pathname)).toHaveLength(1)
  expect(tokenRequests).toHaveLength(1)
})

test('nothing is sent to another origin, and an error says which it covers', async () => {
  const { auth } = await signedInForMcp()
  const other = await elsewhere()
  expect(await failureOf(auth(), other.url)).toMatchObject({ code: 'ERR_AUTH_ORIGIN' })
  expect(other.seen).toEqual([])
})

test('a redirect of the server itself takes no token elsewhere', async () => {
  const { mcp, auth } = await signedInForMcp()
  const other = await elsewhere()
  mcp.world.intercept = ({ headers }, response) => {
    if (!headers.authorization) return false
    response.writeHead(307, { location: other.url.href }).end()
    return true
  }
  expect(await failureOf(auth(), mcp.url)).toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
  expect(other.seen).toEqual([])
})

test('a server without metadata is its own authorization server, once it asked for a token', async () => {
  const { mcp, auth } = await signedInForMcp()
  mcp.world.issuer = undefined
  mcp.world.challenge = 'Bearer realm="mcp"'
  const error = await failureOf(auth(), mcp.url)
  expect(error).toMatchObject({
    code: 'ERR_AUTH_LOGIN_FAILED',
    message: expect.stringContaining(
      `${mcp.url.origin}/.well-known/openid-configuration returned status 404`,
    ),
  })
})

test('a server that refuses each path that it does not know has no metadata there', async () => {
  const { mcp, auth, tokenRequests } = await signedInForMcp()
  mcp.world.challenge = 'Bearer'
  mcp.world.resource = mcp.url.origin
  mcp.world.intercept = ({ url = '' }, response) => {
    if (url !== mcp.metadata.pathname) return false
    response.writeHead(403).end()
    return true
  }
  await failureOf(auth(), mcp.url)
  expect(mcp.seen.map(({ path }) => path)).toContain('/.well-known/oauth-protected-resource')
  expect(tokenRequests).toEqual([])
})

test.each([
  ['fails', () => Promise.reject(new Error('a secret')), 'signIn failed'],
  ['returns nothing', () => undefined, 'signIn must return what loopback()'],
  ['returns a token', () => 'a secret', 'signIn must return what loopback()'],
])('a signIn that %s is an error that says so', async (_, signIn, what) => {
  const { mcp, auth } = await signedInForMcp()
  const error = await failureOf(auth({ signIn: signIn as never }), mcp.url)
  expect(error).toMatchObject({
    code: 'ERR_AUTH_CREDENTIALS',
    message: expect.stringContaining(`${mcp.url.href} was not made: ${what}`),
  })
  expect(String(error)).not.toContain('a secret')
})

test('a signIn that never returns ends the call at its deadline', async () => {
  const time = manualTime(Date.now())
  const { mcp, auth } = await signedInForMcp(time)
  const signIn = (): Promise<never> => new Promise(() => {})
  expect(await time.run(failureOf(auth({ signIn }), mcp.url))).toMatchObject({
    code: 'ERR_AUTH_LOGIN_TIMEOUT',
    message: expect.stringContaining('signIn did not return'),
  })
})

test('a login with an issuer of its own needs no metadata', async () => {
  const { mcp, auth, first, issuer, tokenRequests } = await signedInForMcp()
  const { refreshToken } = await import('@svc/auth-token/oauth2')
  const resource = mcp.url.href
  const signIn = refreshToken({ issuer, resource, clientId: 'app', refreshToken: first })
  expect(await failureOf(auth({ signIn }), mcp.url)).toBe(406)
  expect(mcp.seen.map(({ path }) => path)).toEqual(['/mcp'])
  expect(tokenRequests).toHaveLength(1)
})
