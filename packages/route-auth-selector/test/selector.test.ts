import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { AuthEvent, AuthScheme } from '@svc/types'
import { describe, expect, test } from 'vitest'
import {
  anonymous,
  createRouteAuthSelector,
  type Route,
  type RouteAuthSelectorOptions,
} from '@svc/route-auth-selector'
import { chosenBy, origin, outgoing, standIn } from './support/stand-ins.ts'

function select(
  routes: readonly Route[],
  more: Partial<RouteAuthSelectorOptions> = {},
): AuthScheme {
  const otherwise = standIn('otherwise').scheme
  return createRouteAuthSelector({ origins: [origin], routes, otherwise, ...more })
}

const use = standIn('chosen').scheme
const refused = expect.objectContaining({ code: 'ERR_AUTH_ORIGIN' })

describe('the signer of a selector', () => {
  const name = Symbol.for('svc-auth.signer.1')
  const signer = {}
  const signing = { ...standIn('signing').scheme, [name]: signer }
  const signerFor = (selector: AuthScheme, method: string, path: string): unknown =>
    Reflect.apply(Reflect.get(selector, name), undefined, [method, new URL(path, origin)])

  test('is that of the scheme that it chooses, by method and URL', () => {
    const selector = select([{ path: '/put', method: 'PUT', use: signing }])
    expect(signerFor(selector, 'PUT', '/put')).toBe(signer)
    expect(signerFor(selector, 'GET', '/put')).toBeUndefined()
    expect(signerFor({ ...selector }, 'put', '/put')).toBe(signer)
  })

  test('of another selector is that of the scheme which that one chooses', () => {
    const inner = select([{ prefix: '/a/b', use: signing }])
    const selector = select([{ prefix: '/a', use: inner }])
    expect(signerFor(selector, 'GET', '/a/b')).toBe(signer)
    expect(signerFor(selector, 'GET', '/a')).toBeUndefined()
  })

  test.each(['https://elsewhere.example.com/', '/a/..%2f'])('of %s is none', (address) => {
    const code = expect.stringMatching(/^ERR_AUTH_(?:ORIGIN|URL)$/)
    expect(() => signerFor(select([]), 'GET', address)).toThrow(expect.objectContaining({ code }))
  })
})

test('each request is read anew, whatever the one before it was', () => {
  const post = standIn('post').scheme
  const selector = select([
    { path: '/a', method: 'POST', use: post },
    { prefix: '/a', use },
  ])
  const url = new URL('/a', origin)
  expect(selector.covers(url)).toBe(true)
  expect(chosenBy(selector, url, 'POST')).toBe('post')
  expect(chosenBy(selector, url, 'GET')).toBe('chosen')
  // The same object, which its owner has changed.
  url.pathname = '/b'
  expect(chosenBy(selector, url, 'POST')).toBe('otherwise')
  url.host = 'elsewhere.example.com'
  expect(selector.covers(url)).toBe(false)
  expect(() => chosenBy(selector, url, 'POST')).toThrow(refused)
})

