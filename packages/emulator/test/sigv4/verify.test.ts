import { describe, expect, test } from 'vitest'
import { verifySigV4, type RawRequest, type VerifyOptions } from '@svc/emulator'
import {
  documentedAt,
  documentedExamples,
  documentedKey,
} from '../fixtures/s3-documented-examples.ts'
import { everyFlip } from '../support/flips.ts'
import { sign, testAt, testKey, type SignInput } from '../support/sign.ts'

const options: VerifyOptions = { apiKeys: [testKey], region: 'us-east-1', clock: () => testAt }

const verify = (input: SignInput, changed: Partial<VerifyOptions> = {}) =>
  verifySigV4(sign(input), { ...options, ...changed })

const documented: VerifyOptions = {
  apiKeys: [documentedKey],
  region: 'us-east-1',
  clock: () => documentedAt,
}
const scope = '20130524/us-east-1/s3/aws4_request'

/** Returns the flips of one bit of `text` that verify all the same. */
async function accepted(text: string, change: (text: string) => RawRequest): Promise<string[]> {
  const flips = everyFlip(text)
  const found = await Promise.all(flips.map((flip) => verifySigV4(change(flip), documented)))
  return flips.filter((_, index) => found[index]?.ok !== false)
}

describe('the examples of the S3 documents', () => {
  describe.each(documentedExamples)('$name', (example) => {
    const { method, target, headers, signedHeaders, signature } = example
    const build = (changed: {
      method?: string
      target?: string
      headers?: typeof headers
      body?: string
      credential?: string
      signedHeaders?: string
      signature?: string
    }): RawRequest => ({
      method: changed.method ?? method,
      target: changed.target ?? target,
      rawHeaders: [
        ...(changed.headers ?? headers),
        [
          'Authorization',
          `AWS4-HMAC-SHA256 Credential=${changed.credential ?? `${documentedKey.accessKeyId}/${scope}`},` +
            `SignedHeaders=${changed.signedHeaders ?? signedHeaders},Signature=${changed.signature ?? signature}`,
        ],
      ],
      body: Buffer.from(changed.body ?? example.body, 'latin1'),
    })

    test('its published signature verifies', async () => {
      const verification = await verifySigV4(build({}), documented)
      expect(verification).toMatchObject({
        ok: true,
        accessKeyId: documentedKey.accessKeyId,
        signedHeaders: signedHeaders.split(';'),
        payload: 'signed',
        stringToSign: `AWS4-HMAC-SHA256\n20130524T000000Z\n${scope}\n${example.canonicalRequestHash}`,
      })
    })

    test('a flipped bit of the method is refused', async () => {
      expect(await accepted(method, (changed) => build({ method: changed }))).toEqual([])
    })
    test('a flipped bit of path or query is refused', async () => {
      expect(await accepted(target, (changed) => build({ target: changed }))).toEqual([])
    })
    test.each(headers)('a flipped bit of the header %s is refused', async (name, value) => {
      const change = (changed: string) =>
        headers.map((pair) => (pair[0] === name ? ([name, changed] as const) : pair))
      const found = await accepted(value, (changed) => build({ headers: change(changed) }))
      expect(found).toEqual([])
    })
    test('a flipped bit of the credential and its scope is refused', async () => {
      const credential = `${documentedKey.accessKeyId}/${scope}`
      expect(await accepted(credential, (changed) => build({ credential: changed }))).toEqual([])
    })
    test('a flipped bit of the names of the signed headers is refused', async () => {
      const found = await accepted(signedHeaders, (changed) => build({ signedHeaders: changed }))
      expect(found).toEqual([])
    })
    test('a flipped bit of the signature is refused', async () => {
      expect(await accepted(signature, (changed) => build({ signature: changed }))).toEqual([])
    })
    test('a changed body is refused for its hash', async () => {
      expect(await accepted(example.body, (changed) => build({ body: changed }))).toEqual([])
      expect(await verifySigV4(build({ body: `${example.body}!` }), documented)).toMatchObject({
        ok: false,
        code: 'XAmzContentSHA256Mismatch',
      })
    })
    test('another secret is refused with the canonical request that the document shows', async () => {
      const verification = await verifySigV4(build({}), {
        ...documented,
        apiKeys: [{ ...documentedKey, secretAccessKey: 'another' }],
      })
      expect(verification).toMatchObject({ ok: false, code: 'SignatureDoesNotMatch', status: 403 })
      expect(verification.stringToSign).toContain(example.canonicalRequestHash)
    })
  })
})

