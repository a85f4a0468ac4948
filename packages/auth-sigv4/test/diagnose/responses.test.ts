import { describe, expect, test } from 'vitest'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { awsXml, type Elements, hex, host, mismatch, read, refusal, url } from './diagnosing.ts'
import { apiKey, signedAt } from '../fixtures/s3-examples.ts'
import { exampleAuth } from '../support/signing.ts'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'

/** MinIO says where, and shows nothing of what it computed. */
function minioXml(code: string, message: string, more = ''): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>` +
    `<Key>test.txt</Key><BucketName>examplebucket</BucketName><Resource>/examplebucket/test.txt</Resource>${more}` +
    '<RequestId>15C16B683ABFD491</RequestId><HostId>6faeded5-5cf3-4133-8a37-07c5d500207c</HostId></Error>'
  )
}

/** Ceph says the code alone. */
function cephXml(code: string): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message></Message>` +
    '<RequestId>tx00000a1-0065-1-default</RequestId><HostId>1-default-default</HostId></Error>'
  )
}

describe('Amazon S3', () => {
  test('shows all, and the line that differs is found', async () => {
    const { verdict, differences } = await mismatch((text) => text.replace(host, 'proxy.internal'))
    expect(verdict).toBe('canonical-request')
    expect(differences).toMatchObject([
      { line: 'header host', ours: host, theirs: 'proxy.internal' },
    ])
  })

  test('shows bytes exactly where text cannot', async () => {
    const init = { headers: { 'x-amz-meta-a': 'a\u0085' } }
    const exact = await mismatch((text) => text, { init })
    expect(exact.verdict).toBe('secret-or-key')
    const { canonicalRequest, stringToSign } = await explain(exampleAuth(), url, init)
    const both = awsXml({
      Code: 'SignatureDoesNotMatch',
      StringToSign: stringToSign,
      CanonicalRequest: canonicalRequest.replace('\u0085', '\ufffd'),
      CanonicalRequestBytes: hex(canonicalRequest),
    })
    expect((await read(both, { init })).verdict).toBe('secret-or-key')
    const lossy = await mismatch((text) => text.replace('\u0085', '\ufffd'), { init, isText: true })
    expect(lossy.differences.map(({ line }) => line)).toEqual(['header x-amz-meta-a'])
    expect(lossy.differences[0]?.hint).toContain('The response cannot show all of this line')
  })

  test('shows text for bytes, and they are the same', async () => {
    // "ü" as the two bytes that fetch sends of its UTF-8.
    const init = { headers: { 'x-amz-meta-a': 'Ã¼' } }
    const { verdict } = await mismatch((text) => text.replace('Ã¼', 'ü'), { init, isText: true })
    expect(verdict).toBe('secret-or-key')
  })

  test.each<[line: string, change: (text: string) => string, hint: string]>([
    [
      'algorithm',
      (text) => text.replace('AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256'),
      'a different kind',
    ],
    ['date', (text) => text.replace('T000000Z', 'T000001Z'), 'used a different date'],
    [
      'scope date',
      (text) => text.replace('20130524/', '20130525/'),
      'The day in the credential scope',
    ],
    ['region', (text) => text.replace('us-east-1', 'eu-west-1'), "use region: 'eu-west-1'"],
    ['service', (text) => text.replace('/s3/', '/es/'), "use service: 'es'"],
    ['scope end', (text) => text.replace('aws4_request', 'aws5_request'), 'ends differently'],
    [
      'canonical request hash',
      (text) => `${text.slice(0, -4)}0000`,
      'a different canonical request than the one it shows',
    ],
  ])('shows a string to sign with another %s', async (line, change, hint) => {
    const { canonicalRequest, stringToSign } = await explain(exampleAuth(), url)
    const { verdict, differences } = await read(
      awsXml({
        Code: 'SignatureDoesNotMatch',
        CanonicalRequest: canonicalRequest,
        StringToSign: change(stringToSign),
      }),
    )
    expect(verdict).toBe('string-to-sign')
    expect(differences.map((difference) => difference.line)).toEqual([line])
    expect(differences[0]?.hint).toContain(hint)
  })

  test('may show its string to sign alone, which tells whether the canonical request differs', async () => {
    const { stringToSign } = await explain(exampleAuth(), url)
    const body = (text: string) => awsXml({ Code: 'SignatureDoesNotMatch', StringToSign: text })
    expect((await read(body(stringToSign))).verdict).toBe('secret-or-key')
    const other = await read(body(`${stringToSign.slice(0, -4)}0000`))
    expect(other.verdict).toBe('canonical-request')
    expect(other.differences.map(({ line }) => line)).toEqual(['canonical request hash'])
    expect(other.differences[0]?.hint).toContain('does not show its own')
    const later = await read(body(stringToSign), { options: { clock: () => 0 }, headers: {} })
    expect(later.verdict).toBe('secret-or-key')
  })

  test('may show its canonical request alone', async () => {
    const { canonicalRequest } = await explain(exampleAuth(), url)
    const { verdict, summary } = await read(
      awsXml({ Code: 'SignatureDoesNotMatch', CanonicalRequest: canonicalRequest }),
    )
    expect(verdict).toBe('secret-or-key')
    expect(summary).toContain('region and service are not compared')
  })

  test('that hides the date of the request responded at about that time', async () => {
    const { canonicalRequest } = await explain(exampleAuth(), url)
    const withoutDate = canonicalRequest.replace(/x-amz-date:.*/, 'x-amz-date:')
    const { verdict, differences } = await read(
      awsXml({ Code: 'SignatureDoesNotMatch', CanonicalRequest: withoutDate }),
      { options: { clock: () => 0 } },
    )
    expect(verdict).toBe('canonical-request')
    expect(differences).toMatchObject([
      { line: 'header x-amz-date', ours: '20130524T000000Z', theirs: '' },
    ])
  })

  test('may begin with a byte order mark', async () => {
    const { verdict } = await read(`\ufeff${awsXml({ Code: 'InvalidAccessKeyId' })}`)
    expect(verdict).toBe('secret-or-key')
  })

  test('names the region that it wants', async () => {
    const { verdict, differences } = await read(
      awsXml({
        Code: 'AuthorizationHeaderMalformed',
        Message:
          "The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-west-1'",
        Region: 'eu-west-1',
      }),
      { status: 400 },
    )
    expect(verdict).toBe('region')
    expect(differences).toMatchObject([{ line: 'region', ours: 'us-east-1', theirs: 'eu-west-1' }])
  })

  test('names the region of a bucket in a header, where HEAD has no body', async () => {
    const { verdict, summary } = await read(null, {
      status: 400,
      headers: { 'x-amz-bucket-region': 'eu-west-1' },
    })
    expect(verdict).toBe('region')
    expect(summary).toContain("The server expects the region 'eu-west-1'")
    const moved = await read(awsXml({ Code: 'PermanentRedirect', Endpoint: 'x' }), {
      status: 301,
      headers: { 'x-amz-bucket-region': 'eu-west-1' },
    })
    expect(moved.verdict).toBe('region')
    const broken = await read(null, { status: 500, headers: { 'x-amz-bucket-region': 'x' } })
    expect(broken.verdict).toBe('unknown')
  })

  test('says how far the clocks are apart', async () => {
    const { verdict, differences, summary } = await read(
      awsXml({
        Code: 'RequestTimeTooSkewed',
        Message: 'The difference between the request time and the current time is too large.',
        RequestTime: '20130524T000000Z',
        ServerTime: '2013-05-24T01:30:00Z',
        MaxAllowedSkewMilliseconds: '600000',
      }),
    )
    expect(verdict).toBe('clock')
    expect(summary).toContain("This clock is 1 h 30 min behind the server's.")
    expect(differences).toMatchObject([
      { line: 'date', ours: '2013-05-24T00:00:00.000Z', theirs: '2013-05-24T01:30:00.000Z' },
    ])
    expect(differences[0]?.hint).toContain('The server allows 10 min.')
  })

  test('shows the checksum of what arrived, as the header has it', async () => {
    const { verdict, differences } = await read(
      awsXml({
        Code: 'BadDigest',
        Message: 'The Content-MD5 you specified did not match what we received.',
        CalculatedDigest: '1B2M2Y8AsgTpgAmY7PhCfg==',
        ExpectedDigest: '5eb63bbbe01eeed093cb22bb8f5acdc3',
      }),
      { status: 400 },
    )
    expect(verdict).toBe('payload')
    expect(differences).toMatchObject([
      { line: 'digest', ours: 'XrY7u+Ae7tCTyyK7j1rNww==', theirs: '1B2M2Y8AsgTpgAmY7PhCfg==' },
    ])
    expect(differences[0]?.hint).toContain('content-md5')
  })

  test('shows the hash of what arrived, and a body that is not the one sent is told', async () => {
    const { verdict, differences, summary } = await read(
      awsXml({
        Code: 'XAmzContentSHA256Mismatch',
        Message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
        ClientComputedContentSHA256: 'a'.repeat(64),
        S3ComputedContentSHA256: 'b'.repeat(64),
      }),
      { status: 400 },
    )
    expect(verdict).toBe('payload')
    expect(differences).toMatchObject([
      { line: 'payload hash', ours: 'a'.repeat(64), theirs: 'b'.repeat(64) },
    ])
    expect(summary).toContain('is not that of the body given here')
  })

  test('names a session token that has ended', async () => {
    const { verdict, summary } = await read(
      awsXml({ Code: 'ExpiredToken', Message: 'The provided token has expired.', 'Token-0': 'x' }),
    )
    expect(verdict).toBe('secret-or-key')
    expect(summary).toContain('has expired: get new temporary credentials.')
  })

  test('names a presigned URL that has ended', async () => {
    const { verdict, differences, summary } = await read(
      awsXml({
        Code: 'AccessDenied',
        Message: 'Request has expired',
        'X-Amz-Expires': '300',
        Expires: '2017-07-20T04:18:45Z',
        ServerTime: '2017-07-20T04:18:55Z',
      }),
    )
    expect(verdict).toBe('clock')
    expect(summary).toContain("The presigned URL expired 10 s before the server's time.")
    expect(differences[0]).toMatchObject({ line: 'expiry', ours: '2017-07-20T04:18:45.000Z' })
  })

  test('names a presigned URL of the future', async () => {
    const { verdict, summary } = await read(
      awsXml({
        Code: 'AccessDenied',
        Message: 'Request is not yet valid',
        'X-Amz-Date': '1473415775000',
        Expires: '2016-09-12T10:09:35Z',
        ServerTime: '2016-09-08T10:09:44Z',
      }),
    )
    expect(verdict).toBe('clock')
    expect(summary).toContain("This clock is 23 h 59 min ahead of the server's.")
  })

  test('denies access for reasons of its own, which are quoted', async () => {
    const { canonicalRequest } = await explain(exampleAuth(), url)
    const { verdict, differences, summary } = await read(
      awsXml({
        Code: 'AccessDenied',
        Message: 'Access\nDenied \u202e',
        CanonicalRequest: canonicalRequest,
      }),
    )
    expect({ verdict, differences }).toEqual({ verdict: 'unknown', differences: [] })
    expect(summary).toContain(String.raw`The server says: Access\u{a}Denied`)
  })
})