describe('a route', () => {
  test.each<[string, Route, string[], string[]]>([
    [
      'with a prefix takes whole segments in any case',
      { prefix: '/user', use },
      ['/user', '/USER/x', '/%75ser/'],
      ['/users', '/', '/x/user'],
    ],
    [
      'with a prefix is read as a URL is',
      { prefix: '//x/../%55ser%2F./A b/', use },
      ['/user/a%20b', '/User/A b/c'],
      ['/user', '/user/ab', '/user/a%2520b'],
    ],
    ['at the root takes everything', { prefix: '/', use }, ['/', '/x', '//'], []],
    [
      'that is case-sensitive takes its own case alone',
      { prefix: '/V1', caseSensitive: true, use },
      ['/V1', '/V1/x', '/%561/'],
      ['/v1', '/v1/x'],
    ],
    [
      'with a path takes that path alone, in any case, with or without a slash',
      { path: '/User/login/', use },
      ['/user/login', '/USER/LOGIN/', '//user/log%69n'],
      ['/user', '/user/login/x', '/user/logins'],
    ],
    [
      'with bytes that are no ASCII takes those bytes',
      { path: '/größe', use },
      ['/gr%C3%B6%c3%9fe'],
      ['/GRÖSSE', '/grÖße'],
    ],
    ['has letters of ASCII alone folded', { path: '/K', use }, ['/k'], ['/\u212a', '/%E2%84%AA']],
  ])('%s', (_, route, taken, left) => {
    const auth = select([route])
    for (const path of taken)
      expect([path, chosenBy(auth, origin + path)]).toEqual([path, 'chosen'])
    for (const path of left)
      expect([path, chosenBy(auth, origin + path)]).toEqual([path, 'otherwise'])
  })

  test('that comes first wins', () => {
    const other = standIn('other').scheme
    const [narrow, wide] = [
      { prefix: '/a/b', use },
      { prefix: '/a', use: other },
    ]
    expect(chosenBy(select([narrow, wide]), '/a/b')).toBe('chosen')
    expect(chosenBy(select([wide, narrow]), '/a/b')).toBe('other')
  })

  test('with a method takes that method in any case, and one without takes all', () => {
    const auth = select([
      { path: '/x', method: 'pUrge', use },
      { path: '/x', use: standIn('any').scheme },
    ])
    expect(chosenBy(auth, '/x', 'PURGE')).toBe('chosen')
    expect(chosenBy(auth, '/x', 'purge')).toBe('chosen')
    expect(chosenBy(auth, '/x', 'GET')).toBe('any')
    expect(chosenBy(auth, '/y', 'PURGE')).toBe('otherwise')
  })

  test('is relative to the base path', () => {
    const auth = select([{ prefix: '/user', use }], { basePath: '/Api/' })
    expect(chosenBy(auth, '/Api/user')).toBe('chosen')
    expect(chosenBy(auth, '/Api/Api/user')).toBe('otherwise')
    expect(auth.covers(new URL('/api/user', origin))).toBe(false)
    expect(auth.covers(new URL('/Apis/user', origin))).toBe(false)
    expect(() => chosenBy(auth, '/user')).toThrow(refused)
  })
})

test.each([
  '/user/..;/V1/k',
  '/user/.;x/groups',
  '/user/..%3b/V1',
  '/user/..%5cV1/k',
  '/user/%252e%252e/V1/k',
  '/V1/x%2F..%2F..%2Fuser/groups',
  '/V1/x%252f..%252fuser',
  '/..%2Fuser',
  '/user%2F..%2Fbucket',
  '/user/..%2Fbucket',
])('%s is rejected, since a server might read another route', (path) => {
  const auth = select([{ prefix: '/user', use: anonymous() }])
  expect(() => chosenBy(auth, path)).toThrow(
    expect.objectContaining({
      code: 'ERR_AUTH_URL',
      message: expect.stringContaining(`[@svc/route-auth-selector] GET ${origin}/`),
    }),
  )
})

