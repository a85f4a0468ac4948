import { describe, expect, test } from 'vitest'
import { verifySigV4, type VerifyOptions } from '@svc/emulator'
import { documentedAt, documentedKey } from '../fixtures/s3-documented-examples.ts'
import { documentedPresigned } from '../fixtures/s3-documented-streams.ts'
import { everyFlip } from '../support/flips.ts'
import { presign, type PresignInput } from '../support/presign.ts'
import { sign, testAt, testKey } from '../support/sign.ts'

const options: VerifyOptions = { apiKeys: [testKey], region: 'us-east-1', clock: () => testAt }

const verify = (input: PresignInput, changed: Partial<VerifyOptions> = {}) =>
  verifySigV4(presign(input), { ...options, ...changed })

describe('the presigned URL of the S3 documents', () => {
  const documented: VerifyOptions = {
    apiKeys: [documentedKey],
    region: 'us-east-1',
    clock: () => documentedAt,
  }
  const [, path = '', query = ''] = documentedPresigned.canonicalRequest.split('\n')
  const target = `${path}?${query}&X-Amz-Signature=${documentedPresigned.signature}`
  const host = 'examplebucket.s3.amazonaws.com'
  const build = (changed: { method?: string; target?: string; host?: string }) => ({
    method: changed.method ?? 'GET',
    target: changed.target ?? target,
    rawHeaders: [['Host', changed.host ?? host] as const],
    body: new Uint8Array(),
  })

  test('verifies, with the canonical request and the string to sign that are published', async () => {
    expect(await verifySigV4(build({}), documented)).toMatchObject({
      ok: true,
      accessKeyId: documentedKey.accessKeyId,
      signedHeaders: ['host'],
      payload: 'unsigned',
      canonicalRequest: documentedPresigned.canonicalRequest,
      stringToSign: documentedPresigned.stringToSign,
    })
  })

  test('is good for its 86400 seconds, and no longer', async () => {
    const at = (instant: number) => verifySigV4(build({}), { ...documented, clock: () => instant })
    expect(await at(documentedAt + 86_400_000)).toMatchObject({ ok: true })
    expect(await at(documentedAt + 86_401_000)).toMatchObject({
      code: 'AccessDenied',
      status: 403,
      message: 'Request has expired',
      details: [
        ['X-Amz-Expires', '86400'],
        ['Expires', '2013-05-25T00:00:00Z'],
        ['ServerTime', '2013-05-25T00:00:01Z'],
      ],
    })
  })

  test.each([
    ['method', 'GET', (changed: string) => build({ method: changed })],
    ['host', host, (changed: string) => build({ host: changed })],
    ['path, query and signature', target, (changed: string) => build({ target: changed })],
  ])('a flipped bit of its %s is refused', async (_name, text, change) => {
    // Only the case of the digits of an escape makes no difference.
    const meaning = (flip: string) => flip.replace(/%../g, (escape) => escape.toUpperCase())
    const flips = everyFlip(text).filter((flip) => meaning(flip) !== meaning(text))
    const found = await Promise.all(flips.map((flip) => verifySigV4(change(flip), documented)))
    expect(flips.filter((_, index) => found[index]?.ok !== false)).toEqual([])
  })
})

