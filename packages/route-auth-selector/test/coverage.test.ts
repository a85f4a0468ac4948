import type { AuthScheme } from '@svc/types'
import { describe, expect, test } from 'vitest'
import {
  anonymous,
  createRouteAuthSelector,
  type Route,
  type RouteAuthSelectorOptions,
} from '@svc/route-auth-selector'
import { chosenBy, origin, standIn } from './support/stand-ins.ts'

const caller = '[@svc/route-auth-selector] createRouteAuthSelector'

function select(
  routes: readonly Route[],
  more: Partial<RouteAuthSelectorOptions> = {},
): AuthScheme {
  return createRouteAuthSelector({ origins: [origin], routes, otherwise: anonymous(), ...more })
}

/** Returns a scheme that covers the URLs that begin so. */
function covering(...starts: readonly string[]): AuthScheme {
  const covers = (url: URL): boolean => starts.some((start) => url.href.startsWith(start))
  return { ...standIn('narrow').scheme, covers }
}

describe('a scheme that could serve no request is told at once, by', () => {
  test.each<[string, Partial<RouteAuthSelectorOptions>, string]>([
    [
      'a route, with localhost in the place of 127.0.0.1',
      {
        origins: ['http://localhost:8080'],
        routes: [
          { path: '/user/login', method: 'POST', use: anonymous() },
          { prefix: '/user', use: covering('http://127.0.0.1:8080/') },
        ],
      },
      'routes[1].use must cover what it is used for: http://localhost:8080/user is not covered ' +
        'by the scheme narrow; localhost and 127.0.0.1 are different origins',
    ],
    [
      'otherwise',
      { origins: ['http://localhost:8080'], otherwise: covering('http://127.0.0.1:8080/') },
      'otherwise must cover what it is used for: http://localhost:8080 is not covered ' +
        'by the scheme narrow; localhost and 127.0.0.1 are different origins',
    ],
    [
      'several origins, and a base path',
      {
        origins: [new URL('https://a.example'), 'https://b.example:8443/'],
        basePath: '/api/',
        routes: [{ path: '/x', use: covering('https://a.example/x', 'https://b.example/') }],
      },
      'routes[0].use must cover what it is used for: https://a.example/api/x or ' +
        'https://b.example:8443/api/x is not covered by the scheme narrow',
    ],
    [
      'one label',
      {
        origins: ['https://*.search.example.com'],
        routes: [{ prefix: '/', use: covering('https://search.example.com/') }],
      },
      'routes[0].use must cover what it is used for: https://*.search.example.com/ is not covered ' +
        'by the scheme narrow',
    ],
  ])('%s', (_of, options, message) => {
    expect(() => select([], options)).toThrow(new TypeError(`${caller}: ${message}`))
  })
})