test('a payload hash that the server does not have is the line that differs, and no other', async () => {
  for (const end of ['', '\n']) {
    const { differences } = await mismatch((text) => text.replace(/[\da-f]{64}$/, end))
    expect(differences.map(({ line, theirs }) => [line, theirs])).toEqual([['payload hash', '']])
  }
})

test('a region that is ours already is not the cause', async () => {
  const { verdict, differences, summary } = await read(
    awsXml({
      Code: 'AuthorizationHeaderMalformed',
      Message: 'The authorization header is malformed; the Credential is mal-formed.',
      Region: 'us-east-1',
    }),
  )
  expect({ verdict, differences }).toEqual({ verdict: 'unknown', differences: [] })
  expect(summary).toContain('the Credential is mal-formed')
})

describe('MinIO', () => {
  test('shows nothing of a mismatch, and that is said', async () => {
    const { verdict, differences, summary } = await read(
      minioXml(
        'SignatureDoesNotMatch',
        'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
      ),
    )
    expect({ verdict, differences }).toEqual({ verdict: 'unknown', differences: [] })
    expect(summary).toContain('neither its canonical request nor its string to sign')
    expect(summary).toContain('The likeliest cause is a wrong secret.')
    expect(summary).toContain('`svc-auth diagnose --probe` tries the usual causes')
    expect(summary).toContain('explain(auth, …)')
  })

  test('names the region that it wants, in an element or in words alone', async () => {
    const message =
      "The authorization header is malformed; the region is wrong; expecting 'milkyway'."
    for (const more of ['<Region>milkyway</Region>', '']) {
      const { verdict, differences } = await read(
        minioXml('AuthorizationHeaderMalformed', message, more),
        { status: 400 },
      )
      expect(verdict).toBe('region')
      expect(differences).toMatchObject([{ line: 'region', theirs: 'milkyway' }])
    }
    const invalid = await read(minioXml('InvalidRegion', "Region does not match; expecting 'x'."))
    expect(invalid).toMatchObject({ verdict: 'region', differences: [{ theirs: 'x' }] })
  })

  test('says nothing of how far the clocks are apart, and its Date does', async () => {
    const body = minioXml(
      'RequestTimeTooSkewed',
      "The difference between the request time and the server's time is too large.",
    )
    const date = new Date(signedAt - 86_400_000).toUTCString()
    const { verdict, summary } = await read(body, { headers: { date } })
    expect(verdict).toBe('clock')
    expect(summary).toContain("This clock is 1 d ahead of the server's.")
    const late = await read(body)
    expect(late).toMatchObject({ verdict: 'clock', differences: [] })
    expect(late.summary).toContain('the clocks agree now')
    const silent = await read(body, { headers: {} })
    expect(silent).toMatchObject({ verdict: 'clock', differences: [] })
    expect(silent.summary).toContain('does not say by how much')
  })

  test('names a key that it does not know', async () => {
    const { verdict, summary } = await read(minioXml('InvalidAccessKeyId', 'The Access Key Id …'))
    expect(verdict).toBe('secret-or-key')
    expect(summary).toContain(`does not know the access key ${apiKey.accessKeyId}`)
  })

  test('shows no hash of a body, and no difference is made up', async () => {
    const { verdict, differences } = await read(minioXml('XAmzContentSHA256Mismatch', 'x'))
    expect({ verdict, differences }).toEqual({ verdict: 'payload', differences: [] })
  })
})