describe('covering', () => {
  test('asks the scheme that would be chosen, whatever the method', () => {
    const elsewhere = standIn('elsewhere', ['https://other.example']).scheme
    const auth = select(
      [
        { path: '/x', method: 'POST', use: anonymous() },
        { prefix: '/x', use: elsewhere },
      ],
      { origins: [origin, 'https://other.example'] },
    )
    expect(auth.covers(new URL('/x', origin))).toBe(false)
    expect(auth.covers(new URL('/y', origin))).toBe(true)
    expect(() => chosenBy(auth, '/x')).toThrow(refused)
    expect(() => chosenBy(auth, '/x')).toThrow(
      `[@svc/route-auth-selector] GET ${origin}/x, by its route /x, is not covered by the scheme elsewhere`,
    )
  })

  test('names localhost in the place of 127.0.0.1, and what else a scheme covers', () => {
    const [local, loopback] = ['http://localhost:8080', 'http://127.0.0.1:8080']
    const narrow = standIn('narrow', [loopback]).scheme
    const auth = select([{ prefix: '/user', use: narrow }], { origins: [local] })
    expect(auth.covers(new URL('/user', local))).toBe(false)
    expect(() => chosenBy(auth, `${local}/user`)).toThrow(
      `GET ${local}/user, by its route /user, is not covered by the scheme narrow; ` +
        'localhost and 127.0.0.1 are different origins',
    )
  })

  test.each<[string, unknown]>([
    ['a promise', Promise.resolve(true)],
    // oxlint-disable-next-line unicorn/no-thenable -- this is what it is for
    ['a thenable', { then() {} }],
    ['a text', 'yes'],
    ['nothing', undefined],
  ])('by a scheme that says %s gets no request', async (_what, verdict) => {
    const prepared: unknown[] = []
    const odd = {
      ...anonymous(),
      covers: () => verdict,
      prepare: async () => void prepared.push('asked'),
    } as AuthScheme
    const auth = select([{ path: '/x', method: 'POST', use: odd }])
    expect(() => chosenBy(auth, '/x', 'POST')).toThrow(refused)
    await auth.prepare?.({ method: 'POST', url: new URL('/x', origin) })
    expect(prepared).toEqual([])
  })

  test('no origin allows nothing', () => {
    const auth = select([{ prefix: '/', use: anonymous() }], { origins: [] })
    expect(auth.covers(new URL(origin))).toBe(false)
    expect(() => chosenBy(auth, '/')).toThrow(refused)
  })

  test('takes several origins, URLs and one label in place of a star', () => {
    const auth = select([{ prefix: '/', use: anonymous() }], {
      origins: [new URL('http://127.0.0.1:8080'), 'https://*.search.example.com'],
      otherwise: anonymous(),
    })
    const covers = (url: string) => auth.covers(new URL(url))
    expect(covers('http://127.0.0.1:8080/x')).toBe(true)
    expect(covers('https://bucket.search.example.com/user/photo.jpg')).toBe(true)
    expect(covers('http://127.0.0.1/x')).toBe(false)
    expect(covers('https://search.example.com/')).toBe(false)
    expect(covers('https://a.b.search.example.com/')).toBe(false)
  })
})

describe('the chosen scheme', () => {
  test('is called as a method, and its authorization is handed on as it is', () => {
    const authorization = { scheme: 'own', headers: [], review: () => 'rejected' }
    class Own implements AuthScheme {
      readonly name = 'own'
      readonly #authorization = authorization
      covers(): boolean {
        return this.#authorization === authorization
      }
      authorize() {
        return this.#authorization
      }
    }
    const auth = select([{ prefix: '/', use: new Own() }])
    const request = outgoing('/x')
    expect(auth.authorize(request)).toBe(authorization)
  })

  test('may be asynchronous', async () => {
    const pending = Promise.resolve({ scheme: 'slow', headers: [] })
    const slow: AuthScheme = { name: 'slow', covers: () => true, authorize: () => pending }
    const auth = select([{ prefix: '/', use: slow }])
    expect(auth.authorize(outgoing('/x'))).toBe(pending)
    await pending
  })

  test('alone is asked to prepare, and only where it covers the URL', async () => {
    const [first, second] = [standIn('first'), standIn('second', ['https://other.example'])]
    const auth = select(
      [
        { path: '/a', method: 'POST', use: anonymous() },
        { prefix: '/a', use: first.scheme },
        { prefix: '/b', use: second.scheme },
      ],
      { origins: [origin, 'https://other.example'] },
    )
    const prepare = (method: string, path: string) =>
      auth.prepare?.({ method, url: new URL(path, origin) })
    await prepare('POST', '/a')
    await prepare('GET', '/b')
    await prepare('GET', 'https://evil.example/a')
    expect(first.calls.prepare).toEqual([])
    expect(second.calls.prepare).toEqual([])
    await prepare('GET', '/a')
    expect(first.calls).toMatchObject({ authorize: [], prepare: [{ pathname: '/a' }] })
  })

  test('may be a selector itself', () => {
    const inner = select([{ prefix: '/a/b', use }])
    expect(chosenBy(select([{ prefix: '/a', use: inner }]), '/a/b')).toBe('chosen')
  })
})

