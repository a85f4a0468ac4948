import { createServer } from 'node:http'
import { authFetch, type AuthScheme, type Fetch, kyAuthHooks } from '@svc/auth-hooks'
import ky from 'ky'
import ky1 from 'ky1'
import type { Authorization } from '@svc/types'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type LoopbackServer, listenOnLoopback } from '../../../../tests/support/loopback.ts'

let home: LoopbackServer
let elsewhere: LoopbackServer
const strays: (string | undefined)[] = []

beforeAll(async () => {
  elsewhere = await listenOnLoopback(
    createServer((request, response) => {
      strays.push(request.headers.authorization)
      response.end('from elsewhere')
    }),
  )
  home = await listenOnLoopback(
    createServer((request, response) => {
      const away = request.url === '/away'
      if (!away && request.url !== '/within') response.end('from home')
      else response.writeHead(302, { location: away ? elsewhere.url.href : '/there' }).end('moved')
    }),
  )
})
afterAll(() => Promise.all([home.close(), elsewhere.close()]))

const scheme: AuthScheme = {
  name: 'test',
  covers: ({ origin }) => origin === home.url.origin,
  authorize: () => ({ scheme: 'test', headers: [['x-api-key', 'a key']] }),
}
/** A fetch that does what it likes, as that of React Native. */
const following: Fetch = (input, init) => fetch(input, { ...init, redirect: 'follow' })
/** The same of a runtime whose responses say only where they come from. */
const followingInSecret: Fetch = async (input, init) => {
  const response = await following(input, init)
  return Object.defineProperty(response, 'redirected', { value: undefined })
}
/** The same of a bridge to native code, which makes a response by hand. */
const followingNatively: Fetch = async (input, init) => {
  const { body, status, url } = await following(input, init)
  return Object.defineProperty(new Response(body, { status }), 'url', { value: url })
}

describe('a redirect that a fetch followed by itself is an ERR_AUTH_REDIRECT', () => {
  test.each([following, followingInSecret, followingNatively])(
    'to another origin',
    async (inner) => {
      const sent = authFetch(scheme, { fetch: inner })(new URL('/away', home.url))
      await expect(sent).rejects.toMatchObject({
        code: 'ERR_AUTH_REDIRECT',
        status: 200,
        message: expect.stringContaining(`was redirected to ${elsewhere.url.origin} by a fetch`),
      })
    },
  )

  test('within the origin, where the response says so', async () => {
    const sent = authFetch(scheme, { fetch: following })(new URL('/within', home.url))
    await expect(sent).rejects.toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
  })

  test.each([
    ['ky 1', ky1],
    ['ky 2', ky],
  ] as const)('with the hooks of %s, unless the caller trusts it', async (_, library) => {
    const abandon = vi.fn<() => void>()
    strays.length = 0
    const leasing: AuthScheme = {
      ...scheme,
      authorize: (request) => ({ ...(scheme.authorize(request) as Authorization), abandon }),
    }
    const get = (trustRedirects: boolean): Promise<string> => {
      const hooks = kyAuthHooks(leasing, { fetch: following, trustRedirects }) as object
      return (library as typeof ky)(new URL('/away', home.url), { fetch: following, hooks }).text()
    }
    await expect(get(false)).rejects.toMatchObject({ code: 'ERR_AUTH_REDIRECT', status: 200 })
    expect(abandon).toHaveBeenCalledOnce()
    // ky 1 tries again whatever failed.
    expect(strays.splice(0)).toHaveLength(1)
    expect(await get(true)).toBe('from elsewhere')
  })

  test('with the hooks of ky, of a request that is sent again', async () => {
    let sent = 0
    const inner: Fetch = async (input, init) => {
      sent += 1
      return sent === 1 ? new Response(null, { status: 401 }) : following(input, init)
    }
    const review = (): string => 'rejected'
    const reviewing: AuthScheme = {
      ...scheme,
      authorize: () => ({ scheme: 'test', headers: [['x-api-key', 'a key']], review }),
    }
    const hooks = kyAuthHooks(reviewing, { fetch: inner })
    const got = ky(new URL('/away', home.url), { fetch: inner, hooks, retry: 0 })
    await expect(got).rejects.toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
  })

  test('but its response where the caller trusts it', async () => {
    const send = authFetch(scheme, { fetch: following, trustRedirects: true })
    const response = await send(new URL('/away', home.url))
    expect(await response.text()).toBe('from elsewhere')
  })

  test.each([following, followingInSecret, followingNatively])(
    'and any other response is the caller’s',
    async (inner) => {
      const response = await authFetch(scheme, { fetch: inner })(new URL('/', home.url))
      expect(await response.text()).toBe('from home')
    },
  )

  test('a response whose url is no address is the caller’s', async () => {
    const inner: Fetch = async () =>
      Object.defineProperty(new Response('by hand'), 'url', { value: '/user' })
    const response = await authFetch(scheme, { fetch: inner })(home.url)
    expect(await response.text()).toBe('by hand')
  })
})

test('trustRedirects must be true or false', () => {
  const wrong: never = 'yes' as never
  expect(() => authFetch(scheme, { trustRedirects: wrong })).toThrow(
    '[@svc/auth-hooks] authFetch: trustRedirects must be true or false',
  )
})
