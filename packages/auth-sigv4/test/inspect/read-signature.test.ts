import { verifySigV4 } from '@svc/emulator'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { readSignature, type SignedHttpRequest } from '@svc/auth-sigv4/inspect'
import { presign } from '@svc/auth-sigv4/presign'
import aws4 from 'aws4'
import { describe, expect, test } from 'vitest'
import { awsXml, hex } from '../diagnose/diagnosing.ts'
import { apiKey, s3Examples, signedAt } from '../fixtures/s3-examples.ts'
import { exampleAuth } from '../support/signing.ts'

const { secretAccessKey } = apiKey
const encoder = new TextEncoder()

/** Explains a request that is signed, by its own claim. */
async function explained(request: SignedHttpRequest, options = {}) {
  const read = readSignature(request, options)
  if (!read) throw new Error('the request bears no signature')
  return { read, explanation: await explain(read.auth, request.url) }
}

interface Aws4Request {
  readonly service: string
  readonly region: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** A request as aws4 signs it. */
function signedByAws4({ headers: own, body = '', ...rest }: Aws4Request): SignedHttpRequest {
  const method = body === '' ? 'GET' : 'POST'
  const given = { ...rest, method, headers: { host: 'a.example', ...own }, body }
  const { path, headers } = aws4.sign(given, apiKey)
  return {
    method,
    url: `https://a.example${path}`,
    // Its content-length is a number, whatever its types say.
    // oxlint-disable-next-line typescript/no-unnecessary-type-conversion
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    body: encoder.encode(body),
  }
}

describe('a signature that is read', () => {
  test.each(s3Examples)(
    'of the documents, $title, is computed by its own claim',
    async (example) => {
      const authorization = `AWS4-HMAC-SHA256 Credential=${apiKey.accessKeyId}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${example.signedHeaders},Signature=${example.signature}`
      const headers = Object.entries({ ...example.headers, authorization })
      const given = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
      given.set('x-amz-date', '20130524T000000Z')
      const hash = /[\da-f]{64}$/.exec(example.canonicalRequest)?.[0] ?? ''
      given.set('x-amz-content-sha256', hash)
      const { explanation, read } = await explained(
        { method: example.method, url: example.url, headers: [...given] },
        { secretAccessKey },
      )
      expect(explanation.canonicalRequest).toBe(example.canonicalRequest)
      expect(explanation.signature).toBe(example.signature)
      expect(read).toMatchObject({
        problems: [],
        missingHeaders: [],
        region: 'us-east-1',
        signedAt,
      })
    },
  )

  test.each([
    { service: 's3', region: 'eu-west-1', path: '/a%20b//c?x=1&b' },
    { service: 'sqs', region: 'eu-west-1', path: '/q', body: 'Action=List' },
    { service: 'es', region: 'us-east-2', path: '/index/a%2Fb/_search?q=a+b' },
    {
      service: 'execute-api',
      region: 'us-east-1',
      path: '/x?a=2&a=1',
      headers: { 'accept-encoding': 'gzip', Zebra: ' a   b ' },
    },
  ])('of aws4 for $service is the one that it made', async (request) => {
    const signed = signedByAws4(request)
    const { explanation, read } = await explained(signed, { secretAccessKey })
    expect(explanation.signature).toBe(read.signature)
    expect(read.service).toBe(request.service)
  })

  test('has the canonical request that an independent verifier computes', async () => {
    const paths = [
      '/a/../b',
      '/a%2fb',
      '/%zz',
      "/it's+(1)*",
      '/a//b/',
      '/?b&a=%20&a=+',
      '/%C3%A9?é',
    ]
    for (const path of paths.map((one) => one.replace('é', '%c3%a9').replace('%zz', '%7e'))) {
      for (const service of ['s3', 'es']) {
        const headers: [string, string][] = [
          ['Host', 'a.example'],
          ['X-Amz-Date', '20130524T000000Z'],
          ['X-Amz-Content-Sha256', 'UNSIGNED-PAYLOAD'],
          ['X-Own', '  a \t b'],
          ['x-own', 'c'],
          [
            'Authorization',
            `AWS4-HMAC-SHA256 Credential=KEY/20130524/us-east-1/${service}/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-own, Signature=${'0'.repeat(64)}`,
          ],
        ]
        const { explanation } = await explained({
          method: 'GET',
          url: `https://a.example${path}`,
          headers,
        })
        const verification = await verifySigV4(
          { method: 'GET', target: path, rawHeaders: headers, body: new Uint8Array() },
          {
            apiKeys: [{ accessKeyId: 'KEY', secretAccessKey: 's' }],
            region: 'us-east-1',
            service,
            clock: () => signedAt,
          },
        )
        expect(explanation.canonicalRequest).toBe(verification.canonicalRequest)
        expect(explanation.stringToSign).toBe(verification.stringToSign)
      }
    }
  })

  test('is taken as the request has it, where the secret is not given', async () => {
    const signed = signedByAws4({ service: 's3', region: 'us-east-1', path: '/a' })
    const { explanation, read } = await explained(signed)
    expect(explanation.signature).toBe(read.signature)
    const wrong = await explained(signed, { secretAccessKey: 'another' })
    expect(wrong.explanation.signature).not.toBe(read.signature)
  })

  test('of a presigned URL is computed with its parameters', async () => {
    const auth = exampleAuth({ clock: () => signedAt })
    const url = await presign(auth, 'https://examplebucket.s3.amazonaws.com/test.txt', {
      expiresInSeconds: 86_400,
    })
    const request = { method: 'GET', url: url.href, headers: [] }
    const { explanation, read } = await explained(request, { secretAccessKey })
    expect(read).toMatchObject({ form: 'query', expiresInSeconds: 86_400, problems: [] })
    expect(explanation.signature).toBe(url.searchParams.get('X-Amz-Signature'))
    expect(explanation.payloadHash).toBe('UNSIGNED-PAYLOAD')
    // The figure of AWS's document.
    expect(read.signature).toBe('aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
    // Its own parameter is left out of what is signed, in any spelling of the name.
    const spelled = { ...request, url: url.href.replace('X-Amz-Signature', 'X-Amz%2DSignature') }
    const again = await explained(spelled, { secretAccessKey })
    expect(again.explanation.signature).toBe(read.signature)
  })
})

test('a request without a signature of version 4 has none to read', () => {
  const url = 'https://a.example/'
  const request = { method: 'GET', url, headers: [['authorization', 'Bearer x']] } as const
  expect(readSignature(request)).toBeUndefined()
  expect(readSignature({ ...request, headers: [] })).toBeUndefined()
  expect(() => readSignature({ ...request, url: '/a' })).toThrow(
    new TypeError('[@svc/auth-sigv4] readSignature: url must be an absolute URL'),
  )
})

const scope = 'KEY/20130524/us-east-1/s3/aws4_request'
const signature = '0'.repeat(64)

test.each([
  ['AWS4-HMAC-SHA256', 'The Authorization header has no Credential=….'],
  [
    `AWS4-HMAC-SHA256 Credential=KEY/x, SignedHeaders=host, Signature=${signature}`,
    'The credential is not <access key>/YYYYMMDD/<region>/<service>/aws4_request.',
  ],
  [
    `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=x-amz-date, Signature=${signature}`,
    'The host header is not among the signed headers.',
  ],
  [
    `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=x-amz-date;host, Signature=${signature}`,
    'The signed headers are not in the order of their names, each once.',
  ],
  [
    `AWS4-HMAC-SHA256 Credential=${scope}, Credential=${scope}, SignedHeaders=host, Signature=A`,
    'The signature is not 64 hexadecimal digits in lower case.',
  ],
  [
    `aws4-hmac-sha256 Credential=${scope}, SignedHeaders=host, Signature=${signature}`,
    'The algorithm aws4-hmac-sha256 is none; it is AWS4-HMAC-SHA256, in capitals.',
  ],
  [
    `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=Host; x-amz-date, Signature=${signature}`,
    'The signed headers are not in lower case, or have blanks.',
  ],
  [
    `AWS4-ECDSA-P256-SHA256 Credential=KEY/s3/aws4_request, SignedHeaders=host, Signature=30`,
    'The credential is not <access key>/YYYYMMDD/<service>/aws4_request.',
  ],
])('%s is read, and its fault is told', (authorization, problem) => {
  const headers = [
    ['authorization', authorization],
    ['x-amz-date', '20130524T000000Z'],
  ] as const
  const read = readSignature({ method: 'GET', url: 'https://a.example/', headers })
  expect(read?.problems).toContain(problem)
})

test.each(['/100%', '/a%zz', '/?q=%F', '/?%'])('a broken escape in %s is a fault', (target) => {
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${signature}`
  const headers = [
    ['authorization', authorization],
    ['x-amz-date', '20130524T000000Z'],
  ] as const
  const read = readSignature({ method: 'GET', url: `https://a.example${target}`, headers })
  expect(read?.problems).toEqual([expect.stringContaining('which is no escape')])
})

describe('a signature for several regions', () => {
  const url = 'https://a.mrap.accesspoint.s3-global.amazonaws.com/k'
  const authorization =
    'AWS4-ECDSA-P256-SHA256 Credential=KEY/20130524/s3/aws4_request, SignedHeaders=host;x-amz-date;x-amz-region-set, Signature=3045'
  const headers = [
    ['authorization', authorization],
    ['x-amz-date', '20130524T000000Z'],
    ['x-amz-region-set', '*'],
  ] as const

  test('is read without a region and without a fault', () => {
    expect(readSignature({ method: 'GET', url, headers })).toMatchObject({
      problems: [],
      algorithm: 'AWS4-ECDSA-P256-SHA256',
      accessKeyId: 'KEY',
      region: '',
      service: 's3',
      scope: '20130524/s3/aws4_request',
    })
  })

  test('is never computed, so that a diagnosis does not tell of its key', async () => {
    const read = readSignature({ method: 'GET', url, headers }, { secretAccessKey })
    if (!read) throw new Error('the request bears no signature')
    const { canonicalRequest, stringToSign } = await explain(read.auth, url)
    const body = awsXml({
      Code: 'SignatureDoesNotMatch',
      CanonicalRequest: canonicalRequest,
      StringToSign: stringToSign,
    })
    const { verdict, summary } = await diagnose(read.auth, new Response(body, { status: 403 }), url)
    expect([verdict, summary]).toEqual(['unknown', expect.stringContaining('either the secret')])
  })
})

test('the date of a request may be its Date header', () => {
  const headers = [
    [
      'authorization',
      `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=date;host, Signature=${signature}`,
    ],
    ['Date', 'Fri, 24 May 2013 00:00:00 GMT'],
  ] as const
  const read = readSignature({ method: 'GET', url: 'https://a.example/', headers })
  expect(read).toMatchObject({ amzDate: '20130524T000000Z', signedAt, problems: [] })
})

describe('a diagnosis of a request that another tool signed', () => {
  const request = {
    service: 'es',
    region: 'eu-west-1',
    path: '/i/_search',
    headers: { 'accept-encoding': 'gzip' },
  }

  async function diagnosed(change: (canonical: string) => string, options = {}) {
    const signed = signedByAws4(request)
    const { explanation, read } = await explained(signed)
    const theirs = change(explanation.canonicalRequest)
    const body = awsXml({
      Code: 'SignatureDoesNotMatch',
      Message: 'no match',
      SignatureProvided: read.signature,
      CanonicalRequestBytes: hex(theirs),
      StringToSign: explanation.stringToSign,
    })
    const again = readSignature(signed, options)
    if (!again) throw new Error('the request bears no signature')
    return diagnose(again.auth, new Response(body, { status: 403 }), signed.url)
  }

  test('compares what it signed, and nothing of our own rules', async () => {
    const { verdict, differences } = await diagnosed((text) => text.replace('gzip', 'identity'))
    expect(verdict).toBe('canonical-request')
    expect(differences.map(({ line, ours, theirs }) => [line, ours, theirs])).toEqual([
      ['header accept-encoding', 'gzip', 'identity'],
    ])
  })

  test('blames the secret only where the right one gives the signature', async () => {
    const right = await diagnosed((text) => text, { secretAccessKey })
    expect(right.verdict).toBe('secret-or-key')
    expect(right.summary).toContain('the secret is not the one that the server has for')
  })

  test('does not tell a wrong secret from another form where it cannot', async () => {
    const blind = await diagnosed((text) => text)
    expect([blind.verdict, blind.differences]).toEqual(['unknown', []])
    expect(blind.summary).toContain('either the secret is not the one that the server has for')
    expect(blind.summary).not.toContain('computed here')
    const wrong = await diagnosed((text) => text, { secretAccessKey: 'another' })
    expect([wrong.verdict, wrong.differences]).toEqual(['unknown', []])
    expect(wrong.summary).toContain('this secret does not give the signature of the request')
  })

  test('names the headers that the request was signed with and does not have', async () => {
    const headers = [
      [
        'authorization',
        `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-own, Signature=${signature}`,
      ],
      ['x-amz-date', '20130524T000000Z'],
    ] as const
    const read = readSignature({ method: 'GET', url: 'https://a.example/', headers })
    if (!read) throw new Error('the request bears no signature')
    const { canonicalRequest, stringToSign } = await explain(read.auth, 'https://a.example/')
    const elements = { CanonicalRequest: canonicalRequest, StringToSign: stringToSign }
    const response = new Response(awsXml({ Code: 'SignatureDoesNotMatch', ...elements }), {
      status: 403,
    })
    const { verdict, differences } = await diagnose(read.auth, response, 'https://a.example/')
    expect(verdict).toBe('canonical-request')
    expect(differences.map(({ line, theirs }) => [line, theirs])).toEqual([
      ['header x-own', '(signed, not sent)'],
    ])
  })

  test('says when another request was refused', async () => {
    const signed = signedByAws4(request)
    const { explanation, read } = await explained(signed)
    const body = awsXml({
      Code: 'SignatureDoesNotMatch',
      SignatureProvided: 'a'.repeat(64),
      CanonicalRequest: explanation.canonicalRequest.replace('gzip', 'identity'),
      StringToSign: explanation.stringToSign,
    })
    const { summary } = await diagnose(read.auth, new Response(body, { status: 403 }), signed.url)
    expect(summary).toContain('is not the one of this request: another one was refused')
  })

  test('speaks of the clock of whoever signed', async () => {
    const signed = signedByAws4(request)
    const { read } = await explained(signed)
    const at = (read.signedAt ?? 0) + 3_600_000
    const body = awsXml({ Code: 'RequestTimeTooSkewed', ServerTime: new Date(at).toISOString() })
    const { summary } = await diagnose(read.auth, new Response(body, { status: 403 }), signed.url)
    expect(summary).toContain("The signer's clock is 1 h behind the server's.")
  })

  test('says nothing of the signature that arrived where it computed none', async () => {
    const change = (text: string): string => text.replace('gzip', 'identity')
    expect((await diagnosed(change)).summary).not.toContain('computed here')
    const { summary } = await diagnosed(change, { secretAccessKey })
    expect(summary).toContain('The signature that arrived is the one computed here')
  })
})

test('the scheme of a signature signs no other request', () => {
  const headers = [['authorization', `AWS4-HMAC-SHA256 Credential=${scope}`]] as const
  const read = readSignature({ method: 'GET', url: 'https://a.example/', headers })
  expect(() => read?.auth.authorize({} as never)).toThrow('it is signed already'.slice(6))
  expect(read?.auth.covers(new URL('https://b.example/'))).toBe(false)
})

test('a request that is not signed is explained by the scheme of its settings as before', async () => {
  const auth = createSigV4Auth({
    baseUrl: 'https://a.example',
    region: 'us-east-1',
    credentials: apiKey,
  })
  expect((await explain(auth, 'https://a.example/a')).signedHeaders).toBe(
    'host;x-amz-content-sha256;x-amz-date',
  )
})