describe('Ceph', () => {
  test.each([
    ['SignatureDoesNotMatch', 'unknown'],
    ['InvalidAccessKeyId', 'secret-or-key'],
    ['RequestTimeTooSkewed', 'clock'],
    ['AccessDenied', 'unknown'],
    ['BadDigest', 'payload'],
  ])('says %s and no more: %s', async (code, verdict) => {
    expect(await read(cephXml(code))).toMatchObject({ verdict })
  })
})

describe('a presigned URL', () => {
  const presigned = (more = ''): string =>
    `${url}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${apiKey.accessKeyId}%2F20130524%2Fus-east-1%2Fs3%2Faws4_request` +
    `&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host${more}&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`
  // As the documentation of S3 has it.
  const canonicalRequest = `GET
/test.txt
X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${apiKey.accessKeyId}%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host
host:${host}

host
UNSIGNED-PAYLOAD`
  const stringToSign =
    'AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n3bfa292879f6447bbcda7001decf97f4a54dc650c8942174ae0a9121cf58ad04'
  const mismatched = (elements: Elements): Response =>
    refusal(awsXml({ Code: 'SignatureDoesNotMatch', StringToSign: stringToSign, ...elements }))

  test('that the server computes likewise was signed with another secret', async () => {
    const { verdict } = await diagnose(
      exampleAuth(),
      mismatched({ CanonicalRequest: canonicalRequest }),
      presigned(),
    )
    expect(verdict).toBe('secret-or-key')
  })

  test('is compared by the headers that it says it signs', async () => {
    const theirs = canonicalRequest.replace(`host:${host}`, 'host:proxy.internal')
    const { verdict, differences } = await diagnose(
      exampleAuth({ clock: () => 0 }),
      mismatched({ CanonicalRequest: theirs }),
      new Request(presigned(), { headers: { 'x-amz-meta-a': 'not signed' } }),
    )
    expect(verdict).toBe('canonical-request')
    expect(differences.map(({ line }) => line)).toEqual(['header host'])
  })

  test('shows no token and no signature of its query', async () => {
    const token = 'FQoGZXIvYXdzEXAMPLETOKENTHATNOBODYMAYSEE'
    const theirs = canonicalRequest.replace(
      'host\nhost',
      `host&x=1&X-Amz-Security-Token=${token}\nhost`,
    )
    const diagnosis = await diagnose(
      exampleAuth(),
      mismatched({ CanonicalRequest: theirs }),
      presigned(`&X-Amz-Security-Token=${token}`),
    )
    expect(diagnosis.differences).toMatchObject([{ line: 'query' }])
    expect(diagnosis.differences[0]?.hint).toContain('The parameter x was added')
    expect(JSON.stringify(diagnosis)).not.toContain(token.slice(0, 6))
  })

  test('that has ended says so by itself, where the server says no more', async () => {
    const { verdict, differences } = await diagnose(
      exampleAuth(),
      refusal(minioXml('AccessDenied', 'Request has expired'), {
        headers: { date: new Date(signedAt + 90_000_000).toUTCString() },
      }),
      presigned(),
    )
    expect(verdict).toBe('clock')
    expect(differences).toMatchObject([
      { line: 'expiry', ours: '2013-05-25T00:00:00.000Z', theirs: '2013-05-25T01:00:00.000Z' },
    ])
  })

  // What a server takes from the URL by itself; the path and each parameter are encoded already.
  const computed = (signed: URL, method: string, headers: Elements): string => {
    const query = signed.search.slice(1).split('&')
    const parameters = query.filter((piece) => !piece.startsWith('X-Amz-Signature=')).sort()
    const names = signed.searchParams.get('X-Amz-SignedHeaders')?.split(';') ?? []
    const lines = names.map((name) => `${name}:${name === 'host' ? host : headers[name]}`)
    return [
      method,
      signed.pathname,
      parameters.join('&'),
      ...lines,
      '',
      names.join(';'),
      'UNSIGNED-PAYLOAD',
    ].join('\n')
  }

  test.each<[what: string, target: string, headers: Elements]>([
    ['a plain one', url, {}],
    ['awkward names', `${url}/a b+c%2Fd//e?b=2&b=1&a=b+c%2Bd&x-amz-acl=p&X-Amz-Date=old`, {}],
    ['signed headers', url, { 'content-type': 'text/plain', 'x-custom': 'a  b' }],
    ['a date among the signed headers', url, { 'x-amz-date': '20130524T000000Z' }],
  ])('that presign made is computed as it was signed: %s', async (_what, target, headers) => {
    const key = { ...apiKey, sessionToken: 'a/token+of=mine' }
    const auth = exampleAuth({ credentials: key })
    const signed = await presign(auth, target, { method: 'PUT', headers })
    const sent: Elements = { ...headers, 'x-custom': 'a b' }
    const theirs = computed(signed, 'PUT', sent)
    const response = mismatched({ CanonicalRequest: theirs })
    const init = { method: 'PUT', headers, body: 'anything' }
    expect((await diagnose(auth, response, signed, init)).verdict).toBe('secret-or-key')
  })

  test('whose signed headers are not sent is no wrong secret', async () => {
    const auth = exampleAuth()
    const signed = await presign(auth, url, { headers: { 'content-type': 'text/plain' } })
    const theirs = computed(signed, 'GET', { 'content-type': '' })
    const { verdict, differences } = await diagnose(
      auth,
      mismatched({ CanonicalRequest: theirs }),
      signed,
    )
    expect(verdict).toBe('canonical-request')
    expect(differences).toMatchObject([{ line: 'header content-type', ours: '' }])
    expect(differences[0]?.hint).toContain('Send content-type with the value')
  })

  test('whose signed headers are added on the way misses them', async () => {
    const auth = exampleAuth()
    const headers = { 'x-amz-meta-a': 'b', 'x-custom': 'a b' }
    const signed = await presign(auth, url, { headers })
    const theirs = computed(signed, 'GET', headers)
    const { differences } = await diagnose(auth, mismatched({ CanonicalRequest: theirs }), signed)
    expect(differences).toMatchObject([
      { line: 'header x-amz-meta-a', ours: '', theirs: 'b' },
      { line: 'header x-custom', ours: '', theirs: 'a b' },
    ])
  })

  test('with a string to sign alone cannot be compared whole', async () => {
    const { verdict, summary } = await diagnose(exampleAuth(), mismatched({}), presigned())
    expect(verdict).toBe('unknown')
    expect(summary).toContain('Everything that can be compared agrees')
  })
})

