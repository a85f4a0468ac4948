import { inspect } from 'node:util'
import { createSigV4Auth, type SigV4Auth } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import type { AuthScheme } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { apiKey } from './fixtures/s3-examples.ts'
import { exampleAuth } from './support/signing.ts'
import { importCopyOf, signerSymbol, signerOf } from './testing.ts'

const url = 'https://examplebucket.s3.amazonaws.com/test.txt'

interface Door {
  readonly name: string
  readonly open: (auth: SigV4Auth, address?: string | URL) => Promise<unknown>
}
const refusal = (): Response => new Response(null, { status: 403 })
const doors: readonly Door[] = [
  { name: 'presign', open: (auth, address = url) => presign(auth, address) },
  { name: 'explain', open: (auth, address = url) => explain(auth, address) },
  { name: 'diagnose', open: (auth, address = url) => diagnose(auth, refusal(), address) },
]

describe.each(doors)('$name', ({ name, open }) => {
  test.each<[what: string, copy: (auth: SigV4Auth) => SigV4Auth]>([
    ['a spread', (auth) => ({ ...auth, name: 'logged' })],
    ['an Object.assign', (auth) => Object.assign({}, auth)],
    ['a Proxy', (auth) => new Proxy(auth, {})],
    ['an Object.create', (auth) => Object.create(auth) as SigV4Auth],
  ])('takes %s of a scheme for the scheme', async (_what, copy) => {
    expect(await open(copy(exampleAuth()))).toEqual(await open(exampleAuth()))
  })

  const token: AuthScheme = {
    name: 'token',
    covers: () => true,
    authorize: () => ({ scheme: 'token', headers: [] }),
  }
  const sigV4 = exampleAuth()
  const selector: AuthScheme = {
    name: 'route',
    covers: () => true,
    authorize: (request) => (request.method === 'GET' ? sigV4 : token).authorize(request),
  }
  test.each<[given: string, auth: unknown]>([
    ['the scheme "token"', token],
    ['the scheme "route"', selector],
    ['the scheme "a\\nb"', { ...token, name: 'a\nb' }],
    ['object', {}],
    ['object', { [signerSymbol]: 'not a signer' }],
    ['object', { [signerSymbol]: {} }],
    ['undefined', undefined],
    ['null', null],
    ['string', 'sigv4'],
  ])('refuses %s, by name', async (given, auth) => {
    // What a caller without types may give.
    await expect(open(auth as SigV4Auth)).rejects.toThrow(
      new TypeError(
        `[@svc/auth-sigv4] ${name}: auth must be what createSigV4Auth returns, or a selector that chooses it, not ${given}`,
      ),
    )
  })
})

test.each<[door: string, names: string[], exports: Promise<object>]>([
  [
    '@svc/auth-sigv4',
    ['AuthError', 'authFetch', 'authKy', 'authorizeRequest', 'createSigV4Auth'],
    import('@svc/auth-sigv4'),
  ],
  ['/aws', ['createAwsAuth'], import('@svc/auth-sigv4/aws')],
  ['/credentials', ['awsCredentials'], import('@svc/auth-sigv4/credentials')],
  ['/presign', ['presign'], import('@svc/auth-sigv4/presign')],
  ['/presign-post', ['presignPost'], import('@svc/auth-sigv4/presign-post')],
  ['/explain', ['explain'], import('@svc/auth-sigv4/explain')],
  ['/diagnose', ['diagnose'], import('@svc/auth-sigv4/diagnose')],
  ['/streaming', ['streaming'], import('@svc/auth-sigv4/streaming')],
  ['/native', ['nativeEngine'], import('@svc/auth-sigv4/native')],
  ['/webcrypto', ['webCryptoEngine'], import('@svc/auth-sigv4/webcrypto')],
  ['/aws4', ['aws4Engine'], import('@svc/auth-sigv4/aws4')],
])('%s exports %j and nothing else', async (_door, names, exports) => {
  expect(Object.keys(await exports).toSorted()).toEqual(names)
})