function faulty(): never {
  throw new Error('observer')
}

describe('the event of a choice', () => {
  test('names scheme, route, method, origin and path, and no query', () => {
    const events: AuthEvent[] = []
    const auth = select([{ prefix: '/user', use }], { onEvent: (event) => events.push(event) })
    chosenBy(auth, '/User/groups?secret=1', 'PUT')
    chosenBy(auth, '/V1/')
    expect(() => chosenBy(auth, 'https://evil.example/')).toThrow(refused)
    expect(events).toEqual([
      {
        type: 'route.chosen',
        scheme: 'chosen',
        origin,
        method: 'PUT',
        path: '/User/groups',
        route: '/user',
      },
      {
        type: 'route.chosen',
        scheme: 'otherwise',
        origin,
        method: 'GET',
        path: '/V1/',
        route: 'otherwise',
      },
    ])
  })

  test('goes to the diagnostics channel too', () => {
    const events: unknown[] = []
    const listen = (event: unknown) => void events.push(event)
    subscribe('svc-auth', listen)
    chosenBy(select([]), '/x')
    unsubscribe('svc-auth', listen)
    expect(events).toMatchObject([{ type: 'route.chosen', route: 'otherwise' }])
  })

  test('changes nothing where the observer throws', () => {
    expect(chosenBy(select([{ prefix: '/', use }], { onEvent: faulty }), '/x')).toBe('chosen')
  })
})

test('a selector and anonymous() are frozen, and need no this', () => {
  // oxlint-disable-next-line typescript/unbound-method -- that is what is tested
  const { covers, authorize, name } = select([])
  expect(Object.isFrozen(select([]))).toBe(true)
  expect(Object.isFrozen(anonymous())).toBe(true)
  expect(name).toBe('route')
  expect(covers(new URL(origin))).toBe(true)
  expect(authorize(outgoing('/'))).toMatchObject({ scheme: 'otherwise' })
  expect(anonymous().authorize(outgoing('/'))).toEqual({ scheme: 'anonymous', headers: [] })
})

test('options that change later change nothing', () => {
  const routes: Route[] = [{ prefix: '/user', use }]
  const auth = select(routes)
  routes.length = 0
  expect(chosenBy(auth, '/user')).toBe('chosen')
})