describe('lines of other servers', () => {
  test.each<
    [what: string, input: string, change: (text: string) => string, line: string, hint: string]
  >([
    [
      'a bucket that moves into the path',
      '',
      (text) => text.replace('/test.txt', '/examplebucket/test.txt'),
      'path',
      'moves the bucket examplebucket from the host',
    ],
    [
      'a path that the server encodes twice',
      '%20',
      (text) => text.replace('%20', '%2520'),
      'path',
      "use pathEncoding: 'double'",
    ],
    [
      'a path that the server signs decoded',
      '%20',
      (text) => text.replace('%20', ' '),
      'path',
      'the same path in another spelling',
    ],
    [
      'parameters that are not sorted',
      '?b=1&a=2',
      (text) => text.replace('a=2&b=1', 'b=1&a=2'),
      'query',
      'sorts them differently',
    ],
    [
      'parameters without =',
      '?acl',
      (text) => text.replace('acl=', 'acl'),
      'query',
      'signed without its =',
    ],
    [
      'parameters in another spelling',
      '?a=b/c',
      (text) => text.replace('%2F', '/'),
      'query',
      'the same query in another spelling',
    ],
    [
      'a host in another case',
      '',
      (text) => text.replace(host, host.toUpperCase()),
      'header host',
      'only in case',
    ],
    [
      'a port that is added',
      '',
      (text) => text.replace(host, `${host}:443`),
      'header host',
      'The port was changed on the way',
    ],
    [
      'HEAD that became GET',
      'HEAD',
      (text) => text.replace('HEAD', 'GET'),
      'method',
      'such as a cache, turned the request into a GET',
    ],
    [
      'a method in another case',
      '',
      (text) => text.replace('GET', 'get'),
      'method',
      'only in case',
    ],
    [
      'blanks that are not folded',
      '',
      (text) => text.replace('a value', 'a  value'),
      'header x-amz-meta-a',
      'only in whitespace',
    ],
    [
      'a body where there is none',
      '',
      (text) => `${text.slice(0, -64)}${'a'.repeat(64)}`,
      'payload hash',
      'saw a body, but none is given',
    ],
    [
      'a body that is not signed',
      '',
      (text) => `${text.slice(0, -64)}UNSIGNED-PAYLOAD`,
      'payload hash',
      'signed differently',
    ],
    [
      'a changed hash header',
      '',
      (text) => text.replace(/(sha256:)\w+/, `$1${'a'.repeat(64)}`),
      'header x-amz-content-sha256',
      'was changed on the way',
    ],
    [
      'another boundary',
      '',
      (text) => text.replace('boundary=a', 'boundary=b'),
      'header content-type',
      'a different boundary',
    ],
  ])('%s', async (_what, input, change, line, hint) => {
    const isHead = input === 'HEAD'
    const { verdict, differences } = await mismatch(change, {
      input: isHead ? url : `${url}${input}`,
      init: {
        ...(isHead && { method: 'HEAD' }),
        headers: { 'x-amz-meta-a': 'a value', 'content-type': 'multipart/form-data; boundary=a' },
      },
    })
    expect(verdict).toBe('canonical-request')
    expect(differences.map((difference) => difference.line)).toEqual([line])
    expect(differences[0]?.hint).toContain(hint)
  })

  test('a customer key is never shown', async () => {
    const name = 'x-amz-server-side-encryption-customer-key'
    const key = 'bm9ib2R5IG1heSBzZWUgdGhpcyBzZWNyZXQga2V5ISE='
    const diagnosis = await mismatch((text) => text.replace(key, 'other'), {
      init: { headers: { [name]: key } },
    })
    expect(diagnosis.differences).toMatchObject([
      { line: `header ${name}`, ours: 'bm9i… (44 characters)' },
    ])
    expect(JSON.stringify(diagnosis)).not.toContain(key.slice(0, 6))
  })

  test('the signature that arrived is never shown', async () => {
    const SignatureProvided = 'hidden-signature'
    const Message = `not ${SignatureProvided}`
    for (const provided of [SignatureProvided, ` ${SignatureProvided}\n`]) {
      const body = awsXml({ Code: 'InvalidRequest', Message, SignatureProvided: provided })
      expect((await read(body)).summary).toContain('The server says: not … (16 characters)')
    }
  })

  test.each([
    [
      'in the query',
      'hidden query value',
      'hidden query value',
      '?access_token=hidden+query+value',
    ],
    ['in the query, twice', 'hidden-first', 'hidden-first', '?token=hidden-first&token=other'],
    ['with its blanks folded', 'hidden \t value', 'hidden value', ''],
    ['encoded as strictly as a query', "hidden'(value)!*", 'hidden%27%28value%29%21%2A', ''],
    ['encoded in lower case', 'hidden/value==', 'hidden%2fvalue%3d%3d', ''],
    ['encoded as in a form', 'hidden value/of mine', 'hidden+value%2Fof+mine', ''],
    ['in base64', 'hidden~~value>>', 'aGlkZGVufn52YWx1ZT4+', ''],
    ['in base64url', 'hidden~~value>>', 'aGlkZGVufn52YWx1ZT4-', ''],
  ])('a secret is never shown that is quoted %s', async (_how, value, quoted, search) => {
    const headers = { 'x-own-token': search === '' ? value : 'another-secret' }
    const body = `<Error><Code>InvalidRequest</Code><Message>not ${quoted}</Message></Error>`
    const input = `${url}${search}`
    const { summary } = await read(body, { input, init: { headers } })
    expect(summary).toContain(`The server says: not … (${quoted.length} characters)`)
  })

  test.each(['', 'abc'])(
    'a secret is never shown that is quoted in base64 behind "%s", where its digits are its own',
    async (before) => {
      const headers = { 'x-own-token': 'hidden~~value>>?' }
      const quoted = Buffer.from(`${before}${headers['x-own-token']}:`).toString('base64')
      const body = `<Error><Code>InvalidRequest</Code><Message>${quoted}</Message></Error>`
      const { summary } = await read(body, { init: { headers } })
      expect(summary).toMatch(/The server says: \w{0,4}… \(\d+ characters\)\w{0,2}=*$/m)
    },
  )

  test('a secret in a presigned URL is never shown, though its name stands there twice', async () => {
    const presigned = await presign(exampleAuth(), `${url}?token=hidden-first&token=hidden-second`)
    const body =
      '<Error><Code>InvalidRequest</Code><Message>hidden-first hidden-second</Message></Error>'
    expect((await read(body, { input: presigned })).summary).not.toContain('hidden')
  })

  test('a secret that begins with another one is hidden as a whole', async () => {
    const headers = { 'x-own-secret': 'hidden-value', 'x-own-token': 'hidden-value-and-its-rest' }
    const body =
      '<Error><Code>InvalidRequest</Code><Message>hidden-value-and-its-rest</Message></Error>'
    expect((await read(body, { init: { headers } })).summary).not.toContain('rest')
  })

  test('long lines are shown where they part', async () => {
    const { summary } = await mismatch((text) => text.replace('zzz', 'zyz'), {
      input: `${url}/${'a'.repeat(1000)}zzz${'b'.repeat(1000)}`,
    })
    const [, ours = '', theirs = ''] = /ours: {3}(.*)\n {2}theirs: (.*)/.exec(summary) ?? []
    expect(ours).toMatch(/^…a{39,41}zzzb+…$/)
    expect(theirs).toMatch(/^…a{39,41}zyzb+…$/)
  })
})

