import { presign } from '@svc/auth-sigv4/presign'
import aws4 from 'aws4'
import { describe, expect, test } from 'vitest'
import { apiKey, signedAt } from './fixtures/s3-examples.ts'
import { engines, exampleAuth } from './support/signing.ts'

const host = 'https://examplebucket.s3.amazonaws.com'
const parameters = (url: URL): string[] => [...url.searchParams.keys()]

describe.each(engines)('a URL presigned by the $name engine', (engine) => {
  test('has the published signature', async () => {
    const auth = exampleAuth({ engine })
    const url = await presign(auth, `${host}/test.txt`, { expiresInSeconds: 86_400 })
    expect(url.href).toBe(
      `${host}/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256` +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    )
  })
})

describe('a presigned URL', () => {
  const auth = exampleAuth()

  test('is good for an hour, and for GET, unless it is told otherwise', async () => {
    const [url, get, put] = await Promise.all([
      presign(auth, `${host}/k`),
      presign(auth, `${host}/k`, { method: 'get', expiresInSeconds: 3600 }),
      presign(auth, `${host}/k`, { method: 'PUT' }),
    ])
    expect(url.searchParams.get('X-Amz-Expires')).toBe('3600')
    expect(get.href).toBe(url.href)
    expect(put.href).not.toBe(url.href)
  })

  test('keeps path and query in the form that is signed', async () => {
    const url = await presign(auth, `${host}/a b+c/%FF?prefix=x+y&a=2&a=1&lifecycle`)
    expect(url.pathname).toBe('/a%20b%2Bc/%FF')
    expect(url.search).toMatch(
      /^\?X-Amz-Algorithm=.*&a=2&a=1&lifecycle=&prefix=x%20y&X-Amz-Signature=/,
    )
  })

  test('signs every header that it is given, and the session token', async () => {
    const key = { ...apiKey, sessionToken: 'FwoGZXIv+/==' }
    const url = await presign(exampleAuth({ credentials: key }), `${host}/k`, {
      method: 'PUT',
      headers: {
        'Content-Type': 'text/plain',
        'x-trace': '1',
        host: 'ignored',
        'x-amz-date': 'ignored',
        'x-amz-security-token': 'ignored',
      },
    })
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-type;host;x-trace')
    expect(url.searchParams.get('X-Amz-Security-Token')).toBe('FwoGZXIv+/==')
  })

  test('that is presigned again has the new signature and nothing of the old one', async () => {
    const key = { ...apiKey, sessionToken: 'old' }
    const old = exampleAuth({ credentials: key, clock: () => signedAt - 1000 })
    const first = await presign(old, `${host}/k?a=1`, { headers: { 'x-a': '1' } })
    const disguised = first.href.replace('X-Amz-Date', 'x-amz-d%61te').replace('?', '?&&')
    for (const url of [first.href, disguised]) {
      const second = await presign(auth, url)
      expect(second.href).toBe((await presign(auth, `${host}/k?a=1`)).href)
      expect(parameters(second)).toHaveLength(7)
    }
  })

  test.each(['X-Amz-Date=1', 'x-amz-date=1', 'X-Amz-Signature', 'X-Amz-Expires='])(
    'that has %s, wherever it stands, has none of it any more',
    async (left) => {
      const clean = await presign(auth, `${host}/k?a=1&z=2`)
      for (const query of [`${left}&a=1&z=2`, `a=1&${left}&z=2`, `a=1&z=2&${left}`]) {
        expect((await presign(auth, `${host}/k?${query}`)).href).toBe(clean.href)
      }
      expect((await presign(auth, `${host}/k?${left}`)).href).toBe(
        (await presign(auth, `${host}/k`)).href,
      )
    },
  )

  test('keeps parameters that end or begin as those of a signature', async () => {
    const url = await presign(auth, `${host}/k?my-x-amz-date=1&x-amz-dates=2&x-amz-=3`)
    expect(url.searchParams.get('my-x-amz-date')).toBe('1')
    expect(url.searchParams.get('x-amz-dates')).toBe('2')
    expect(url.searchParams.get('x-amz-')).toBe('3')
  })

  test('is signed at the time of the service once that is known', async () => {
    const skewed = exampleAuth()
    const head = { status: 403, headers: new Headers({ date: 'Fri, 24 May 2013 01:00:00 GMT' }) }
    const request = {
      method: 'GET',
      url: new URL(`${host}/k`),
      headers: new Headers(),
      body: undefined,
      attempt: 1,
      reason: 'initial',
    }
    const refused = await skewed.authorize(request)
    expect(refused.review?.(head)).toBe('clock-skew')
    const retried = await skewed.authorize({ ...request, attempt: 2, reason: 'clock-skew' })
    expect(retried.review?.({ status: 200, headers: new Headers() })).toBeUndefined()
    const url = await presign(skewed, `${host}/k`)
    expect(url.searchParams.get('X-Amz-Date')).toBe('20130524T010000Z')
  })

  test('of another service than s3 has the hash of an empty body', async () => {
    const other = exampleAuth({ service: 'service' })
    const [url, withHash] = await Promise.all([
      presign(other, `${host}/k`),
      presign(other, `${host}/k`, { headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } }),
    ])
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host')
    expect(withHash.searchParams.get('X-Amz-SignedHeaders')).toBe('host;x-amz-content-sha256')
    const peer = aws4.sign(
      {
        service: 'service',
        region: 'us-east-1',
        method: 'GET',
        headers: { Host: 'examplebucket.s3.amazonaws.com' },
        path: '/k?X-Amz-Date=20130524T000000Z&X-Amz-Expires=3600',
        signQuery: true,
      },
      apiKey,
    )
    expect(peer.path?.split('&X-Amz-Signature=')[1]).toBe(url.searchParams.get('X-Amz-Signature'))
  })

  test.each(['delete', 'get', 'head', 'options', 'post', 'put'])(
    'for the method %s is the one for it in upper case, as fetch sends it',
    async (method) => {
      const [lower, upper] = await Promise.all([
        presign(auth, `${host}/k`, { method }),
        presign(auth, `${host}/k`, { method: method.toUpperCase() }),
      ])
      expect(lower.href).toBe(upper.href)
    },
  )

  test('for the method patch is the one for it in upper case, since nothing serves patch', async () => {
    const [lower, upper] = await Promise.all([
      presign(auth, `${host}/k`, { method: 'patch' }),
      presign(auth, `${host}/k`, { method: 'PATCH' }),
    ])
    expect(lower.href).toBe(upper.href)
  })

  test.each(['getter', 'target'])(
    'for the method %s is for it as it stands, as fetch sends it',
    async (method) => {
      const [lower, upper] = await Promise.all([
        presign(auth, `${host}/k`, { method }),
        presign(auth, `${host}/k`, { method: method.toUpperCase() }),
      ])
      expect(lower.href).not.toBe(upper.href)
    },
  )

  test.each(['', ' GET', 'GET ', 'GET\n', 5])('is refused for the method %j', async (method) => {
    // @ts-expect-error -- one of them is no text, as a caller without types would give it
    await expect(presign(auth, `${host}/k`, { method })).rejects.toThrow(
      new TypeError('[@svc/auth-sigv4] presign: method must be an HTTP method such as GET'),
    )
  })

  test.each(['user@', ':password@', 'user:password@'])(
    'is refused with %s in it, and says so without it',
    async (userInfo) => {
      await expect(presign(auth, `${host.replace('//', `//${userInfo}`)}/k?a=1`)).rejects.toThrow(
        `[@svc/auth-sigv4] GET ${host}/k cannot be presigned with a user name or password in the URL`,
      )
    },
  )

  test('is refused with a reason that holds neither query nor header', async () => {
    await expect(
      presign(auth, `${host}/k?a=1`, { method: 'PUT', headers: { authorization: 'x' } }),
    ).rejects.toThrow(
      `[@svc/auth-sigv4] PUT ${host}/k cannot be presigned with an authorization header`,
    )
    await expect(presign(auth, 'https://example.com/k?a=1')).rejects.toThrow(
      `[@svc/auth-sigv4] GET https://example.com/k is not covered by the scheme sigv4, which covers ${host} (set by baseUrl and origins); nothing was signed`,
    )
    const wrong = presign(auth, `${host}/k`, { headers: { 'a b': '1' } })
    await expect(wrong).rejects.toThrow(
      new TypeError('[@svc/auth-sigv4] presign: headers must be headers that fetch accepts'),
    )
    // The platform's own errors quote values of headers.
    await expect(wrong).rejects.not.toHaveProperty('cause')
    // @ts-expect-error: a wrong option
    await expect(presign(auth, `${host}/k`, null)).rejects.toThrow(
      '[@svc/auth-sigv4] presign: options must be an object with any of method, headers, body, expiresInSeconds',
    )
  })

  test.each<[given: string, url: unknown]>([
    ['a symbol', Symbol('hidden')],
    ['null', null],
    ['undefined', undefined],
    ['a number', 5],
    ['an object', {}],
    ['an object that is no text', { toString: () => expect.unreachable() }],
    ['an object without a prototype', Object.create(null)],
    ['an object with the text of a URL', { toString: () => `${host}/k` }],
    ['a function', () => `${host}/k`],
    ['an empty text', ''],
    ['an address without a host', 'https:'],
  ])('is refused of %s by the name of the argument', async (_given, given) => {
    // What a caller without types may give.
    await expect(presign(auth, given as URL)).rejects.toThrow(
      new TypeError(
        "[@svc/auth-sigv4] presign: url must be an absolute URL, such as new URL('/V1/report.csv', baseUrl)",
      ),
    )
  })

  test.each([0, -1, 604_801, 1.5, Number.NaN, Infinity])(
    'is never good for %d seconds',
    async (seconds) => {
      await expect(presign(auth, `${host}/k`, { expiresInSeconds: seconds })).rejects.toThrow(
        /^\[@svc\/auth-sigv4\] presign: expiresInSeconds must be a whole number from 1 to 604 800/,
      )
    },
  )

  test.each([1, 604_800])('may be good for %d seconds', async (seconds) => {
    const url = await presign(auth, `${host}/k`, { expiresInSeconds: seconds })
    expect(url.searchParams.get('X-Amz-Expires')).toBe(String(seconds))
  })

  test('is refused where it is not covered or cannot be signed, and the reason named', async () => {
    await expect(presign(auth, 'https://example.com/k')).rejects.toMatchObject({
      code: 'ERR_AUTH_ORIGIN',
    })
    await expect(presign(auth, `${host}/a/%2e%2e%2fb`)).rejects.toMatchObject({
      code: 'ERR_AUTH_URL',
    })
    await expect(
      presign(auth, 'https://user:password@examplebucket.s3.amazonaws.com/k'),
    ).rejects.toMatchObject({ code: 'ERR_AUTH_URL' })
    await expect(
      presign(auth, `${host}/k`, { headers: { authorization: 'x' } }),
    ).rejects.toMatchObject({ code: 'ERR_AUTH_HEADER' })
    await expect(presign(auth, `${host}/k`, { method: 'G T' })).rejects.toThrow(
      /presign: method must be/,
    )
    // @ts-expect-error: a wrong option
    await expect(presign(auth, `${host}/k`, 5)).rejects.toThrow(
      '[@svc/auth-sigv4] presign: options must be an object with any of method, headers, body, expiresInSeconds',
    )
    // @ts-expect-error: a wrong option
    await expect(presign(auth, `${host}/k`, { headers: 5 })).rejects.toThrow(/headers/)
  })
})
