import type { AuthScheme } from '@svc/types'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AuthError, authFetch, createServiceRoutes } from '@svc/route-auth-selector'
import { chosenBy, origin, outgoing, serviceRoutes, standIn } from './support/stand-ins.ts'

describe('the service', () => {
  test.each([
    ['/user'],
    ['/user/'],
    ['/user/groups'],
    ['/User/Groups'],
    ['/USER/login'],
    ['/user?users'],
    ['/user#x'],
    ['//user/x'],
    ['///user'],
    ['/./user'],
    ['/b/../user'],
    ['\\user'],
    ['/\tuser'],
    ['/%75ser'],
    ['/%55ser/x'],
    ['/user%2Flogin'],
    ['/user%2fgroups'],
    ['/%2Fuser'],
    ['/user/%FF%00%'],
  ])('takes a token at %s', (path) => {
    expect(chosenBy(serviceRoutes().auth, origin + path)).toBe('token')
  })

  test.each([
    ['/'],
    [''],
    ['/users'],
    ['/users/x'],
    ['/user-data'],
    ['/user-data/k'],
    ['/user;a=1'],
    ['/user%3Fx'],
    ['/user%00'],
    ['/user%20'],
    ['/user%5Clogin'],
    ['/uſer'],
    ['/u%C5%BFer'],
    ['/uſer/login'],
    ['/%2575ser'],
    ['/user/../bucket'],
    ['/user/%2e%2e/bucket'],
    ['/bucket/user'],
    ['/V1/user'],
    ['/V1/?x=/user'],
    ['/use'],
    ['/%u0075ser'],
  ])('takes a signature at %s', (path) => {
    expect(chosenBy(serviceRoutes().auth, origin + path)).toBe('sigv4')
  })

  test.each([
    ['POST', '/user/login', 'anonymous'],
    ['post', '/user/login', 'anonymous'],
    ['POST', '/User/Login', 'anonymous'],
    ['POST', '/user/login/', 'anonymous'],
    ['POST', '//user//login?x=1', 'anonymous'],
    ['POST', '/user%2Flogin', 'anonymous'],
    ['POST', '/user/log%69n', 'anonymous'],
    ['GET', '/user/login', 'token'],
    ['HEAD', '/user/login', 'token'],
    ['PUT', '/user/login', 'token'],
    ['POST', '/user/login/x', 'token'],
    ['POST', '/user/logins', 'token'],
    ['POST', '/user', 'token'],
    ['POST', '/V1/user/login', 'sigv4'],
  ])('authorizes %s %s by %s', (method, path, scheme) => {
    expect(chosenBy(serviceRoutes().auth, origin + path, method)).toBe(scheme)
  })

  test('is relative to the path of its base URL, which is case-sensitive', () => {
    const { auth } = serviceRoutes(`${origin}/svc%2Fx/`)
    expect(chosenBy(auth, '/svc/x/User/groups')).toBe('token')
    expect(chosenBy(auth, `${origin}//svc//x/user`)).toBe('token')
    expect(chosenBy(auth, '/svc/x')).toBe('sigv4')
    expect(chosenBy(auth, '/svc/x/svc/x/user')).toBe('sigv4')
    for (const path of ['/', '/user', '/svc', '/svc/xy/user', '/SVC/x/user']) {
      expect(auth.covers(new URL(path, origin))).toBe(false)
      expect(() => chosenBy(auth, path)).toThrow(
        expect.objectContaining({ code: 'ERR_AUTH_ORIGIN' }),
      )
    }
  })

  test('names the option that is wrong', () => {
    const { scheme } = standIn('token')
    const make = (options: object) => () =>
      // Plain JavaScript may hand these over.
      Reflect.apply(createServiceRoutes, undefined, [
        { baseUrl: origin, token: scheme, sigv4: scheme, ...options },
      ])
    expect(make({})).not.toThrow()
    for (const option of ['baseUrl', 'token', 'sigv4', 'onEvent']) {
      expect(make({ [option]: 'x' })).toThrow(TypeError)
      expect(make({ [option]: 'x' })).toThrow(new RegExp(`createServiceRoutes: ${option} `))
    }
    for (const option of ['baseUrl', 'token', 'sigv4']) {
      expect(make({ [option]: undefined })).toThrow(new RegExp(`createServiceRoutes: ${option} `))
    }
    expect(() => Reflect.apply(createServiceRoutes, undefined, [])).toThrow(
      /^\[@svc\/route-auth-selector\] createServiceRoutes: options /,
    )
  })
})