test('a scheme of another copy of the package is as good', async () => {
  const copy = await importCopyOf('carried-signer.ts')
  expect(copy['signerOf']).not.toBe(signerOf)
  expect(copy['signerSymbol']).toBe(signerSymbol)
  const auth = exampleAuth()
  const theirs = Reflect.apply(copy['signerOf'] as typeof signerOf, undefined, [auth, 'a caller'])
  const ours = signerOf(auth, 'a caller')
  expect(theirs('GET', new URL(url)).hashPayload).toBe(ours('GET', new URL(url)).hashPayload)
})

describe('a scheme', () => {
  const auth = createSigV4Auth({
    baseUrl: url.replace('/test.txt', ''),
    region: 'us-east-1',
    credentials: { ...apiKey, sessionToken: 'session-token' },
  })

  test('is a scheme and nothing else, beside what it carries for the doors', () => {
    expect(Object.keys(auth)).toEqual([
      'name',
      'sensitiveHeaders',
      'covers',
      'coverage',
      'authorize',
      'prepare',
    ])
    const carried = ['svc-auth.signer.1', 'svc-auth.base.1'].map((name) => Symbol.for(name))
    expect(Object.getOwnPropertySymbols(auth)).toEqual(carried)
  })

  test('carries nothing that can be changed, and no secret that is shown', async () => {
    const signer = signerOf(auth, 'a caller')('GET', new URL(url))
    expect(Object.isFrozen(Reflect.get(auth, signerSymbol))).toBe(true)
    for (const value of [auth, signer, { ...signer }, Object.entries(signer)]) {
      const shown = inspect(value, { showHidden: true, depth: 10 }) + JSON.stringify(value)
      expect(shown).not.toContain(apiKey.secretAccessKey)
      expect(shown).not.toContain('session-token')
    }
  })

  test('covers what it did, whatever a copy of it says', async () => {
    const wider = { ...exampleAuth(), covers: () => true }
    const elsewhere = 'https://elsewhere.example.com/k'
    const refused = { code: 'ERR_AUTH_ORIGIN' }
    await expect(presign(wider, elsewhere)).rejects.toMatchObject(refused)
    await expect(explain(wider, elsewhere)).rejects.toMatchObject(refused)
    const response = new Response(null, { status: 403 })
    await expect(diagnose(wider, response, elsewhere)).rejects.toMatchObject(refused)
  })
})

test('a copy of a scheme that covers less signs no more than it covers', async () => {
  const auth = exampleAuth()
  const narrow: SigV4Auth = { ...auth, covers: ({ pathname }) => pathname.startsWith('/public/') }
  const within = new URL('/public/a', url)
  for (const [given, elsewhere] of [
    [narrow, url],
    [new Proxy(narrow, {}), url],
    [{ ...narrow, name: 'narrow' }, url],
    [{ ...auth, covers: () => false }, within],
  ] as const) {
    for (const { open } of doors) {
      await expect(open(given, elsewhere)).rejects.toMatchObject({ code: 'ERR_AUTH_ORIGIN' })
    }
  }
  for (const { open } of doors) expect(await open(narrow, within)).toEqual(await open(auth, within))
})

test('a redirect to where a copy of a scheme does not cover is not diagnosed there', async () => {
  const auth = exampleAuth()
  const narrow: SigV4Auth = { ...auth, covers: ({ pathname }) => pathname.startsWith('/public/') }
  const response = Object.defineProperties(new Response(null, { status: 403 }), {
    redirected: { value: true },
    url: { value: url },
  })
  const within = new URL('/public/a', url)
  expect((await diagnose(auth, response, within)).summary).toContain('A redirect led to')
  expect((await diagnose(narrow, response, within)).summary).not.toContain('A redirect led to')
})

test('the headers that must not travel cannot be taken out of a scheme', () => {
  expect(Object.isFrozen(exampleAuth().sensitiveHeaders)).toBe(true)
})
