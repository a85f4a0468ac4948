import type { AuthScheme } from '@svc/types'
import { expect, test } from 'vitest'
import { anonymous, createRouteAuthSelector, createServiceRoutes } from '@svc/route-auth-selector'
import { origin, standIn } from './support/stand-ins.ts'

const signerSymbol = Symbol.for('svc-auth.signer.1')
const elsewhere = 'https://other.example'

function signing(name: string, covered?: readonly string[]) {
  const signer = { of: name }
  return { signer, scheme: { ...standIn(name, covered).scheme, [signerSymbol]: signer } }
}

/** Asks a selector as the tools do that presign and explain. */
function carriedBy(auth: AuthScheme, method: string, url: string): unknown {
  const carried: unknown = Reflect.get(auth, signerSymbol)
  if (typeof carried !== 'function') throw new TypeError('a selector carries a function')
  return carried(method, new URL(url, origin))
}

test('a selector gives the signer of the scheme that it would choose', () => {
  const [one, other] = [signing('one'), signing('other')]
  const token = standIn('token').scheme
  const auth = createRouteAuthSelector({
    origins: [origin, elsewhere],
    routes: [
      { path: '/a', method: 'POST', use: token },
      { prefix: '/a', use: one.scheme },
    ],
    otherwise: other.scheme,
  })
  expect(carriedBy(auth, 'GET', '/a/b')).toBe(one.signer)
  expect(carriedBy(auth, 'GET', '/a')).toBe(one.signer)
  expect(carriedBy(auth, 'get', '/V1/')).toBe(other.signer)
  expect(carriedBy(auth, 'POST', '/a')).toBeUndefined()
  expect(carriedBy({ ...auth }, 'GET', '/a')).toBe(one.signer)
  expect(carriedBy(new Proxy(auth, {}), 'GET', '/a')).toBe(one.signer)
})

test('it rejects a URL that it, or the chosen scheme, does not cover', () => {
  const { scheme } = signing('one')
  const narrow: AuthScheme = { ...scheme, covers: (url) => url.pathname.startsWith('/public/') }
  const auth = createRouteAuthSelector({
    origins: [origin, elsewhere],
    routes: [{ prefix: '/public', use: narrow }],
    otherwise: scheme,
  })
  for (const url of ['/public', `${elsewhere}/x`, 'https://evil.example/x']) {
    expect(() => carriedBy(auth, 'GET', url)).toThrow(
      expect.objectContaining({ code: 'ERR_AUTH_ORIGIN' }),
    )
  }
  expect(() => carriedBy(auth, 'GET', '/V1/..;/x')).toThrow(
    expect.objectContaining({ code: 'ERR_AUTH_URL' }),
  )
})

test('a selector in a selector is asked in its turn', () => {
  const { scheme, signer } = signing('sigv4')
  const token = standIn('token').scheme
  const inner = createServiceRoutes({ baseUrl: origin, token, sigv4: scheme })
  const auth = createRouteAuthSelector({
    origins: [origin],
    routes: [{ prefix: '/health', use: anonymous() }],
    otherwise: inner,
  })
  expect(carriedBy(auth, 'PUT', '/V1/a')).toBe(signer)
  expect(carriedBy(auth, 'GET', '/user')).toBeUndefined()
  expect(carriedBy(auth, 'POST', '/user/login')).toBeUndefined()
})

test('it carries what it covers, of which the tools take a single base URL', () => {
  const bases = (auth: AuthScheme): unknown => Reflect.get(auth, Symbol.for('svc-auth.base.1'))
  const { scheme } = signing('sigv4')
  const token = standIn('token').scheme
  const api = createServiceRoutes({ baseUrl: `${origin}/api/`, token, sigv4: scheme })
  expect(bases(api)).toBe(`${origin}/api`)
  const several = { origins: [origin, elsewhere], routes: [], otherwise: scheme }
  expect(bases(createRouteAuthSelector(several))).toBe(`${origin}, ${elsewhere}`)
})