test.each([
  ['http://localhost:8080', '; localhost and 127.0.0.1 are different origins'],
  ['https://search.example.com:8443', ''],
  ['http://search.example.com', ''],
])('a scheme for another origin than %s is told at once, with its option', (baseUrl, hint) => {
  const right = standIn('right', [baseUrl]).scheme
  const elsewhere = standIn('elsewhere', ['http://127.0.0.1:8080', origin]).scheme
  expect(() => createServiceRoutes({ baseUrl, token: elsewhere, sigv4: right })).toThrow(
    new TypeError(
      '[@svc/route-auth-selector] createServiceRoutes: token must cover what it is used for: ' +
        `${baseUrl}/user/ is not covered by the scheme elsewhere${hint}`,
    ),
  )
  expect(() => createServiceRoutes({ baseUrl, token: right, sigv4: elsewhere })).toThrow(
    new TypeError(
      '[@svc/route-auth-selector] createServiceRoutes: sigv4 must cover what it is used for: ' +
        `${baseUrl}/ is not covered by the scheme elsewhere${hint}`,
    ),
  )
})

test('a scheme has to cover its own paths below a base URL, and no others', () => {
  const below = (path: string): AuthScheme => ({
    ...standIn('below').scheme,
    covers: (url) => url.origin === origin && url.pathname.startsWith(path),
  })
  const make = (path: string) =>
    createServiceRoutes({
      baseUrl: `${origin}/api/`,
      token: below(path),
      sigv4: standIn('sigv4').scheme,
    })
  for (const path of ['/', '/api', '/api/', '/api/user', '/api/user/']) {
    expect(() => make(path)).not.toThrow()
  }
  for (const path of ['/api/v2', '/user', '/other']) expect(() => make(path)).toThrow(TypeError)
})

describe('token and signature, swapped', () => {
  const plain = standIn('own').scheme
  const session = { ...plain, getToken() {}, invalidate() {}, inspect() {} }
  const signer = { ...plain, [Symbol.for('svc-auth.signer.1')]: { signRequest() {} } }
  const copies = (scheme: AuthScheme): AuthScheme[] => [
    scheme,
    { ...scheme, name: 'logged' },
    new Proxy(scheme, {}),
    Object.create(scheme),
  ]

  test('are told by what they do, whatever they are called', () => {
    for (const token of copies(signer)) {
      expect(() => createServiceRoutes({ baseUrl: origin, token, sigv4: plain })).toThrow(
        new TypeError(
          '[@svc/route-auth-selector] createServiceRoutes: token must be what createTokenAuth ' +
            `returns, not the scheme ${token.name}, which signs`,
        ),
      )
    }
  })

  test('are not what a scheme of your own or a selector is', () => {
    const selector = createServiceRoutes({ baseUrl: origin, token: session, sigv4: signer })
    const own: AuthScheme = { ...plain, name: 'token' }
    const tokenOnly = { ...plain, getToken() {} }
    for (const [token, sigv4] of [
      [own, own],
      [plain, tokenOnly],
      [tokenOnly, plain],
      [selector, selector],
      [session, { ...own, name: 'sigv4' }],
    ] as const) {
      expect(() => createServiceRoutes({ baseUrl: origin, token, sigv4 })).not.toThrow()
    }
  })
})

