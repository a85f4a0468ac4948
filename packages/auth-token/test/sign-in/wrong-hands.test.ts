import { inspect } from 'node:util'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { authMcp, type McpAuthOptions } from '@svc/auth-token/mcp'
import { refreshToken } from '@svc/auth-token/oauth2'
import { deviceCode, loopback } from '@svc/auth-token/sign-in'
import { describe, expect, test } from 'vitest'
import { mcpServer } from '../mcp/support/mcp-server.ts'
import { straightBack } from './support/browser.ts'
import { scriptedServer } from './support/scripted-server.ts'
import { failure, userOf, withCode } from './support/sessions.ts'

const issuer = 'https://login.example.com'
const resource = 'https://api.example.com/mcp'

describe('what is a secret of one server goes to none that metadata name', () => {
  const open = (): void => {}
  test.for([
    ['clientSecret', { clientSecret: 'a secret of the client' }],
    ['tokenEndpoint', { tokenEndpoint: `${issuer}/token` }],
  ] as const)('%s without issuer', async ([option, secret]) => {
    const message = `issuer must be given with ${option}: `
    const own = { clientId: 'app', resource }
    expect(() => loopback({ ...own, ...secret, open })).toThrow(message)
    expect(() => deviceCode({ ...own, ...secret, show: open })).toThrow(message)
    // Given beside the sign-in.
    const signIn = { ...loopback({ ...own, open }), ...secret }
    const rest = { url: resource, store: memoryTokenStore() }
    expect(() => refreshToken(signIn)).toThrow(message)
    expect(() => authMcp({ ...rest, signIn })).toThrow(message)
    const given = { ...signIn, issuer }
    expect(refreshToken(given)).toHaveProperty('login')
    expect(authMcp({ ...rest, signIn: given })).toHaveProperty('fetch')
  })
})

describe('a server that names the page of another one for its own', () => {
  /** The server of an MCP server, and what its browser comes back with. */
  async function setUp(change: object, callback: (issuer: string) => Record<string, string>) {
    const honest = await scriptedServer()
    const named = await scriptedServer()
    const metadata = {
      ...named.metadata,
      authorization_endpoint: honest.metadata.authorization_endpoint,
      ...change,
    }
    named.replies['/.well-known/openid-configuration'] = metadata
    const mcp = await mcpServer(async (token) => token === 'a-token')
    mcp.world.issuer = named.issuer
    const browser = straightBack(callback(named.issuer))
    const get = (own: object = {}): Promise<string> => {
      return by(loopback({ clientId: 'app', open: browser.open, ...own }))
    }
    const by = (signIn: McpAuthOptions['signIn']): Promise<string> => {
      const store = memoryTokenStore()
      return authMcp({ url: mcp.url, session: 'own', store, signIn }).getToken()
    }
    /** Has a function make the sign-in of what metadata say, as the guide shows it. */
    const getByFunction = (own: object = {}): Promise<string> =>
      by((server) => loopback({ ...server, clientId: 'app', open: browser.open, ...own }))
    return { named, honest, get, getByFunction }
  }

  test('gets no code, where metadata named it', async () => {
    const { named, get } = await setUp({}, () => ({}))
    const thrown: unknown = await get().catch((error: unknown) => error)
    expect(thrown).toEqual(withCode('ERR_AUTH_SIGN_IN_FAILED'))
    expect(String(thrown)).toContain('give issuer')
    expect(named.to('/token')).toEqual([])
  })

  test('gets none from a function that takes the issuer from metadata, unless it knows the page', async () => {
    const { named, honest, getByFunction } = await setUp({}, () => ({}))
    const thrown: unknown = await getByFunction().catch((error: unknown) => error)
    expect(thrown).toEqual(withCode('ERR_AUTH_SIGN_IN_FAILED'))
    expect(String(thrown)).toContain('give authorizationEndpoint with tokenEndpoint')
    const asUrl = getByFunction({ issuer: new URL(named.issuer) })
    expect(await asUrl.catch((error: unknown) => error)).toEqual(
      withCode('ERR_AUTH_SIGN_IN_FAILED'),
    )
    expect(named.to('/token')).toEqual([])
    const authorizationEndpoint = honest.metadata.authorization_endpoint
    const tokenEndpoint = named.metadata.token_endpoint
    expect(await getByFunction({ authorizationEndpoint, tokenEndpoint })).toBe('a-token')
    const told = await setUp({}, (iss) => ({ iss }))
    expect(await told.getByFunction({ clientSecret: 'a secret' })).toBe('a-token')
    expect(await (await setUp({}, () => ({}))).getByFunction({ issuer: honest.issuer })).toBe(
      'a-token',
    )
  })

  test('gets it where the browser says whose it is, or the program does', async () => {
    const told = await setUp({}, (iss) => ({ iss }))
    expect(await told.get()).toBe('a-token')
    const given = await setUp({}, () => ({}))
    expect(await given.get({ issuer: given.named.issuer })).toBe('a-token')
  })
})