test.each<[string, object]>([
  ['origins', { origins: undefined }],
  ['origins', { origins: origin }],
  ['origins[1]', { origins: [origin, 'search.example.com'] }],
  ['origins[0]', { origins: [`${origin}/path`] }],
  ['basePath', { basePath: '' }],
  ['basePath', { basePath: 'api' }],
  ['basePath', { basePath: '/api?x' }],
  ['basePath', { basePath: null }],
  ['routes', { routes: undefined }],
  ['routes', { routes: { prefix: '/user', use } }],
  ['routes[0]: options', { routes: [undefined] }],
  ['routes[1]: options', { routes: [{ prefix: '/', use }, '/user'] }],
  ['routes[0].prefix', { routes: [{ use }] }],
  ['routes[0].prefix', { routes: [{ prefix: '', use }] }],
  ['routes[0].prefix', { routes: [{ prefix: 'user', use }] }],
  ['routes[0].prefix', { routes: [{ prefix: '/user?', use }] }],
  ['routes[0].prefix', { routes: [{ prefix: '/user#', use }] }],
  ['routes[0].prefix', { routes: [{ prefix: /user/, use }] }],
  ['routes[0].path', { routes: [{ path: '', use }] }],
  ['routes[0].path', { routes: [{ path: '/x?y', use }] }],
  ['routes[0]', { routes: [{ path: '/x', prefix: '/x', use }] }],
  ['routes[0].caseSensitive', { routes: [{ prefix: '/x', caseSensitive: 'yes', use }] }],
  ['routes[0].caseSensitive', { routes: [{ path: '/x', caseSensitive: true, use }] }],
  ['routes[0].method', { routes: [{ path: '/x', method: '', use }] }],
  ['routes[0].method', { routes: [{ path: '/x', method: ['POST'], use }] }],
  ['routes[0].method', { routes: [{ prefix: '/x', method: 'POST', use }] }],
  ['routes[0].use', { routes: [{ prefix: '/x' }] }],
  [
    'routes[2].use',
    {
      routes: [
        { prefix: '/x', use },
        { prefix: '/y', use },
        { path: '/z', use: {} },
      ],
    },
  ],
  ['routes[0].use', { routes: [{ prefix: '/x', use: { ...use, prepare: 1 } }] }],
  ['otherwise', { otherwise: undefined }],
  ['otherwise', { otherwise: () => ({}) }],
  ['onEvent', { onEvent: 'log' }],
])('%s is named where it is wrong: %o', (option, wrong) => {
  // Plain JavaScript may hand these over.
  const make = () => select([], wrong)
  expect(make).toThrow(TypeError)
  expect(make).toThrow(expect.objectContaining({ message: expect.stringContaining(`${option} `) }))
})

test('options must be there', () => {
  expect(() => Reflect.apply(createRouteAuthSelector, undefined, [])).toThrow(
    /^\[@svc\/route-auth-selector\] createRouteAuthSelector: options /,
  )
})

test('the headers that must not travel are those of all its schemes', () => {
  const [one, other] = [standIn('one').scheme, standIn('other').scheme]
  const auth = createRouteAuthSelector({
    origins: [origin],
    routes: [
      { prefix: '/a', use: { ...one, sensitiveHeaders: ['x-acme-*', 'x-key'] } },
      { prefix: '/b', use: one },
    ],
    otherwise: { ...other, sensitiveHeaders: ['x-key', 'x-amz-*'] },
  })
  expect(auth.sensitiveHeaders).toEqual(['x-acme-*', 'x-key', 'x-amz-*'])
  expect(Object.isFrozen(auth.sensitiveHeaders)).toBe(true)
})

describe('the origins of a route', () => {
  const other = 'https://other.example'
  const origins = [origin, 'https://*.other.example', other]
  const scheme = standIn('own', [origin, other]).scheme
  const rest = standIn('rest', [origin, other]).scheme

  test('are the only ones that have it', () => {
    const auth = createRouteAuthSelector({
      origins,
      routes: [{ prefix: '/a', use: scheme, origins: [new URL(other)] }],
      otherwise: rest,
    })
    expect(chosenBy(auth, `${other}/a/b`)).toBe('own')
    expect(chosenBy(auth, '/a/b')).toBe('rest')
  })

  test.each<[what: string, own: unknown, message: string]>([
    ['no list', 'https://other.example', 'routes[0].origins must be an array of origins'],
    ['no origin', ['other.example'], 'routes[0].origins[0] must be an http(s) origin'],
  ])('must not be %s', (_what, own, message) => {
    const routes = [{ prefix: '/a', use: scheme, origins: own as string[] }]
    expect(() => createRouteAuthSelector({ origins, routes, otherwise: rest })).toThrow(message)
  })

  test('lead nowhere where the selector does not have them', () => {
    const elsewhere = 'https://elsewhere.example'
    const routes = [{ prefix: '/a', use: anonymous(), origins: [elsewhere] }]
    const auth = createRouteAuthSelector({ origins, routes, otherwise: rest })
    expect(auth.covers(new URL(`${elsewhere}/a`))).toBe(false)
    expect(() => chosenBy(auth, `${elsewhere}/a`)).toThrow(
      expect.objectContaining({ code: 'ERR_AUTH_ORIGIN' }),
    )
  })
})
