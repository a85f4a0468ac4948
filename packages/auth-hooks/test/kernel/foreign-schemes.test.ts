import { runInNewContext } from 'node:vm'
import { AuthError, type Authorization, type AuthScheme } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import { adapters, causes } from '../support/adapters.ts'
import { serve } from '../support/server.ts'

/** A promise of a library: it has a `then`, and nothing else of a `Promise`. */
function thenable<T>(value: T): PromiseLike<T> {
  // oxlint-disable-next-line unicorn/no-thenable -- the subject of the test
  return { then: (...callbacks) => Promise.resolve(value).then(...callbacks) }
}

class TracedPromise<T> extends Promise<T> {}

const promises: [name: string, of: <T>(value: T) => PromiseLike<T>][] = [
  ['a value', (value) => value as never],
  ['a promise', (value) => Promise.resolve(value)],
  ['a thenable', thenable],
  ['a promise of another realm', (value) => runInNewContext('Promise').resolve(value)],
  ['a subclass of Promise', (value) => TracedPromise.resolve(value)],
  ['a thenable of a thenable', (value) => thenable(thenable(value)) as never],
]

const authorization: Authorization = { scheme: 'own', headers: [['x-credential', 'secret']] }

function own(change: Partial<AuthScheme>): AuthScheme {
  return { name: 'own', covers: () => true, authorize: () => authorization, ...change }
}

/** Values that JavaScript without types throws. */
const thrownValues = [undefined, null, 'a text', { message: 'no error' }, Symbol('thrown')]

describe.each(adapters)('%s', (_adapter, connect) => {
  test.each(promises)('takes the credential from %s', async (_name, of) => {
    const server = await serve()
    await connect(own({ authorize: () => of(authorization) as never }))(`${server.origin}/a`)
    expect(server.arrived.map(({ headers }) => headers['x-credential'])).toEqual(['secret'])
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'x-credential: secret'],
    ['an empty object', {}],
    ['headers that are a record', { scheme: 'own', headers: { 'x-credential': 'secret' } }],
    ['a header without a value', { scheme: 'own', headers: [['x-credential']] }],
    ['a header whose value is no text', { scheme: 'own', headers: [['x-credential', {}]] }],
    ['a header that is no pair', { scheme: 'own', headers: [null] }],
  ])('sends nothing where a scheme gives %s, by whatever promise', async (_name, given) => {
    const server = await serve()
    for (const [, of] of promises) {
      const send = connect(own({ authorize: () => of(given) as never }))
      const error: unknown = await send(`${server.origin}/a`).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      const cause = causes(error).find((link) => AuthError.is(link))
      expect(cause).toMatchObject({ code: 'ERR_AUTH_SCHEME' })
      expect(cause?.message).toContain('own')
      expect(cause?.message).not.toContain('secret')
    }
    expect(server.arrived).toEqual([])
  })

  test.each([
    ['does not parse', () => 'http://['],
    ['names another origin', (origin: string) => origin.replace('127.0.0.1', 'localhost')],
    ['begins with the origin alone', (origin: string) => `${origin}0/a`],
    ['has a user name', (origin: string) => `${origin.replace('//', '//a@')}/a`],
    ['is an origin and no path', (origin: string) => origin],
    ['is a path', () => '/a'],
    ['is empty', () => ''],
    ['is no text', (origin: string) => new URL(origin)],
    ['is null', () => null],
  ])('sends nothing where the URL of a scheme %s', async (_name, url) => {
    const server = await serve()
    const given = { ...authorization, url: url(server.origin) as string }
    const send = connect(own({ authorize: () => given }))
    const error: unknown = await send(`${server.origin}/a`).catch((reason: unknown) => reason)
    const cause = causes(error).find((link) => AuthError.is(link))
    expect(cause).toMatchObject({ code: 'ERR_AUTH_SCHEME' })
    expect(cause?.message).toContain('own')
    expect(server.arrived).toEqual([])
  })

  test.each(thrownValues)(
    'rejects, and sends nothing, where a scheme throws %o',
    async (thrown) => {
      const server = await serve()
      const schemes = [
        own({
          authorize() {
            throw thrown
          },
        }),
        own({ authorize: () => Promise.reject(thrown) }),
        own({
          covers() {
            throw thrown
          },
        }),
      ]
      for (const scheme of schemes) {
        const outcome = await connect(scheme)(`${server.origin}/a`).then(
          () => 'sent',
          () => 'rejected',
        )
        expect(outcome).toBe('rejected')
      }
      expect(server.arrived).toEqual([])
    },
  )

  test('sends nothing where a scheme does not say if it covers a URL', async () => {
    const server = await serve()
    for (const verdict of [undefined, 1, 'yes', Promise.resolve(true), thenable(false)]) {
      const send = connect(own({ covers: () => verdict as never }))
      const error: unknown = await send(`${server.origin}/a`).catch((reason: unknown) => reason)
      const cause = causes(error).find((link) => AuthError.is(link))
      expect(cause).toMatchObject({ code: 'ERR_AUTH_SCHEME' })
    }
    expect(server.arrived).toEqual([])
  })
})

// `authorizeRequest` sends nothing, and the hooks of ky replay once.
const replaying = adapters.filter(([name]) => !/^(?:authorizeRequest|kyAuthHooks)/.test(name))

describe.each(replaying)('%s', (_adapter, connect) => {
  test.each(promises)('replays for a reason from %s', async (_name, of) => {
    const server = await serve(({ count }, response) => {
      response.statusCode = count === 1 ? 401 : 200
      response.end()
    })
    const review = ({ status }: { status: number }) =>
      of(status === 401 ? 'rejected' : undefined) as never
    const send = connect(own({ authorize: () => ({ ...authorization, review }) }))
    expect(await send(`${server.origin}/a`)).toBe(200)
    expect(server.arrived).toHaveLength(2)
  })

  test.each(thrownValues)('rejects where a review throws %o', async (thrown) => {
    const server = await serve()
    const review = (): never => {
      throw thrown
    }
    const send = connect(own({ authorize: () => ({ ...authorization, review }) }))
    const outcome = await send(`${server.origin}/a`).then(
      () => 'resolved',
      () => 'rejected',
    )
    expect(outcome).toBe('rejected')
    expect(server.arrived).toHaveLength(1)
  })

  test('makes at most eight further attempts, whatever a review says', async () => {
    const server = await serve((_request, response) => {
      response.statusCode = 401
      response.end()
    })
    for (const [, of] of promises) {
      const before = server.arrived.length
      let reasons = 0
      const review = () => of(`reason ${(reasons += 1)}`) as never
      const send = connect(own({ authorize: () => ({ ...authorization, review }) }))
      expect(await send(`${server.origin}/a`)).toBe(401)
      expect(server.arrived.length - before).toBe(9)
    }
  })
})