test('what a program gets shows no secret, and has it all the same', async () => {
  const server = await scriptedServer()
  const { time, session, user } = userOf(server.issuer)
  user.act = () => {}
  const secrets = { clientSecret: 'S3CRETofTheClient', sealedWith: 'S3CRETofTheStore' }
  const own = { issuer, clientId: 'app', scope: 'openid' }
  const ask = (): void => {}
  for (const signIn of [
    deviceCode({ ...own, ...secrets, show: ask }),
    loopback({ ...own, ...secrets, open: ask }),
  ]) {
    const shown = [signIn, { ...signIn }, refreshToken(signIn)].flatMap((one) => [
      JSON.stringify(one),
      inspect(one, { depth: Infinity, showHidden: true }),
    ])
    expect(shown.join()).not.toContain('S3CRET')
    expect(signIn).toMatchObject(own)
  }
  await time.run(session(secrets).getToken())
  const basic = `Basic ${btoa(`app:${secrets.clientSecret}`)}`
  expect(server.first('/token').authorization).toBe(basic)
})

test('a program is told whom it asks for', async () => {
  const server = await scriptedServer()
  const { session, time, shown } = userOf(server.issuer)
  const abouts: unknown[] = []
  const browser = straightBack()
  await time.run(session().getToken())
  expect(shown).toMatchObject([{ issuer: server.issuer }])
  const signIn = loopback({
    issuer: server.issuer,
    clientId: 'app',
    open(url, about) {
      abouts.push(about)
      return browser.open(url)
    },
  })
  const store = memoryTokenStore()
  await authMcp({ url: resource, session: 'own', store, signIn }).getToken()
  expect(abouts).toEqual([{ issuer: server.issuer }])
})

describe('a secret of the client stands in no message of its server', () => {
  const clientSecret = 'S3CRET-of-the-client'
  const says = { error: 'temporary', error_description: `no such secret: ${clientSecret}` }

  /** The user of a server that repeats what it gets, and all that the program is told. */
  async function setUp() {
    const server = await scriptedServer()
    const { user, events, time, session } = userOf(server.issuer)
    user.act = () => {}
    const told = async (auth: ReturnType<typeof session>): Promise<string> => {
      const thrown: unknown = await time.run(failure(auth))
      expect(thrown).toBeInstanceOf(Error)
      return JSON.stringify([String(thrown), Object.entries(Object(thrown)), events])
    }
    return { server, time, session, told }
  }

  test('at the question to the user', async () => {
    const { server, session, told } = await setUp()
    server.replies['/device'] = [500, says]
    expect(await told(session({ clientSecret }))).not.toContain(clientSecret)
  })

  test('at a refresh', async () => {
    const { server, session, time, told } = await setUp()
    const auth = session({ clientSecret })
    await time.run(auth.getToken())
    await time.advance(600_001)
    server.replies['/token'] = [403, says]
    expect(await told(auth)).not.toContain(clientSecret)
  })

  test('of a client that was registered for this sign-in, and its code', async () => {
    const { server, session, told } = await setUp()
    const metadata = { ...server.metadata, registration_endpoint: `${server.issuer}/register` }
    server.replies['/.well-known/openid-configuration'] = metadata
    server.replies['/register'] = { client_id: 'a-client', client_secret: clientSecret }
    server.replies['/token'] = { message: `no token for ${clientSecret}` }
    expect(await told(session({ clientId: undefined }))).not.toContain(clientSecret)
    server.replies['/token'] = { message: server.code.device_code }
    const text = await told(session({ clientId: undefined, account: 'another' }))
    expect(text).not.toContain(server.code.device_code)
  })
})