describe('a response that took the request', () => {
  test('is not read', async () => {
    let pulled = 0
    const pull = (): void => {
      pulled += 1
    }
    const body = new ReadableStream({ pull }, { highWaterMark: 0 })
    const { verdict } = await read(body, { status: 200 })
    expect(verdict).toBe('unknown')
    expect(pulled).toBe(0)
  })
})

describe('a response that says nothing', () => {
  test.each<[what: string, body: string | null, contentType: string, said: string]>([
    ['is empty', '', 'text/plain', 'has no body'],
    ['has no body', null, 'text/plain', 'has no body'],
    ['is JSON', '{"reason":"Forbidden"}', 'application/json', 'is JSON'],
    ['is a page', '<!DOCTYPE html><html><title>403</title></html>', 'text/html', 'an HTML page'],
    ['is a page without a document type', '<html><hr>nginx</html>', 'text/html', 'an HTML page'],
    ['is text', 'Forbidden', 'text/plain', 'not an error from an object store'],
    ['is another XML', '<ListBucketResult/>', 'application/xml', 'XML without a readable Error'],
    [
      'is XML that is none',
      '<Error><Code>A</Error>',
      'application/xml',
      'XML without a readable Error',
    ],
  ])('because it %s is left at that', async (_what, body, contentType, said) => {
    const { verdict, differences, summary } = await read(body, {
      headers: { 'content-type': contentType },
    })
    expect({ verdict, differences }).toEqual({ verdict: 'unknown', differences: [] })
    expect(summary).toMatch(
      /^403: The server does not say why it refused the request\.\n\nThe response /,
    )
    expect(summary).toContain(said)
  })

  test('is no clock where a cache gave it', async () => {
    const headers = { date: new Date(signedAt - 86_400_000).toUTCString() }
    expect((await read('', { headers })).verdict).toBe('clock')
    expect((await read('', { headers: { ...headers, age: '86400' } })).verdict).toBe('unknown')
    expect((await read('', { headers, status: 404 })).verdict).toBe('unknown')
    expect((await read('', { headers, status: 301 })).verdict).toBe('unknown')
  })

  test('because it is a network error or an opaque one is left at that', async () => {
    const { verdict, summary } = await diagnose(exampleAuth(), Response.error(), url)
    expect(verdict).toBe('unknown')
    expect(summary).toContain('has no body')
  })
})