describe('what is canonical', () => {
  test.each([
    ['/V1/a b', '/V1/a%20b'],
    ['/V1/a%20b', '/V1/a%20b'],
    ['/V1/a+b', '/V1/a%2Bb'],
    ['/V1/%61', '/V1/a'],
    ['/V1/%7e', '/V1/~'],
    ['/V1/%e4%bd%a0', '/V1/%E4%BD%A0'],
    ['/V1/%FF', '/V1/%FF'],
    ['/V1/\u00ff', '/V1/%FF'],
    ['/V1/a%2Fb', '/V1/a/b'],
    ['/V1/a%252Fb', '/V1/a%252Fb'],
    ['/V1/100%25', '/V1/100%25'],
    ["/V1/it's(1)*!", '/V1/it%27s%281%29%2A%21'],
    ['/V1//a/./../b', '/V1//a/./../b'],
    ['//V1', '//V1'],
    ['', '/'],
    ['http://elsewhere.example/V1/a', '/V1/a'],
  ])('the path %j is signed as %j', async (target, canonicalPath) => {
    expect(await verify({ target, canonicalPath })).toMatchObject({ ok: true })
  })

  test.each([
    ['', ''],
    ['a', 'a='],
    ['b=2&a=1', 'a=1&b=2'],
    ['a=2&a=1&a=10', 'a=1&a=10&a=2'],
    ['a-b=1&a=2', 'a=2&a-b=1'],
    ['A=1&a=2&_=3', 'A=1&_=3&a=2'],
    ['x=a+b', 'x=a%20b'],
    ['x=a%2Bb', 'x=a%2Bb'],
    ['x=a=b', 'x=a%3Db'],
    ['x=/?:', 'x=%2F%3F%3A'],
    ['=v', '=v'],
    ['a=1&&b=2&', 'a=1&b=2'],
    ['x=%FF%e9', 'x=%FF%E9'],
    ['__proto__=1&a=2', '__proto__=1&a=2'],
    ['x=1;y=2', 'x=1%3By%3D2'],
  ])('the query %j is signed as %j', async (query, canonicalQuery) => {
    const target = `/V1/object?${query}`
    expect(await verify({ target, canonicalQuery })).toMatchObject({ ok: true })
  })

  test('repeated parameters stay as they came where the server signs in wire order', async () => {
    const input = { target: '/V1/object?b=1&a=2&a=1' }
    const byValue = { ...input, canonicalQuery: 'a=1&a=2&b=1' }
    const wireOrder = { ...input, canonicalQuery: 'a=2&a=1&b=1' }
    const changed = { repeatedParameters: 'wire-order' } as const
    expect((await verify(byValue)).ok).toBe(true)
    expect((await verify(wireOrder)).ok).toBe(false)
    expect((await verify(byValue, changed)).ok).toBe(false)
    expect((await verify(wireOrder, changed)).ok).toBe(true)
  })

  test('every one of 1100 parameters is signed', async () => {
    const names = Array.from({ length: 1100 }, (_, index) => `k${String(index).padStart(4, '0')}=1`)
    const target = `/V1/object?${names.join('&')}`
    expect(await verify({ target })).toMatchObject({ ok: true })
    const signed = sign({ target })
    const shortened = { ...signed, target: target.replace('&k1099=1', '') }
    expect(await verifySigV4(shortened, options)).toMatchObject({ code: 'SignatureDoesNotMatch' })
  })

  test.each([
    ['  padded\t', 'padded'],
    ['a  b   "c    d"', 'a b "c d"'],
    ['tab\there', 'tab here'],
    ['caf\u00e9', 'caf\u00e9'],
    ['\u00a0nbsp\u00a0', '\u00a0nbsp\u00a0'],
    ['', ''],
  ])('the header value %j is signed as %j', async (value, canonical) => {
    const input = {
      headers: [['x-amz-meta-note', value]] as const,
      canonicalHeaders: { 'x-amz-meta-note': canonical },
    }
    expect(await verify(input)).toMatchObject({ ok: true })
  })

  test('a repeated header is signed as its values, joined by a comma in the order of the wire', async () => {
    const headers = [
      ['X-Amz-Meta-List', ' b '],
      ['x-amz-meta-list', 'a'],
    ] as const
    const canonicalHeaders = { 'x-amz-meta-list': 'b,a' }
    expect(await verify({ headers, canonicalHeaders })).toMatchObject({ ok: true })
    expect(await verify({ headers, canonicalHeaders: { 'x-amz-meta-list': 'a,b' } })).toMatchObject(
      { code: 'SignatureDoesNotMatch' },
    )
  })

  test('an unsigned payload is taken, whatever it is', async () => {
    const signed = sign({ method: 'PUT', payloadHash: 'UNSIGNED-PAYLOAD', body: 'one' })
    const changed = { ...signed, body: Buffer.from('two') }
    expect(await verifySigV4(changed, options)).toMatchObject({ ok: true, payload: 'unsigned' })
  })
})

