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

const doors: readonly { name: string; open: (auth: SigV4Auth) => Promise<unknown> }[] = [
  { name: 'presign', open: (auth) => presign(auth, url) },
  { name: 'explain', open: (auth) => explain(auth, url) },
  { name: 'diagnose', open: (auth) => diagnose(auth, new Response(null, { status: 403 }), url) },
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
        `[@svc/auth-sigv4] ${name}: auth must be what createSigV4Auth returns, not ${given}`,
      ),
    )
  })
})

test.each<[door: string, names: string[], exports: Promise<object>]>([
  [
    '@svc/auth-sigv4',
    ['AuthError', 'authFetch', 'authKy', 'createSigV4Auth'],
    import('@svc/auth-sigv4'),
  ],
  ['/presign', ['presign'], import('@svc/auth-sigv4/presign')],
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
  expect(Reflect.apply(copy['signerOf'] as typeof signerOf, undefined, [auth, 'a caller'])).toBe(
    signerOf(auth, 'a caller'),
  )
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
      'authorize',
      'prepare',
    ])
    expect(Object.getOwnPropertySymbols(auth)).toEqual([Symbol.for('svc-auth.signer.1')])
  })

  test('carries nothing that can be changed, and no secret that is shown', async () => {
    const signer = signerOf(auth, 'a caller')
    expect(Object.isFrozen(signer)).toBe(true)
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
