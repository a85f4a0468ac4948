import { authFetch, authKy, type AuthScheme, type Fetch, kyAuthHooks } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import { describe, expect, test } from 'vitest'

const scheme: AuthScheme = {
  name: 'test',
  covers: () => true,
  authorize: () => ({ scheme: 'test', headers: [['x-api-key', 'a key']] }),
}

describe('a fetch that sends by XMLHttpRequest', () => {
  // whatwg-fetch marks itself so.
  const marked: Fetch = Object.assign((...values: Parameters<Fetch>) => fetch(...values), {
    polyfill: true,
  })

  test.each([
    ['authFetch', () => authFetch(scheme, { fetch: marked })],
    ['authKy', () => authKy(scheme, { fetch: marked })],
    ['kyAuthHooks', () => kyAuthHooks(scheme, { fetch: marked })],
    ['authOpenApi', () => authOpenApi(scheme, { fetch: marked })],
  ])('is no fetch for %s', (name, make) => {
    withGlobal('XMLHttpRequest', Object, () => {
      expect(make).toThrow(new RegExp(`^\\[@svc/auth-hooks\\] ${name}: .*trustRedirects: true$`))
    })
    // Without one it is a mark and nothing more.
    expect(make).not.toThrow()
  })

  test('is one where the caller trusts its redirects', () => {
    withGlobal('XMLHttpRequest', Object, () => {
      expect(authFetch(scheme, { fetch: marked, trustRedirects: true })).toBeTypeOf('function')
    })
  })
})

describe('on React Native', () => {
  test.each([
    ['authFetch', () => authFetch(scheme)],
    ['authKy', () => authKy(scheme)],
    ['kyAuthHooks', () => kyAuthHooks(scheme)],
    ['authOpenApi', () => authOpenApi(scheme)],
    ['authAxios', () => authAxios(scheme, { adapter: 'fetch' })],
  ])('%s does not take the fetch of the runtime', (name, make) => {
    withGlobal('navigator', { product: 'ReactNative' }, () => {
      expect(make).toThrow(TypeError)
      expect(make).toThrow(new RegExp(`^\\[@svc/auth-hooks\\] ${name}: the fetch of this runtime`))
    })
  })

  test('one that is given is taken at its word', () => {
    withGlobal('navigator', { product: 'ReactNative' }, () => {
      expect(authFetch(scheme, { fetch: async () => new Response() })).toBeTypeOf('function')
    })
  })
})

/** Runs a function in a runtime that has something else in a place of the global scope. */
function withGlobal(name: string, value: unknown, run: () => void): void {
  const own = Object.getOwnPropertyDescriptor(globalThis, name)
  Object.defineProperty(globalThis, name, { value, configurable: true })
  try {
    run()
  } finally {
    if (own) Object.defineProperty(globalThis, name, own)
    else Reflect.deleteProperty(globalThis, name)
  }
}