describe('refusals', () => {
  test.each<[behaviour: string, input: SignInput, expected: object]>([
    [
      'an access key that nobody has',
      { key: { ...testKey, accessKeyId: 'NOBODY' } },
      { code: 'InvalidAccessKeyId', status: 403, accessKeyId: 'NOBODY' },
    ],
    [
      'another secret',
      { key: { ...testKey, secretAccessKey: 'wrong' } },
      { code: 'SignatureDoesNotMatch', status: 403 },
    ],
    [
      'another region, naming the expected one',
      { region: 'eu-west-1' },
      {
        code: 'AuthorizationHeaderMalformed',
        status: 400,
        message:
          "The authorization header is malformed; the region 'eu-west-1' is wrong; expecting 'us-east-1'",
        details: [['Region', 'us-east-1']],
      },
    ],
    ['another service', { service: 'iam' }, { code: 'AuthorizationHeaderMalformed' }],
    [
      'a scope of another day than x-amz-date',
      { scopeDate: '20260101' },
      {
        code: 'AuthorizationHeaderMalformed',
        message: expect.stringContaining('Invalid credential date "20260101"'),
      },
    ],
    ['a date that is none', { amzDate: '20260231T030405Z' }, { code: 'AccessDenied' }],
    [
      'a date in another form',
      { amzDate: '2026-01-02T03:04:05Z', scopeDate: '20260102' },
      { code: 'AccessDenied' },
    ],
    [
      'an x-amz header that is not signed',
      { unsignedHeaders: [['x-amz-acl', 'public-read']] },
      { code: 'AccessDenied', details: [['HeadersNotSigned', 'x-amz-acl']] },
    ],
    ['no payload hash', { payloadHash: '' }, { code: 'InvalidRequest', status: 400 }],
    ['a payload hash that is none', { payloadHash: 'abc' }, { code: 'InvalidArgument' }],
    [
      'a payload hash in upper case',
      { payloadHash: 'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855' },
      { code: 'InvalidArgument' },
    ],
    [
      'a payload hash of another body',
      { body: 'x', payloadHash: 'a'.repeat(64) },
      { code: 'XAmzContentSHA256Mismatch', status: 400 },
    ],
    [
      'a streaming payload that is not known',
      { payloadHash: 'STREAMING-SOMETHING-NEW' },
      { code: 'NotImplemented', status: 501 },
    ],
    [
      'a session token that the key does not have',
      { headers: [['x-amz-security-token', 'token']] },
      { code: 'InvalidToken' },
    ],
  ])('%s', async (_, input, expected) => {
    expect(await verify(input)).toMatchObject({ ok: false, ...expected })
  })

  test.each([-900_000, 900_000])('a clock that is %d ms off is fine', async (offset) => {
    expect(await verify({}, { clock: () => testAt + offset })).toMatchObject({ ok: true })
  })

  test.each([
    [-901_000, '2026-01-02T02:49:04Z'],
    [901_000, '2026-01-02T03:19:06Z'],
  ])('a clock that is %d ms off is too far off', async (offset, serverTime) => {
    expect(await verify({}, { clock: () => testAt + offset })).toMatchObject({
      code: 'RequestTimeTooSkewed',
      status: 403,
      details: [
        ['RequestTime', '20260102T030405Z'],
        ['ServerTime', serverTime],
        ['MaxAllowedSkewMilliseconds', '900000'],
      ],
    })
  })

  test('a session token must be the right one, and signed', async () => {
    const apiKeys = [{ ...testKey, sessionToken: 'right' }]
    const right = { headers: [['x-amz-security-token', 'right']] as const }
    const wrong = { headers: [['x-amz-security-token', 'wrong']] as const }
    expect(await verify(right, { apiKeys })).toMatchObject({ ok: true })
    expect(await verify(wrong, { apiKeys })).toMatchObject({ code: 'InvalidToken' })
    expect(await verify({}, { apiKeys })).toMatchObject({ code: 'InvalidToken' })
    const unsigned = { unsignedHeaders: [['x-amz-security-token', 'right']] as const }
    expect(await verify(unsigned, { apiKeys })).toMatchObject({ code: 'AccessDenied' })
  })

  test('a request without a signature', async () => {
    const request = { ...sign(), rawHeaders: [['host', 'localhost']] as const }
    expect(await verifySigV4(request, options)).toMatchObject({ code: 'AccessDenied', status: 403 })
  })

  test('a signed header that a proxy took away, by name', async () => {
    const signed = sign({ headers: [['x-note', '']] })
    const rawHeaders = signed.rawHeaders.filter(([name]) => name !== 'x-note')
    const verification = await verifySigV4({ ...signed, rawHeaders }, options)
    expect(verification).toMatchObject({ code: 'SignatureDoesNotMatch' })
    expect(verification.ok ? '' : verification.message).toContain('x-note')
  })

  test.each(['x-amz-date', 'x-amz-content-sha256', 'host', 'authorization'])(
    'a second %s',
    async (name) => {
      const signed = sign()
      const again = signed.rawHeaders.filter(([candidate]) => candidate === name)
      const rawHeaders = [...signed.rawHeaders, ...again]
      expect((await verifySigV4({ ...signed, rawHeaders }, options)).ok).toBe(false)
    },
  )

  const good = sign().rawHeaders.find(([name]) => name === 'authorization')?.[1] ?? ''
  test.each<[behaviour: string, change: (value: string) => string]>([
    ['another scheme', () => 'Bearer token'],
    ['another algorithm', (value) => value.replace('SHA256', 'SHA512')],
    ['nothing', () => ''],
    ['no signature', (value) => value.replace(/, Signature=.*/, '')],
    ['a field that is unknown', (value) => `${value}, Extra=1`],
    ['a field twice', (value) => `${value}, ${value.slice(value.indexOf('Signature='))}`],
    ['four parts in the credential', (value) => value.replace('/s3', '')],
    ['six parts in the credential', (value) => value.replace('aws4_request', 'aws4_request/x')],
    ['an empty part in the credential', (value) => value.replace('/s3/', '//')],
    ['another terminator', (value) => value.replace('aws4_request', 'aws5_request')],
    ['a scope date that is none', (value) => value.replace('/20260102/', '/2026012/')],
    [
      'headers that are not sorted',
      (value) => value.replace(/(Headers=)(host);([^;]+)/, '$1$3;$2'),
    ],
    ['a header named twice', (value) => value.replace('=host', '=host;host')],
    ['a header in upper case', (value) => value.replace('=host', '=Host')],
    ['an empty header name', (value) => value.replace('=host', '=;host')],
    ['a short signature', (value) => value.slice(0, -1)],
    ['a signature in upper case', (value) => value.replace(/[0-9a-f]{64}$/, 'A'.repeat(64))],
  ])('an Authorization header with %s is malformed', async (_, change) => {
    expect(change(good)).not.toBe(good)
    const signed = sign()
    const rawHeaders = signed.rawHeaders.map(([name, value]): [string, string] =>
      name === 'authorization' ? [name, change(value)] : [name, value],
    )
    expect(await verifySigV4({ ...signed, rawHeaders }, options)).toMatchObject({
      code: 'AuthorizationHeaderMalformed',
      status: 400,
    })
  })

  test('an Authorization header without the space after its commas is fine', async () => {
    const signed = sign()
    const rawHeaders = signed.rawHeaders.map(([name, value]): [string, string] => [
      name,
      name === 'authorization' ? value.replaceAll(', ', ',') : value,
    ])
    expect(await verifySigV4({ ...signed, rawHeaders }, options)).toMatchObject({ ok: true })
  })

  test('host must be among the signed headers', async () => {
    const signed = sign()
    const rawHeaders = signed.rawHeaders.map(([name, value]): [string, string] => [
      name,
      value.replace('=host;', '='),
    ])
    const verification = await verifySigV4({ ...signed, rawHeaders }, options)
    expect(verification).toMatchObject({
      code: 'AccessDenied',
      details: [['HeadersNotSigned', 'host']],
    })
  })

  test('a mismatch shows the canonical request and string to sign of the verifier', async () => {
    const signed = sign({ target: '/V1/a?b=1', key: { ...testKey, secretAccessKey: 'wrong' } })
    expect(await verifySigV4(signed, options)).toMatchObject({
      code: 'SignatureDoesNotMatch',
      canonicalRequest: signed.canonicalRequest,
      stringToSign: signed.stringToSign,
    })
  })
})