describe('for any URL', () => {
  const segment = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  const { auth } = serviceRoutes()

  test('every spelling of a path chooses the same scheme', () => {
    const head = fc.constantFrom('user', 'users', 'V1', 'usér', 'userdata', 'x')
    const tail = fc.array(fc.constantFrom('login', 'groups', 'a b', 'ſ', '100%25', 'user', 'é'))
    const spelling = fc.array(fc.nat(6), { minLength: 40, maxLength: 40 })
    fc.assert(
      fc.property(
        head,
        tail,
        fc.constantFrom('GET', 'POST'),
        spelling,
        (first, rest, method, how) => {
          const plain = `/${[first, ...rest].join('/')}`
          const tokens = new URL(plain, origin).pathname.match(/%[\dA-F]{2}|./g) ?? []
          const spelt = tokens
            .map((token, index) => spell(token, how[index % how.length] ?? 0))
            .join('')
          const expected = chosenBy(auth, origin + plain, method)
          expect(chosenBy(auth, `${origin}${spelt}`, method)).toBe(expected)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('a segment that merely begins with user is never below /user', () => {
    const more = segment.filter(
      (text) => !/^[/\\?#\t\n\r]/.test(text) && !/[/\\?#\t\n\r]|%2f/i.test(text),
    )
    fc.assert(
      fc.property(
        fc.constantFrom('user', 'USER', '%75ser'),
        more,
        fc.webPath(),
        (user, text, tail) => {
          const encoded = encodeURIComponent(text)
          const path = `/${user}${encoded}/${tail.replace(/\.|%2e/gi, '')}`
          expect(chosenBy(auth, origin + path, 'POST')).toBe('sigv4')
        },
      ),
    )
  })

  test('choosing throws nothing but the refusal of an origin or of a dot segment', () => {
    const text = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string({ unit: 'binary' }).map((path) => `${origin}/${path}`),
      fc.constantFrom(
        'data:,x',
        'mailto:a@b',
        `blob:${origin}/x`,
        'file:///user',
        'x:/user',
        'x:user',
      ),
    )
    fc.assert(
      fc.property(
        text.filter((value) => URL.canParse(value)),
        fc.string(),
        (value, method) => {
          const url = new URL(value)
          const outcome = attempt(() => chosenBy(auth, url, method))
          const expected = auth.covers(url)
            ? /^(?:anonymous|token|sigv4|ERR_AUTH_URL)$/
            : /^ERR_AUTH_(?:ORIGIN|URL)$/
          expect(outcome).toMatch(expected)
        },
      ),
      { numRuns: 500 },
    )
  })
})

/** Returns the name of the chosen scheme, or the code of the error. */
function attempt(choose: () => string): string {
  try {
    return choose()
  } catch (error) {
    if (AuthError.is(error)) return error.code
    throw error
  }
}

/** Returns another way to write one character of a path, with the same meaning. */
function spell(token: string, how: number): string {
  if (token === '/') {
    return ['/', '//', '/./', '/%2F', '/%2e/', '/x/../', '/%2f%2F'][how] ?? '/'
  }
  if (token.length > 1) return how % 2 === 0 ? token.toLowerCase() : token
  if (how < 2) return token
  if (how < 4) return token.toUpperCase()
  return `%${token.charCodeAt(0).toString(16)}`
}

test('nothing is sent to an origin that is not listed', async () => {
  const sent: unknown[] = []
  const { auth, token, sigv4 } = serviceRoutes()
  const send = authFetch(auth, {
    async fetch(...call) {
      sent.push(call)
      return new Response()
    },
  })
  const elsewhere = [
    'https://evil.example/user/groups?secret=1',
    'http://search.example.com/user',
    'https://search.example.com:8443/user',
    'https://search.example.com./user',
    'https://a.search.example.com/V1/',
  ]
  await Promise.all(
    elsewhere.map((url) =>
      expect(send(url)).rejects.toThrow(expect.objectContaining({ code: 'ERR_AUTH_ORIGIN' })),
    ),
  )
  expect(sent).toEqual([])
  expect([...token.authorize, ...sigv4.authorize]).toEqual([])

  await send(`${origin}/user/groups`)
  expect(sent).toMatchObject([[`${origin}/user/groups`, { headers: { 'x-by': 'token' } }]])
})

test('a redirect is authorized by the route of its target', async () => {
  const seen: unknown[] = []
  const { auth } = serviceRoutes()
  const send = authFetch(auth, {
    async fetch(input, init) {
      seen.push([input, new Headers(init?.headers).get('x-by')])
      return seen.length > 1
        ? new Response()
        : new Response(null, { status: 303, headers: { location: '/V1/result' } })
    },
  })
  await send(`${origin}/user/login`, { method: 'POST', body: '{}' })
  expect(seen).toEqual([
    [`${origin}/user/login`, null],
    [`${origin}/V1/result`, 'sigv4'],
  ])
})

test('the message of a refusal names method, origin and path, and no query', () => {
  const { auth } = serviceRoutes()
  const url = 'https://evil.example/user/groups?secret=1#hash'
  const refusal = expect.objectContaining({
    code: 'ERR_AUTH_ORIGIN',
    message: expect.stringMatching(
      /^\[@svc\/route-auth-selector\] PUT https:\/\/evil\.example\/user\/groups is not covered by the scheme route, which covers https:\/\/search\.example\.com \(/,
    ),
  })
  expect(() => auth.authorize(outgoing(url, 'PUT'))).toThrow(refusal)
})
