import { authFetch, authorizeRequest } from '@svc/auth-hooks'
import { presign } from '@svc/auth-sigv4/presign'
import {
  createRouteAuthSelector,
  type PathRoute,
  type PrefixRoute,
  type RouteAuthSelectorOptions,
} from '@svc/route-auth-selector'
import type { AuthScheme } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { NotPossible, titleOf } from '../clients/client.ts'
import { triedClients } from '../clients/libraries/index.ts'
import { responseText, serveRaw } from './raw-server.ts'
import { apiKeyAuth, serviceAuth, sigV4Auth, tokenAuth } from './schemes.ts'
import { makeJwt } from './secrets.ts'

const jwt = makeJwt('injection')
/** Characters that would begin a line of their own, or end a text for a program in C. */
const breaks = ['\r\n', '\n', '\r', '\0'].map((text) => [JSON.stringify(text), text] as const)

function service(response = responseText(200)) {
  return serveRaw((socket, { path }) => {
    const login = responseText(200, {}, JSON.stringify({ Token: jwt }))
    socket.write(path === '/user/login' ? login : response)
  })
}

function selector(
  origin: string,
  options: Partial<RouteAuthSelectorOptions>,
  route: Pick<PathRoute, 'path' | 'method'> | Pick<PrefixRoute, 'prefix'> = { path: '/a' },
): AuthScheme {
  const use = apiKeyAuth(origin)
  return createRouteAuthSelector({
    origins: [origin],
    routes: [{ ...route, use }],
    otherwise: use,
    ...options,
  })
}

describe.each(breaks)('%s', (_name, mark) => {
  const text = `a${mark}x-injected: 1`

  test.each<[option: string, make: (origin: string) => unknown]>([
    ['vendorPrefix', (origin) => tokenAuth(origin, { vendorPrefix: text })],
    ['region', (origin) => sigV4Auth(origin, { region: text })],
    ['service', (origin) => sigV4Auth(origin, { service: text })],
    ['signHeaders', (origin) => sigV4Auth(origin, { signHeaders: [text] })],
    ...['accessKeyId', 'secretAccessKey', 'sessionToken'].map(
      (field): [string, (origin: string) => unknown] => [
        `credentials.${field}`,
        (origin) =>
          sigV4Auth(origin, {
            credentials: { accessKeyId: 'AKID', secretAccessKey: 'key', [field]: text },
          }),
      ],
    ),
    ['sensitiveHeaders', (origin) => authFetch(apiKeyAuth(origin), { sensitiveHeaders: [text] })],
    ['basePath', (origin) => selector(origin, { basePath: `/${text}` })],
    ['routes[0].path', (origin) => selector(origin, {}, { path: `/${text}` })],
    ['routes[0].method', (origin) => selector(origin, {}, { path: '/a', method: text })],
    ['routes[0].prefix', (origin) => selector(origin, {}, { prefix: `/${text}` })],
  ])('in %s is a TypeError that names it', (option, make) => {
    expect(() => make('https://h')).toThrow(TypeError)
    expect(() => make('https://h')).toThrow(option)
  })

  test.each([
    ['method', { method: text }],
    ['headers', { headers: { 'x-own': text } }],
    ['headers', { headers: { [text]: 'own' } }],
  ])('in %s of a presigned URL is a TypeError that names it', async (option, options) => {
    const presigned = presign(sigV4Auth('https://h'), 'https://h/a', options)
    await expect(presigned).rejects.toThrow(TypeError)
    await expect(presigned).rejects.toThrow(option)
  })

  test('in the address of a presigned URL is encoded, or taken out as the URL standard has it', async () => {
    const { href } = await presign(sigV4Auth('https://h'), `https://h/${text}?q=${text}#${text}`)
    expect(href).toMatch(/^[!-~]+$/)
    expect(href).toContain(mark === '\0' ? '/a%00x-injected' : '/ax-injected')
  })

  test('in credentials of a provider is an error that names the field, and nothing is sent', async () => {
    const { origin, requests } = await service()
    const credentials = () => ({ accessKeyId: 'AKID', secretAccessKey: 'key', sessionToken: text })
    await expect(authFetch(sigV4Auth(origin, { credentials }))(origin)).rejects.toMatchObject({
      code: 'ERR_AUTH_CREDENTIALS',
      message: expect.stringContaining('credentials.sessionToken'),
    })
    expect(requests).toEqual([])
  })

  test('in user name, password and parent stays within the JSON of the login', async () => {
    const { origin, requests } = await service()
    const credentials = { username: text, password: text, parentUid: text }
    await tokenAuth(origin, { credentials }).getToken()
    expect(requests).toHaveLength(1)
    expect(requests[0]?.head).not.toMatch(/^x-injected/im)
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ Username: text, Password: text })
  })

  test('in a token of the service is an error, and the token is not sent', async () => {
    const Token = `${jwt}${mark}x-injected: 1`
    const { origin, requests } = await serveRaw((socket) =>
      socket.write(responseText(200, {}, JSON.stringify({ Token }))),
    )
    await expect(authFetch(tokenAuth(origin))(`${origin}/user`)).rejects.toMatchObject({
      code: 'ERR_AUTH_LOGIN_BAD_TOKEN',
    })
    expect(requests.map(({ path }) => path)).toEqual(['/user/login'])
  })

  test('in a base URL or an origin is refused, or taken out as the URL standard has it', () => {
    const covers = (make: () => AuthScheme): unknown => {
      try {
        return make().covers(new URL('https://hx-injected'))
      } catch (error) {
        return error instanceof TypeError ? 'refused' : error
      }
    }
    const expected = mark === '\0' ? 'refused' : true
    expect(covers(() => tokenAuth(`https://h${mark}x-injected`))).toBe(expected)
    expect(covers(() => sigV4Auth('https://h', { origins: [`https://h${mark}x-injected`] }))).toBe(
      expected,
    )
  })

  test.each<[part: string, headers: (own: AuthScheme) => AuthScheme]>([
    [
      'value',
      (own) => ({ ...own, authorize: () => ({ scheme: 's', headers: [['x-own', text]] }) }),
    ],
    ['name', (own) => ({ ...own, authorize: () => ({ scheme: 's', headers: [[text, 'own']] }) })],
  ])(
    'in the %s of a header of a scheme is ERR_AUTH_HEADER, and nothing is sent',
    async (_part, change) => {
      const { origin, requests } = await service()
      const scheme = change(apiKeyAuth(origin))
      for (const sent of [authFetch(scheme)(origin), authorizeRequest(scheme, origin)]) {
        await expect(sent).rejects.toMatchObject({ code: 'ERR_AUTH_HEADER' })
      }
      expect(requests).toEqual([])
    },
  )

  test('in the URL of a scheme does not reach the wire', async () => {
    const { origin, requests } = await service()
    const scheme: AuthScheme = {
      ...apiKeyAuth(origin),
      authorize: () => ({ scheme: 's', headers: [], url: `${origin}/a${mark}x-injected: 1` }),
    }
    await authFetch(scheme)(origin).catch((error: unknown) => error)
    expect(requests.map(({ head }) => /^x-injected/im.test(head))).not.toContain(true)
  })

  test('in the redirect of a response is no header of the next request', async () => {
    const { origin, requests } = await service(
      responseText(302, { location: `/there${mark === '\r\n' ? '%0d%0a' : mark}x-injected: 1` }),
    )
    const sent = authFetch(sigV4Auth(origin), { maxRedirects: 1 })(`${origin}/V1/a`)
    await expect(sent).rejects.toThrow(/fetch failed|redirect/)
    expect(requests.map(({ head }) => /^x-injected/im.test(head))).not.toContain(true)
  })

  test('in Retry-After and Date of a login is no HTTP, and makes no instant', async () => {
    const { origin } = await serveRaw((socket) =>
      socket.write(responseText(429, { 'retry-after': `5${mark}0`, date: `x${mark}y` })),
    )
    const error: unknown = await tokenAuth(origin)
      .getToken()
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK' })
    expect(error).not.toHaveProperty('retryAt')
  })
})

