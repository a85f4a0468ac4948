import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { authMcp } from '@svc/auth-token/mcp'
import { deviceCode } from '@svc/auth-token/sign-in'
import { describe, expect, test } from 'vitest'
import { addresses, issuer, remote, resource } from './support/remote.ts'
import { failure, userOf } from './support/sessions.ts'

const origin = 'https://api.example.com/.well-known/oauth-protected-resource'

type World = ReturnType<typeof remote>

/** A session whose issuer the metadata of the resource tell, by the one door or by the other. */
const doors = {
  'a sign-in': ({ fetch }: World, scope?: string) => {
    const { session, user, time } = userOf(issuer)
    user.act = () => {}
    return { time, auth: session({ issuer: undefined, resource, fetch, scope }) }
  },
  authMcp: ({ fetch }: World, scope?: string) => {
    const { time } = userOf(issuer)
    const store = memoryTokenStore(time.clock)
    const signIn = deviceCode({ clientId: 'app', show: () => {}, scope })
    const url = resource
    return { time, auth: authMcp({ url, session: 'own', store, signIn, fetch, clock: time.clock }) }
  },
}

describe.each(Object.entries(doors))('for %s, metadata of a resource', (_, sessionWith) => {
  const told = async (world: World): Promise<unknown> => {
    const { auth, time } = sessionWith(world)
    return time.run(failure(auth))
  }

  test.for([408, 429, 500, 503])(
    'with status %d are not none: the error tells it, and when to try again',
    async (status) => {
      const headers = { 'retry-after': '20' }
      const world = remote({ [addresses.resource]: new Response('', { status, headers }) })
      const error = { code: 'ERR_AUTH_LOGIN_REFUSED', status, retryAt: expect.any(Number) }
      expect(await told(world)).toMatchObject(error)
      expect(world.to(origin)).toEqual([])
      expect(world.to(addresses.issuer)).toEqual([])
    },
  )

  test.for([401, 403, 404])('with status %d are those of its origin', async (status) => {
    const at = { resource: 'https://api.example.com', authorization_servers: [issuer] }
    const world = remote({ [addresses.resource]: new Response('', { status }), [origin]: at })
    expect(await told(world)).toBeUndefined()
    expect(world.to(`${issuer}/token`)[0]?.form.get('grant_type')).toContain('device_code')
  })

  test.for([
    'http://127.0.0.1:8080',
    'http://localhost:8080',
    'https://localhost',
    'https://localhost.',
    'https://[::1]',
    'https://10.0.0.1',
    'https://[fd00::1]',
    'https://169.254.169.254',
    'https://2130706433',
  ])('that name %s for the server are refused, which is asked nothing', async (named) => {
    const world = remote({ [addresses.resource]: { resource, authorization_servers: [named] } })
    expect(await told(world)).toMatchObject({
      code: 'ERR_AUTH_LOGIN_FAILED',
      message: expect.stringContaining('an address of this machine or network'),
    })
    expect(world.sent.map(({ url }) => new URL(url).origin)).not.toContain(new URL(named).origin)
  })

  test('tell the scopes to ask for, to which comes the one for a refresh token', async () => {
    const scopes = {
      resource,
      authorization_servers: [issuer],
      scopes_supported: ['read', 'write'],
    }
    const world = remote({ [addresses.resource]: scopes })
    expect(await told(world)).toBeUndefined()
    expect(world.to(`${issuer}/device`)[0]?.form.get('scope')).toBe('read write offline_access')
    const { auth, time } = sessionWith(world, 'openid')
    await time.run(auth.getToken())
    expect(world.to(`${issuer}/device`)[1]?.form.get('scope')).toBe('openid')
  })
})

describe('metadata of a server that is elsewhere', () => {
  const lead = (change: object): World => {
    const world = remote()
    const { [addresses.issuer]: metadata } = world.replies
    world.replies[addresses.issuer] = { ...metadata, ...change }
    return world
  }
  const inside = 'http://127.0.0.1:8080/'

  test.for([
    'authorization_endpoint',
    'device_authorization_endpoint',
    'registration_endpoint',
    'token_endpoint',
  ])('lead to nothing on this machine by their %s', async (name) => {
    const world = lead({ [name]: inside })
    const { session, time, shown } = userOf(issuer)
    expect(await time.run(failure(session({ fetch: world.fetch })))).toMatchObject({
      code: 'ERR_AUTH_LOGIN_FAILED',
      message: expect.stringContaining(`its ${name} is http://127.0.0.1:8080, an address of`),
    })
    expect(world.to(inside)).toEqual([])
    expect(shown).toEqual([])
  })

  test('take no refresh token there later', async () => {
    const world = remote()
    const { session, time, user, expire } = userOf(issuer)
    user.act = () => {}
    await time.run(session({ fetch: world.fetch }).getToken())
    await expire()
    const { [addresses.issuer]: metadata } = world.replies
    world.replies[addresses.issuer] = { ...metadata, token_endpoint: inside }
    expect(await time.run(failure(session({ fetch: world.fetch })))).toMatchObject({
      code: 'ERR_AUTH_LOGIN_FAILED',
    })
    expect(world.to(inside)).toEqual([])
  })

  test('show the user no address on this machine', async () => {
    const world = remote()
    const { [`${issuer}/device`]: code } = world.replies
    world.replies[`${issuer}/device`] = { ...code, verification_uri: inside }
    const { session, time, shown } = userOf(issuer)
    expect(await time.run(failure(session({ fetch: world.fetch })))).toMatchObject({
      code: 'ERR_AUTH_LOGIN_FAILED',
    })
    expect(shown).toEqual([])
  })

  test('may be a passing failure, after which no other ones are asked for', async () => {
    const world = remote({ [addresses.issuer]: new Response('', { status: 429 }) })
    const { session, time } = userOf(issuer)
    const refused = { code: 'ERR_AUTH_LOGIN_REFUSED', status: 429 }
    expect(await time.run(failure(session({ fetch: world.fetch })))).toMatchObject(refused)
    expect(world.sent).toHaveLength(1)
  })

  test('are not asked for an endpoint that the program gives', async () => {
    const world = remote({
      [inside]: { device_code: 'x', user_code: 'X', verification_uri: `${issuer}/enter` },
    })
    const { session, time, user } = userOf(issuer)
    user.act = () => {}
    const endpoints = { deviceAuthorizationEndpoint: inside, tokenEndpoint: `${issuer}/token` }
    expect(await time.run(session({ fetch: world.fetch, ...endpoints }).getToken())).toBe('a-token')
  })
})

test('the order of scopes tells no sign-in from another', async () => {
  const world = remote()
  const { session, time, user, shown } = userOf(issuer)
  user.act = () => {}
  const { fetch } = world
  const first = await time.run(session({ fetch, scope: 'openid read' }).getToken())
  expect(await time.run(session({ fetch, scope: 'read  openid read' }).getToken())).toBe(first)
  expect(shown).toHaveLength(1)
  await time.run(session({ fetch, scope: 'openid write' }).getToken())
  expect(shown).toHaveLength(2)
})
