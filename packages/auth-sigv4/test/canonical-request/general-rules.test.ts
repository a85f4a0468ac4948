import { createHash } from 'node:crypto'
import { createSigV4Auth, type SigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { describe, expect, test } from 'vitest'
import { hasBotocore, signatureOf, signWithBotocore } from '../oracle/botocore.ts'

// The rules of Signature Version 4 for services other than s3, with the key, instant and scope that
// AWS uses to test them. Expectations are by the written rules, signatures by botocore's signer.
const origin = 'https://example.amazonaws.com'
const sessionToken = 'AQoDYXdzEPT//////////wEXAMPLE=='
const apiKey = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
const amzDate = '20150830T123600Z'

function serviceAuth(credentials: typeof apiKey & { sessionToken?: string } = apiKey): SigV4Auth {
  return createSigV4Auth({
    baseUrl: origin,
    region: 'us-east-1',
    service: 'service',
    credentials,
    signHeaders: ['my-header1', 'my-header2', 'p', 'a-b', 'a', 'z'],
    clock: () => Date.UTC(2015, 7, 30, 12, 36),
  })
}
const auth = serviceAuth()

interface Asked {
  readonly url: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly sessionToken?: string
  readonly expiresInSeconds?: number
}

async function botocoreSignatures(asked: readonly Asked[]): Promise<string[]> {
  const cases = asked.map(({ method = 'GET', headers = {}, body = '', ...rest }) =>
    Object.assign({ method, headers, region: 'us-east-1', service: 'service' }, rest, apiKey, {
      amzDate,
      isPayloadSigned: true,
      body: Buffer.from(body).toString('base64'),
    }),
  )
  return (await signWithBotocore(cases)).map(signatureOf)
}

const paths: readonly (readonly [path: string, canonical: string])[] = [
  ['', '/'],
  ['/', '/'],
  ['//', '/'],
  ['///', '/'],
  ['//example//', '/example/'],
  ['/a//b///c', '/a/b/c'],
  ['/./', '/'],
  ['/./example', '/example'],
  ['/example/.', '/example/'],
  ['/example/..', '/'],
  ['/one/two/../..', '/'],
  ['/../../example', '/example'],
  ['/%2e/example', '/example'],
  ['/example/%2E%2e/other', '/other'],
  ['/example/.%2e/other/', '/other/'],
  ['/example/%2e', '/example/'],
  ['//a/..//b', '/b'],
  ['/example space/', '/example%2520space/'],
  ['/example%20space/', '/example%2520space/'],
  ['/ሴ', '/%25E1%2588%25B4'],
  ['/😀', '/%25F0%259F%2598%2580'],
  ['/-._~0123456789AZaz', '/-._~0123456789AZaz'],
  ['/%7E%2D', '/%257E%252D'],
  ['/%61%e4', '/%2561%25e4'],
  ['/a%2Fb', '/a%252Fb'],
  ['/a%2fb', '/a%252fb'],
  ['/%2F', '/%252F'],
  ['/a//%2F/b%2F', '/a/%252F/b%252F'],
  ['/a%2F%2Fb//', '/a%252F%252Fb/'],
  ['/a%2520b', '/a%252520b'],
  ['/a%zz%4', '/a%2525zz%25254'],
  ["/a|b[c]!'()*", '/a%257Cb%255Bc%255D%2521%2527%2528%2529%252A'],
  ["/it's", '/it%2527s'],
  ['/a+b', '/a%252Bb'],
  ['/a%FFb', '/a%25FFb'],
  ['/100%', '/100%2525'],
  ['/a;b=c,d', '/a%253Bb%253Dc%252Cd'],
  ['/...', '/...'],
]

const queries: readonly (readonly [query: string, canonical: string])[] = [
  ['', ''],
  ['?', ''],
  ['?Param1=value1', 'Param1=value1'],
  ['?Param2=value2&Param1=value1', 'Param1=value1&Param2=value2'],
  ['?Param1=value2&Param1=Value1', 'Param1=Value1&Param1=value2'],
  ['?Param1=b&Param1=&Param1=a', 'Param1=&Param1=a&Param1=b'],
  ['?Param1', 'Param1='],
  ['?b=1&_=2&B=3&ä=4&-=5', '%C3%A4=4&-=5&B=3&_=2&b=1'],
  ['?a-b=1&a=2&a.b=3', 'a=2&a-b=1&a.b=3'],
  ['?-._~0123456789AZaz=-._~0123456789AZaz', '-._~0123456789AZaz=-._~0123456789AZaz'],
  ['?ሴ=bar', '%E1%88%B4=bar'],
  ['?a=b c+d%20e', 'a=b%20c%20d%20e'],
  ['?a=b%2Bc%2525', 'a=b%2Bc%2525'],
  ['?a=b=c', 'a=b%3Dc'],
  ['?=v', '=v'],
  ['?a=@#fragment', 'a=%40'],
]

type HeaderCase = readonly [
  what: string,
  headers: readonly (readonly [string, string])[],
  lines: string,
]
const headerCases: readonly HeaderCase[] = [
  ['is trimmed', [['My-Header1', '  value1 \t']], 'my-header1:value1'],
  ['is folded', [['My-Header1', 'a   b \t c']], 'my-header1:a b c'],
  ['is folded within quotes too', [['my-header1', '"a   b   c"']], 'my-header1:"a b c"'],
  ['may be empty', [['my-header1', '']], 'my-header1:'],
  [
    'of a repeated name is joined in the order of the caller, as fetch sends it',
    [
      ['my-header1', 'value2'],
      ['My-Header1', 'value2'],
      ['MY-HEADER1', 'value1'],
    ],
    'my-header1:value2, value2, value1',
  ],
  ['keeps its case, and its name loses it', [['P', 'phfft ABC; q="Z"']], 'p:phfft ABC; q="Z"'],
]

describe('the path of a service that is not s3', () => {
  test.each(paths)('%s is signed as %s', async (path, canonical) => {
    const { canonicalRequest } = await explain(auth, origin + path)
    expect(canonicalRequest.split('\n')[1]).toBe(canonical)
  })
})

describe('its wire form', () => {
  test.each([
    ['/', '/'],
    ['//', '//'],
    ['//a//b/', '//a//b/'],
    ['/a%2Fb', '/a%2Fb'],
    ['/a%2fb', '/a%2fb'],
    ['/a%2F%2Fb', '/a%2F%2Fb'],
    ['/%61%7e%e4', '/%61%7e%e4'],
    ['/a%2520b', '/a%2520b'],
    ['/a b', '/a%20b'],
    ['/100%', '/100%25'],
    ['/a%zz%4', '/a%25zz%254'],
    ['/%%41', '/%25%41'],
    ['/a+b', '/a%2Bb'],
    ['/ü', '/%C3%BC'],
    ["/a|b[c]!'()*", '/a%7Cb%5Bc%5D%21%27%28%29%2A'],
    ['/$&=,;:@', '/%24%26%3D%2C%3B%3A%40'],
    ['/-._~', '/-._~'],
  ])('of %s is %s', async (path, sent) => {
    const { url } = await explain(auth, origin + path)
    expect(url.href).toBe(origin + sent)
    const presigned = await presign(auth, origin + path)
    expect(presigned.pathname).toBe(sent)
  })

  test.each(['/a/%2e%2e%2fb', '/a%2F..', '/%2F.'])(
    'of %s does not exist, since it decodes to a dot segment',
    async (path) => {
      await expect(explain(auth, origin + path)).rejects.toMatchObject({ code: 'ERR_AUTH_URL' })
    },
  )
})

describe('its query', () => {
  test.each(queries)('%s is signed as %s', async (query, canonical) => {
    const { canonicalRequest } = await explain(auth, `${origin}/${query}`)
    expect(canonicalRequest.split('\n')[2]).toBe(canonical)
  })
})

describe('the value of a header', () => {
  test.each(headerCases)('%s', async (_what, headers, line) => {
    const given = headers.map(([name, value]): [string, string] => [name, value])
    const { canonicalRequest } = await explain(auth, origin, { headers: given })
    const [name = ''] = line.split(':')
    expect(canonicalRequest.split('\n').slice(3)).toEqual([
      'host:example.amazonaws.com',
      line,
      `x-amz-date:${amzDate}`,
      '',
      `host;${name};x-amz-date`,
      sha256(''),
    ])
  })

  test('stands in order of names, whatever the order of the caller', async () => {
    const headers = { z: '1', 'x-amz-b': '2', 'a-b': '3', a: '4', 'x-amz-a': '5' }
    const { canonicalRequest, signedHeaders } = await explain(auth, origin, { headers })
    expect(signedHeaders).toBe('a;a-b;host;x-amz-a;x-amz-b;x-amz-date;z')
    const lines = canonicalRequest.split('\n').slice(3, 10)
    expect(lines.map((line) => line.split(':')[0])).toEqual(signedHeaders.split(';'))
  })
})

describe('a body', () => {
  test.each([
    ['none', undefined, undefined],
    ['a form', 'Param1=value1', 'application/x-www-form-urlencoded'],
    ['a form with its charset', 'Param1=ü', 'application/x-www-form-urlencoded; charset=utf8'],
    ['JSON', '{"a":"ሴ"}', 'application/json'],
  ])('of a POST is hashed and its type signed: %s', async (_what, body, type) => {
    const { canonicalRequest, payloadHash, signedHeaders, headers } = await explain(auth, origin, {
      method: 'POST',
      ...(body !== undefined && { body }),
      ...(type !== undefined && { headers: { 'content-type': type } }),
    })
    expect(payloadHash).toBe(sha256(body ?? ''))
    expect(canonicalRequest.startsWith('POST\n/\n\n')).toBe(true)
    expect(canonicalRequest.endsWith(`\n${payloadHash}`)).toBe(true)
    expect(signedHeaders).toBe(
      type === undefined ? 'host;x-amz-date' : 'content-type;host;x-amz-date',
    )
    // Only s3 is told the hash in a header.
    expect(headers.has('x-amz-content-sha256')).toBe(false)
  })
})

describe('a session token', () => {
  test('is signed with the headers, and in the query of a presigned URL', async () => {
    const temporary = serviceAuth({ ...apiKey, sessionToken })
    const { signedHeaders, canonicalRequest } = await explain(temporary, origin)
    expect(signedHeaders).toBe('host;x-amz-date;x-amz-security-token')
    expect(canonicalRequest).toContain(`\nx-amz-security-token:${sessionToken}\n`)
    const url = await presign(temporary, origin)
    expect(url.searchParams.get('X-Amz-Security-Token')).toBe(sessionToken)
    expect(url.search).not.toBe((await presign(auth, origin)).search)
  })

  test('that is added after signing is no part of what was signed', async () => {
    const { canonicalRequest, headers } = await explain(auth, origin)
    headers.set('x-amz-security-token', sessionToken)
    expect(canonicalRequest).not.toContain('security-token')
  })
})

describe.skipIf(!hasBotocore())('botocore', () => {
  test('signs every path as we do, and one without a character to escape as it was given', async () => {
    const ours = await Promise.all(paths.map(([path]) => explain(auth, origin + path)))
    const sent = ours.map(({ url }) => ({ url: url.href }))
    const signatures = ours.map(({ signature }) => signature)
    expect(await botocoreSignatures(sent)).toEqual(signatures)
    // Dot segments are its own to take out, but for escaped ones, which URL parsers take out.
    // It makes /example of /example/. though, where URL parsers and RFC 3986 keep the slash.
    const plain = paths.filter(([path]) =>
      /^(?:[\w\-.~/]|%(?!2e)[\da-f]{2})*(?<!\/\.)$/i.test(path),
    )
    const given = plain.map(([path]) => ({ url: origin + path }))
    expect(given.length).toBeGreaterThan(20)
    const parsed = await Promise.all(plain.map(([path]) => explain(auth, origin + path)))
    expect(await botocoreSignatures(given)).toEqual(parsed.map(({ signature }) => signature))
  })

  test('signs every query, header, body and token as we do', async () => {
    const byQuery = queries.map(([query]) => ({ path: `/${query}` }))
    const byHeader = headerCases.map(([, headers]) => ({
      path: '/',
      headers: Object.fromEntries(new Headers(headers.map(([name, value]) => [name, value]))),
    }))
    const others = [
      { path: '/', method: 'POST', body: '{"a":"ሴ"}', headers: { 'content-type': 'text/plain' } },
      { path: '/', method: 'POST' },
      { path: '/a//b', method: 'DELETE', sessionToken },
    ]
    const cases: (Omit<Asked, 'url'> & { path: string })[] = [...byQuery, ...byHeader, ...others]
    const ours = await Promise.all(
      cases.map(async ({ path, method = 'GET', headers = {}, body, sessionToken: token }) => {
        const signer = token === undefined ? auth : serviceAuth({ ...apiKey, sessionToken: token })
        const bytes = body === undefined ? {} : { body: new TextEncoder().encode(body) }
        return explain(signer, origin + path, { method, headers, ...bytes })
      }),
    )
    const asked = cases.map((given, index) =>
      Object.assign({ url: ours[index]?.url.href ?? '' }, given),
    )
    expect(await botocoreSignatures(asked)).toEqual(ours.map(({ signature }) => signature))
  })

  test('presigns as we do, with a token and without', async () => {
    const urls = ['/', '/a//b/?b=2&a=1', '/ሴ?ሴ=bar'].map((path) => origin + path)
    const asked: Asked[] = []
    const ours: (string | null)[] = []
    for (const token of [undefined, sessionToken]) {
      const signer = token === undefined ? auth : serviceAuth({ ...apiKey, sessionToken: token })
      for (const url of urls) {
        const presigned = await presign(signer, url)
        ours.push(presigned.searchParams.get('X-Amz-Signature'))
        const { url: wire } = await explain(signer, url)
        const named = token === undefined ? {} : { sessionToken: token }
        asked.push({ url: wire.href, expiresInSeconds: 3600, ...named })
      }
    }
    expect(await botocoreSignatures(asked)).toEqual(ours)
  })
})

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