describe('wrong arguments', () => {
  const auth = exampleAuth()
  test.each<[name: string, args: unknown[]]>([
    ['auth', [undefined, new Response(), url]],
    ['auth', [null, new Response(), url]],
    ['auth', [{ authorize: () => ({}), covers: () => true }, new Response(), url]],
    ['refusal', [auth, undefined, url]],
    ['refusal', [auth, null, url]],
    ['refusal', [auth, 'text', url]],
    ['refusal', [auth, { status: '403 Forbidden', headers: {} }, url]],
    ['refusal', [auth, { status: 403 }, url]],
    ['input', [auth, new Response(), undefined]],
    ['input', [auth, new Response(), null]],
    ['input', [auth, new Response(), 42]],
    ['init', [auth, new Response(), url, 'text']],
    ['init', [auth, new Response(), url, null]],
  ])('are refused by name: %s', async (name, args) => {
    // What a caller without types may give.
    const call = Reflect.apply(diagnose, undefined, args) as Promise<unknown>
    await expect(call).rejects.toThrow(TypeError)
    await expect(Reflect.apply(diagnose, undefined, args)).rejects.toThrow(`${name} must be`)
  })

  test('that cannot be signed fail as explain does', async () => {
    const elsewhere = diagnose(auth, refusal(''), 'https://elsewhere.example.com/')
    await expect(elsewhere).rejects.toMatchObject({ code: 'ERR_AUTH_ORIGIN' })
  })
})