describe('a presigned URL', () => {
  test('may stand in any order, with parameters of its own', async () => {
    const request = presign({ parameters: { 'response-content-type': 'text%2Fplain', a: '' } })
    const [path = '', query = ''] = request.target.split('?')
    const target = `${path}?${query.split('&').toReversed().join('&')}`
    expect(await verifySigV4({ ...request, target }, options)).toMatchObject({ ok: true })
  })

  test.each(['PUT', 'DELETE', 'HEAD'])('is for one method, such as %s', async (method) => {
    const request = presign({ method })
    expect(await verifySigV4(request, options)).toMatchObject({ ok: true })
    expect(await verifySigV4({ ...request, method: 'GET' }, options)).toMatchObject({
      code: 'SignatureDoesNotMatch',
      canonicalRequest: request.canonicalRequest.replace(method, 'GET'),
    })
  })

  test('leaves its body open', async () => {
    const request = { ...presign({ method: 'PUT' }), body: Buffer.from('anything') }
    expect(await verifySigV4(request, options)).toMatchObject({ ok: true, payload: 'unsigned' })
  })

  const hash = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
  test.each<[place: string, input: PresignInput]>([
    ['a signed header', { headers: { 'x-amz-content-sha256': hash } }],
    ['a parameter', { parameters: { 'X-Amz-Content-Sha256': hash } }],
    [
      'both',
      {
        headers: { 'x-amz-content-sha256': hash },
        parameters: { 'X-Amz-Content-Sha256': hash },
      },
    ],
  ])('may say the hash of its body, in %s', async (_, place) => {
    const request = presign({ method: 'PUT', payloadHash: hash, body: 'hello', ...place })
    expect(await verifySigV4(request, options)).toMatchObject({ ok: true, payload: 'signed' })
    expect(await verifySigV4({ ...request, body: Buffer.from('other') }, options)).toMatchObject({
      code: 'XAmzContentSHA256Mismatch',
      status: 400,
    })
  })

  test('may not say two hashes', async () => {
    const input = {
      payloadHash: hash,
      headers: { 'x-amz-content-sha256': hash },
      parameters: { 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' },
    }
    expect(await verify(input)).toMatchObject({ code: 'InvalidArgument' })
  })

  test('cannot sign chunks', async () => {
    const payloadHash = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
    const headers = { 'x-amz-content-sha256': payloadHash }
    expect(await verify({ payloadHash, headers })).toMatchObject({ code: 'NotImplemented' })
  })

  test('brings its session token as a parameter or as a signed header', async () => {
    const apiKeys = [{ ...testKey, sessionToken: 'right/+=' }]
    expect(await verify({ securityToken: 'right/+=' }, { apiKeys })).toMatchObject({ ok: true })
    expect(
      await verify({ headers: { 'x-amz-security-token': 'right/+=' } }, { apiKeys }),
    ).toMatchObject({ ok: true })
    expect(await verify({ securityToken: 'wrong' }, { apiKeys })).toMatchObject({
      code: 'InvalidToken',
    })
    expect(await verify({}, { apiKeys })).toMatchObject({ code: 'InvalidToken' })
    expect(await verify({ securityToken: 'right/+=' })).toMatchObject({ code: 'InvalidToken' })
    const both = { securityToken: 'right/+=', headers: { 'x-amz-security-token': 'wrong' } }
    expect(await verify(both, { apiKeys })).toMatchObject({ code: 'InvalidToken' })
  })

  test.each(['1', '604800'])('may be good for %s seconds', async (expires) => {
    expect(await verify({ expires })).toMatchObject({ ok: true })
  })

  test('may be signed by a clock that is 15 minutes ahead, and no further', async () => {
    const at = (clock: number) => verify({}, { clock: () => clock })
    expect(await at(testAt - 900_000)).toMatchObject({ ok: true })
    expect(await at(testAt - 901_000)).toMatchObject({
      code: 'AccessDenied',
      message: 'Request is not yet valid',
      details: [
        ['X-Amz-Date', String(testAt)],
        ['Expires', '2026-01-02T03:05:05Z'],
        ['ServerTime', '2026-01-02T02:49:04Z'],
      ],
    })
  })

  test('is not skewed while it has not expired', async () => {
    const clock = () => testAt + 3_600_000
    expect(await verify({ expires: '3600' }, { clock })).toMatchObject({ ok: true })
  })
})

describe('a presigned URL is refused', () => {
  const required =
    'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.'
  test.each<[behaviour: string, input: PresignInput, message: string | RegExp]>([
    ['with nothing in X-Amz-Credential', { parameters: { 'X-Amz-Credential': '' } }, required],
    [
      'with another algorithm',
      { parameters: { 'X-Amz-Algorithm': 'AWS4-ECDSA-P256-SHA256' } },
      'X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"',
    ],
    [
      'with a credential of four parts',
      { parameters: { 'X-Amz-Credential': 'TESTKEY/20260102/us-east-1/s3' } },
      'Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting "<access key>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    ],
    [
      'with another terminator',
      { parameters: { 'X-Amz-Credential': 'TESTKEY/20260102/us-east-1/s3/aws5_request' } },
      /incorrect terminal "aws5_request"/,
    ],
    [
      'with a scope date that is none',
      { parameters: { 'X-Amz-Credential': 'TESTKEY/2026/us-east-1/s3/aws4_request' } },
      /incorrect date format "2026"/,
    ],
    [
      'for another service',
      { service: 'iam' },
      'Error parsing the X-Amz-Credential parameter; incorrect service "iam". This endpoint belongs to "s3".',
    ],
    ['with a scope of another day', { scopeDate: '20260101' }, /not the same as X-Amz-Date/],
    [
      'with a date that is none',
      { amzDate: '20260231T030405Z' },
      "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"",
    ],
    ['with a duration that is none', { expires: 'ever' }, 'X-Amz-Expires should be a number'],
    ['with a part of a second', { expires: '1.5' }, 'X-Amz-Expires should be a number'],
    ['with less than nothing', { expires: '-1' }, 'X-Amz-Expires must be non-negative'],
    ['with no time at all', { expires: '0' }, 'X-Amz-Expires must be at least 1 second'],
    [
      'with more than a week',
      { expires: '604801' },
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
    ],
    ['with signed headers in upper case', { signedHeaders: 'Host' }, /lower case/],
    ['with signed headers out of order', { signedHeaders: 'x-a;host' }, /sorted/],
  ])('%s', async (_, input, message) => {
    const verification = await verify(input)
    expect(verification).toMatchObject({
      code: 'AuthorizationQueryParametersError',
      status: 400,
    })
    expect(verification.ok ? '' : verification.message).toMatch(message)
  })

  test.each([
    'X-Amz-Algorithm',
    'X-Amz-Credential',
    'X-Amz-Date',
    'X-Amz-Expires',
    'X-Amz-SignedHeaders',
    'X-Amz-Signature',
  ])('without %s, and with two', async (name) => {
    const request = presign()
    const [parameter = ''] = new RegExp(`[?&]${name}=[^&]*`).exec(request.target) ?? []
    const without = request.target.replace(parameter.slice(1), '')
    expect(await verifySigV4({ ...request, target: without }, options)).toMatchObject({
      code: 'AuthorizationQueryParametersError',
      message: required,
    })
    const twice = `${request.target}&${parameter.slice(1)}`
    expect(await verifySigV4({ ...request, target: twice }, options)).toMatchObject({
      code: 'AuthorizationQueryParametersError',
      message: `${name} must be given once`,
    })
  })

  test('for another region, naming the right one', async () => {
    expect(await verify({ region: 'eu-west-1' })).toMatchObject({
      code: 'AuthorizationQueryParametersError',
      message:
        "Error parsing the X-Amz-Credential parameter; the region 'eu-west-1' is wrong; expecting 'us-east-1'",
      details: [['Region', 'us-east-1']],
    })
  })

  test('with a signature in upper case', async () => {
    const request = presign()
    const target = request.target.replace(/[0-9a-f]{64}$/, 'A'.repeat(64))
    expect(await verifySigV4({ ...request, target }, options)).toMatchObject({
      code: 'AuthorizationQueryParametersError',
    })
  })

  test('of an access key that nobody has, or of another secret', async () => {
    const nobody = { key: { ...testKey, accessKeyId: 'NOBODY' } }
    expect(await verify(nobody)).toMatchObject({ code: 'InvalidAccessKeyId', status: 403 })
    const wrong = presign({ key: { ...testKey, secretAccessKey: 'wrong' } })
    expect(await verifySigV4(wrong, options)).toMatchObject({
      code: 'SignatureDoesNotMatch',
      canonicalRequest: wrong.canonicalRequest,
      stringToSign: wrong.stringToSign,
      signatureProvided: wrong.target.slice(-64),
    })
  })

  test('that does not sign its host', async () => {
    const input = { signedHeaders: 'x-note', headers: { 'x-note': 'a' } }
    expect(await verify(input)).toMatchObject({
      code: 'AccessDenied',
      details: [['HeadersNotSigned', 'host']],
    })
  })

  test('with an x-amz header that it does not sign', async () => {
    const request = presign()
    const rawHeaders = [...request.rawHeaders, ['x-amz-acl', 'public-read'] as const]
    expect(await verifySigV4({ ...request, rawHeaders }, options)).toMatchObject({
      code: 'AccessDenied',
      details: [['HeadersNotSigned', 'x-amz-acl']],
    })
  })

  test.each([
    ['a signature of its own', sign().rawHeaders.at(-1)?.[1] ?? ''],
    ['anything', 'Bearer token'],
  ])('with an Authorization header that holds %s', async (_, authorization) => {
    const request = presign()
    const rawHeaders = [...request.rawHeaders, ['authorization', authorization] as const]
    expect(await verifySigV4({ ...request, rawHeaders }, options)).toMatchObject({
      code: 'InvalidArgument',
      status: 400,
      message: expect.stringContaining('Only one auth mechanism allowed'),
    })
  })

  test('with its names in lower case, since those are parameters like any other', async () => {
    const request = presign()
    const target = request.target.replaceAll('X-Amz-', 'x-amz-')
    expect(await verifySigV4({ ...request, target }, options)).toMatchObject({
      code: 'AccessDenied',
      message: expect.stringContaining('not signed'),
    })
  })
})