describe('a selector takes', () => {
  test('a scheme that covers one of its origins', () => {
    const [a, b] = ['https://a.example', 'https://b.example']
    const auth = select(
      [
        { prefix: '/a', use: covering(`${a}/`) },
        { prefix: '/b', use: covering(`${b}/`) },
      ],
      { origins: [a, b], otherwise: covering(`${b}/`) },
    )
    expect(chosenBy(auth, `${a}/a`)).toBe('narrow')
    expect(chosenBy(auth, `${b}/b`)).toBe('narrow')
    expect(auth.covers(new URL(`${a}/b`))).toBe(false)
  })

  test('a scheme that covers no more than the path of its route', () => {
    const routes: Route[] = [
      { prefix: '/one', use: covering(`${origin}/one`) },
      { prefix: '/two', use: covering(`${origin}/two/`) },
      { path: '/three/', use: covering(`${origin}/three`) },
      { path: '/größe x', use: covering(`${origin}/gr%C3%B6%C3%9Fe%20x`) },
    ]
    expect(() => select(routes)).not.toThrow()
    const below = [{ prefix: '/one', use: covering(`${origin}/api/one/`) }]
    expect(() => select(below, { basePath: '/api' })).not.toThrow()
    expect(() => select(below)).toThrow(TypeError)
  })

  test('a scheme for any label in the place of a star', () => {
    const label: AuthScheme = {
      ...anonymous(),
      covers: ({ hostname }) => /^[^.]+\.search\.example\.com$/.test(hostname),
    }
    const origins = ['https://*.search.example.com', 'https://*.Search.example.com:8443']
    expect(() => select([{ prefix: '/', use: label }], { origins })).not.toThrow()
  })

  test('origins however they are written', () => {
    const origins = [' HTTPS://Search.Example.com/ ', 'https://*.EXAMPLE.com', 'http://[::1]:80']
    for (const covered of ['https://search.example.com', 'http://[::1]']) {
      expect(() =>
        select([{ prefix: '/a*b', use: covering(`${covered}/a*b`) }], { origins }),
      ).not.toThrow()
    }
    const elsewhere = [{ prefix: '/a*b', use: covering('https://h.example/') }]
    expect(() => select(elsewhere, { origins })).toThrow(
      'https://search.example.com/a*b or https://*.example.com/a*b or http://[::1]/a*b is not covered',
    )
  })

  test('a scheme of your own whose coverage names what it covers, where that is less', () => {
    const own = (covered: string): AuthScheme => ({
      ...covering(covered),
      coverage: () => `${covered}, or so; http://[, https://elsewhere.example`,
    })
    for (const [covered, more] of [
      [`${origin}/api/v2`, {}],
      [`${origin}/api/v2/`, { basePath: '/api' }],
      ['https://one.example.com/', { origins: ['https://*.example.com'] }],
    ] as const) {
      expect(() => select([], { otherwise: own(covered), ...more })).not.toThrow()
      expect(() => select([], { otherwise: covering(covered), ...more })).toThrow(TypeError)
    }
    // Where it leads is another route's, or nobody's.
    for (const [covered, more] of [
      [`${origin}/api/v2`, { routes: [{ prefix: '/api', use: anonymous() }] }],
      [`${origin}/api/v2`, { basePath: '/api/v3' }],
      ['https://elsewhere.example/', {}],
    ] as const) {
      expect(() => select([], { otherwise: own(covered), ...more })).toThrow(TypeError)
    }
  })

  test('any scheme where it has no origin, and allows nothing', () => {
    const nowhere = covering()
    const options = { origins: [], otherwise: nowhere }
    expect(() => select([{ prefix: '/', use: nowhere }], options)).not.toThrow()
  })
})

describe('a scheme whose covers', () => {
  test.each<[string, unknown]>([
    ['a promise', Promise.resolve(true)],
    // oxlint-disable-next-line unicorn/no-thenable -- this is what it is for
    ['a thenable', { then() {} }],
    ['a text', 'yes'],
    ['nothing', undefined],
    ['a number', 1],
  ])('returns %s is a TypeError that names it', (_what, verdict) => {
    // Plain JavaScript may hand it over.
    const odd = { ...anonymous(), covers: () => verdict } as AuthScheme
    const requirement = 'covers must return true or false'
    expect(() => select([{ prefix: '/x', use: odd }])).toThrow(
      new TypeError(`${caller}: routes[0].use.${requirement}`),
    )
    expect(() => select([], { otherwise: odd })).toThrow(
      new TypeError(`${caller}: otherwise.${requirement}`),
    )
  })

  test('throws is a TypeError that names it, with the cause', () => {
    const cause = new RangeError('no such host')
    const faulty: AuthScheme = {
      ...anonymous(),
      covers() {
        throw cause
      },
    }
    expect(() => select([{ prefix: '/x', use: faulty }])).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: `${caller}: routes[0].use.covers must return true or false, but it throws`,
        cause,
      }),
    )
  })

  test('says later neither yes nor no gets no request', async () => {
    let verdict: unknown = true
    const prepared: unknown[] = []
    const odd = {
      ...anonymous(),
      covers: () => verdict,
      prepare: async () => void prepared.push('asked'),
    } as AuthScheme
    const auth = select([{ path: '/x', method: 'POST', use: odd }])
    verdict = Promise.resolve(true)
    expect(() => chosenBy(auth, '/x', 'POST')).toThrow(
      expect.objectContaining({ code: 'ERR_AUTH_ORIGIN' }),
    )
    await auth.prepare?.({ method: 'POST', url: new URL('/x', origin) })
    expect(prepared).toEqual([])
  })
})