describe.each(triedClients.map((client) => [titleOf(client), client] as const))(
  '%s',
  (_, client) => {
    test.each(
      breaks.flatMap(([name, mark]) => [
        [
          `${name} in the value of a header`,
          { headers: { 'x-own': `a${mark}x-injected: 1` } },
        ] as const,
        [
          `${name} in the name of a header`,
          { headers: { [`x-own${mark}x-injected`]: '1' } },
        ] as const,
        [
          `${name} in the method`,
          { method: `POST / HTTP/1.1${mark}x-injected: 1${mark}${mark}` as 'POST' },
        ] as const,
      ]),
    )('%s is an error, and nothing of it is sent', async (part, changes) => {
      // The newest axios takes them out by itself, before anything of ours sees them.
      const isTakenOut = /^axios [\w.]+ 1\.2/.test(titleOf(client)) && part.includes('value')
      const isImpossible = titleOf(client).startsWith('graphql') && part.includes('method')
      const { origin, requests } = await service()
      const connection = client.connect(serviceAuth(origin), {})
      for (const path of ['/user/groups', '/V1/a']) {
        const call = { method: 'POST', url: new URL(path, origin), body: 'x', ...changes } as const
        const error: unknown = await connection.send(call).then(
          (response) => response.text().then(() => 'sent'),
          (thrown: unknown) => thrown,
        )
        expect(error instanceof NotPossible).toBe(isImpossible)
        expect(error instanceof Error || isTakenOut).toBe(true)
      }
      const sent = requests.filter(({ path }) => path !== '/user/login')
      expect(sent).toHaveLength(isTakenOut ? 2 : 0)
      expect(sent.map(({ head }) => /^x-injected/im.test(head))).not.toContain(true)
      await connection.close?.()
    })
  },
)
