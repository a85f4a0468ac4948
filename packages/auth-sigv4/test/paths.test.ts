import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { signedAt } from './fixtures/s3-examples.ts'
import { exampleAuth } from './support/signing.ts'

const base = 'https://search.example.com'
const refused = (): Response =>
  new Response('', { status: 403, headers: { date: new Date(signedAt).toUTCString() } })

afterEach(() => vi.unstubAllGlobals())

describe.each<[given: string, baseUrl: string | URL, path: string, whole: string]>([
  ['a path', base, '/V1/a?b=1', `${base}/V1/a?b=1`],
  ['a path without its slash', base, 'V1/a', `${base}/V1/a`],
  ['a path with two slashes', base, '//other.example/a', `${base}/other.example/a`],
  ['a path with a colon', base, '/V1/a:b', `${base}/V1/a:b`],
  ['a path after blanks', base, ' /V1/a', `${base}/V1/a`],
  ['a path below the path of baseUrl', `${base}/store`, '/V1/a', `${base}/store/V1/a`],
  ['a path below a URL', new URL(`${base}/store/`), '/V1/a', `${base}/store/V1/a`],
])('%s, where the scheme has one base URL,', (_given, baseUrl, path, whole) => {
  const auth = exampleAuth({ baseUrl })

  test('is explained as authFetch sends it', async () => {
    expect(await explain(auth, path)).toEqual(await explain(auth, whole))
  })

  test('is presigned', async () => {
    expect(await presign(auth, path)).toEqual(await presign(auth, whole))
  })

  test('is diagnosed', async () => {
    expect(await diagnose(auth, refused(), path)).toEqual(await diagnose(auth, refused(), whole))
  })
})

test.each<[why: string, origins: readonly string[], input: string]>([
  ['of a scheme with more origins', ['https://other.example.com'], '/V1/a'],
  ['of a scheme with sub-domains', ['https://*.example.com'], '/V1/a'],
  ['that is empty', [], ''],
  ['that is a URL without a host', [], 'https://'],
  ['that is a URL with an invalid port', [], ' https://search.example.com:99999/V1/a'],
])('an input %s must be a whole URL', async (_why, origins, input) => {
  const auth = exampleAuth({ baseUrl: base, origins })
  await expect(diagnose(auth, refused(), input)).rejects.toThrow('must be an absolute URL')
  await expect(presign(auth, input)).rejects.toThrow('must be an absolute URL')
  await expect(explain(auth, input)).rejects.toThrow('must be valid and absolute')
})

describe('a path in a page', () => {
  test('is one of the page where the scheme covers it', async () => {
    vi.stubGlobal('location', { href: `${base}/app/index.html` })
    const { url } = await explain(exampleAuth({ baseUrl: `${base}/store` }), 'a.json')
    expect(url.href).toBe(`${base}/app/a.json`)
  })

  test('is one below baseUrl where it does not', async () => {
    vi.stubGlobal('location', { href: 'https://page.example/' })
    const { url } = await explain(exampleAuth({ baseUrl: base }), '/V1/a')
    expect(url.href).toBe(`${base}/V1/a`)
  })
})
