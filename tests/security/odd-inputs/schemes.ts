import { runInNewContext } from 'node:vm'
import type { SigV4AuthOptions } from '@svc/auth-sigv4'
import type { Authorization, AuthScheme } from '@svc/types'
import type { OddCase } from './plan.ts'
import { apiKey, user } from './users.ts'

/** The time that a session of a case waits for a login. */
const loginTimeoutMs = 400

/**
 * Makes the scheme of a case, and loads no other. Those of its own are what JavaScript without types may
 * give.
 */
export async function schemeOf(
  { scheme }: Pick<OddCase, 'scheme'>,
  origin: string,
): Promise<AuthScheme> {
  if (scheme.startsWith('own')) return ownScheme(scheme, origin)
  if (scheme.startsWith('token')) return tokenAuth(origin)
  if (scheme.startsWith('selector')) {
    const { createServiceRoutes } = await import('@svc/route-auth-selector')
    const [token, sigv4] = await Promise.all([tokenAuth(origin), sigV4Auth(origin)])
    return createServiceRoutes({ baseUrl: origin, token, sigv4 })
  }
  if (scheme === 'sigv4-webcrypto') {
    const { webCryptoEngine } = await import('@svc/auth-sigv4/webcrypto')
    return sigV4Auth(origin, { engine: webCryptoEngine() })
  }
  if (scheme === 'sigv4-streaming') {
    const { streaming } = await import('@svc/auth-sigv4/streaming')
    return sigV4Auth(origin, { payload: streaming() })
  }
  return sigV4Auth(origin, scheme === 'sigv4-unsigned' ? { payload: 'unsigned' } : {})
}

async function tokenAuth(baseUrl: string): Promise<AuthScheme> {
  const { createTokenAuth } = await import('@svc/auth-token')
  return createTokenAuth({ baseUrl, credentials: user, loginTimeoutMs })
}

async function sigV4Auth(
  baseUrl: string,
  options: Partial<SigV4AuthOptions> = {},
): Promise<AuthScheme> {
  const { createSigV4Auth } = await import('@svc/auth-sigv4')
  return createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: apiKey, ...options })
}

function ownScheme(scheme: OddCase['scheme'], origin: string): AuthScheme {
  let count = 0
  return {
    name: 'own',
    covers(url) {
      if (scheme === 'own-covers-throws') throw new Error('no idea')
      return url.origin === origin
    },
    authorize() {
      count += 1
      const key = { scheme: 'own', headers: [['x-api-key', `key-${count}`]] } as const
      // What there is beyond the types is the point.
      return oddly(scheme, key, count) as Authorization
    },
  }
}

const never = new Promise<never>(() => {})

function oddly(scheme: OddCase['scheme'], key: Authorization, count: number): unknown {
  const review = reviewOf(scheme, count)
  const result = { ...key, ...(review && { review }) }
  const values: Readonly<Record<string, () => unknown>> = {
    'own-async': () => Promise.resolve(result),
    'own-late': () => new Promise((resolve) => setTimeout(resolve, 50, result)),
    'own-thenable': () => thenable(result),
    'own-realm': () => promiseOfAnotherRealm(result),
    'own-library': () => new LibraryPromise(result),
    'own-undefined': () => undefined,
    'own-empty': () => ({}),
    'own-thenable-empty': () => thenable({}),
    'own-null': () => Promise.resolve(null),
    'own-text': () => 'key-1',
    'own-record': () => ({ scheme: 'own', headers: { 'x-api-key': 'key-1' } }),
    'own-number-value': () => ({ scheme: 'own', headers: [['x-api-key', 1]] }),
    'own-control-value': () => ({ scheme: 'own', headers: [['x-api-key', 'key-\u{1}']] }),
    'own-throwing-headers': () => ({
      get headers() {
        throw new Error('no headers')
      },
    }),
    'own-throws': () => {
      throw new Error('no key')
    },
    'own-throws-undefined': () => {
      // oxlint-disable-next-line typescript/only-throw-error -- a scheme of anybody's may
      throw undefined
    },
    'own-rejects': () => Promise.reject(new Error('no key')),
    'own-never': () => never,
    'own-bad-url': () => ({ ...result, url: 'http://[' }),
  }
  return values[scheme]?.() ?? (Object.hasOwn(values, scheme) ? undefined : result)
}

function reviewOf(scheme: OddCase['scheme'], count: number): (() => unknown) | undefined {
  const values: Readonly<Record<string, () => unknown>> = {
    'own-review-endless': () => `reason ${count}`,
    'own-review-thenable': () => thenable('rejected'),
    'own-review-realm': () => promiseOfAnotherRealm('rejected'),
    'own-review-thenable-endless': () => thenable(`reason ${count}`),
    'own-review-throws': () => {
      throw new Error('no review')
    },
    'own-review-rejects': () => Promise.reject(new Error('no review')),
    'own-review-number': () => 401,
    'own-review-never': () => never,
  }
  return values[scheme]
}

/** Returns something that can be awaited, and nothing more. */
function thenable(value: unknown): object {
  // oxlint-disable-next-line unicorn/no-thenable -- this is what it is for
  return { then: (resolve: (value: unknown) => void) => void setImmediate(resolve, value) }
}

function promiseOfAnotherRealm(value: unknown): unknown {
  return runInNewContext('Promise.resolve(value)', { value })
}

/** A promise as libraries made them: no `Promise`, and with more than `then`. */
class LibraryPromise {
  readonly #promise: Promise<unknown>

  constructor(value: unknown) {
    this.#promise = Promise.resolve(value)
  }

  // oxlint-disable-next-line unicorn/no-thenable -- this is what it is for
  then(...callbacks: Parameters<Promise<unknown>['then']>): LibraryPromise {
    return new LibraryPromise(this.#promise.then(...callbacks))
  }

  catch(callback: (error: unknown) => unknown): LibraryPromise {
    return this.then(undefined, callback)
  }

  spread(): never {
    throw new Error('not here')
  }
}
