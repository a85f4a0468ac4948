import { authFetch } from '@svc/auth-sigv4'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { authFetch as lightFetch } from '@svc/auth-hooks/light'
import { describe, expect, test } from 'vitest'
import { apiKey, signedAt } from '../fixtures/s3-examples.ts'
import { outgoingRequest } from '../support/signing.ts'

interface Sent {
  readonly method: string
  readonly url: string
  readonly scope: string | undefined
  readonly headers: Headers
}

/** A `fetch` of AWS that responds with each of the responses in turn, then with 200. */
function respondWith(responses: readonly Response[]) {
  const sent: Sent[] = []
  const left = [...responses]
  const fetch = async (
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> => {
    const request = new Request(input, init)
    const { method, url, headers } = request
    const [, scope] = /\/\d{8}\/(.+)\/aws4_request/.exec(headers.get('authorization') ?? '') ?? []
    sent.push({ method, url, scope, headers })
    return left.shift() ?? new Response()
  }
  return { sent, fetch }
}

const credentials = { ...apiKey, sessionToken: 'a-session-token' }
const auth = createAwsAuth({ credentials, clock: () => signedAt })

function redirectTo(location: string, status = 307): Response {
  return new Response(null, { status, headers: { location, 'x-amz-bucket-region': 'eu-west-1' } })
}

describe('a redirect is followed', () => {
  test.each([
    ['on the host', 'https://abc.lambda-url.us-east-1.on.aws/a', '/b', 'us-east-1/lambda'],
    [
      'to the bucket in another region',
      'https://bucket.s3.us-east-1.amazonaws.com/key',
      'https://bucket.s3.eu-west-1.amazonaws.com/key',
      'eu-west-1/s3',
    ],
    [
      'from the host of all regions to that of one',
      'https://my.bucket.s3.amazonaws.com/key',
      'https://my.bucket.s3-eu-west-1.amazonaws.com/key',
      'eu-west-1/s3',
    ],
    [
      'from a bucket in the path to one in the host',
      'https://s3.amazonaws.com/bucket/key',
      'https://bucket.s3.dualstack.eu-west-1.amazonaws.com/key',
      'eu-west-1/s3',
    ],
    [
      'from a bucket in the path to the same in the path',
      'https://s3.us-east-1.amazonaws.com/bucket/key',
      'https://s3.eu-west-1.amazonaws.com/bucket/key',
      'eu-west-1/s3',
    ],
    [
      'to the same bucket in China',
      'https://bucket.s3.cn-north-1.amazonaws.com.cn/key',
      'https://bucket.s3.cn-northwest-1.amazonaws.com.cn/key',
      'cn-northwest-1/s3',
    ],
  ])('%s, and signed anew', async (_how, from, location, scope) => {
    const { sent, fetch } = respondWith([redirectTo(location)])
    const response = await authFetch(auth, { fetch })(from, { method: 'PUT', body: 'text' })
    expect(response.status).toBe(200)
    expect(sent).toHaveLength(2)
    expect(sent[1]).toMatchObject({ method: 'PUT', url: new URL(location, from).href, scope })
  })
})

const elsewhere: readonly (readonly [what: string, from: string, to: string])[] = [
  [
    'another bucket',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
    'https://other.s3.us-east-1.amazonaws.com/key',
  ],
  [
    'another bucket in the path',
    'https://s3.us-east-1.amazonaws.com/bucket/key',
    'https://s3.eu-west-1.amazonaws.com/other/key',
  ],
  [
    'a bucket whose name begins so',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
    'https://bucket.evil.s3.eu-west-1.amazonaws.com/key',
  ],
  ['no bucket', 'https://s3.us-east-1.amazonaws.com/', 'https://s3.eu-west-1.amazonaws.com/'],
  [
    'an access point of the same name',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
    'https://bucket.s3-accesspoint.us-east-1.amazonaws.com/key',
  ],
  [
    'the same name in another partition',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
    'https://bucket.s3.cn-north-1.amazonaws.com.cn/key',
  ],
  [
    'the same name in GovCloud',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
    'https://bucket.s3.us-gov-west-1.amazonaws.com/key',
  ],
  [
    'the API of somebody else',
    'https://abc.execute-api.us-east-1.amazonaws.com/a',
    'https://def.execute-api.us-east-1.amazonaws.com/a',
  ],
  [
    'a bucket',
    'https://abc.execute-api.us-east-1.amazonaws.com/a',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
  ],
  [
    'a bucket of that name, of a bucket in the path behind an endpoint in a VPC',
    'https://bucket.vpce-1a2b-x.s3.us-east-1.vpce.amazonaws.com/mine/key',
    'https://bucket.s3.eu-west-1.amazonaws.com/mine/key',
  ],
  [
    'another service',
    'https://sqs.us-east-1.amazonaws.com/',
    'https://sns.us-east-1.amazonaws.com/',
  ],
  [
    'the same service in another region',
    'https://sqs.us-east-1.amazonaws.com/',
    'https://sqs.eu-west-1.amazonaws.com/',
  ],
  [
    'the website of the bucket',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
    'https://bucket.s3-website.us-east-1.amazonaws.com/key',
  ],
  [
    'the same bucket by a service that looks alike',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
    'https://bucket.s3.us-east-1.es.amazonaws.com/key',
  ],
  [
    'a bucket that an encoded path hides',
    'https://s3.us-east-1.amazonaws.com/bucket/key',
    'https://s3.eu-west-1.amazonaws.com/bucket%2F..%2Fother/key',
  ],
  [
    'another service of the host that its path tells, on another host',
    'https://maps.geo.us-east-1.amazonaws.com/v2/a',
    'https://places.geo.us-east-1.amazonaws.com/v2/a',
  ],
  [
    'another port',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
    'https://bucket.s3.us-east-1.amazonaws.com:8443/key',
  ],
  [
    'a host that looks alike',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
    'https://bucket.s3.us-east-1.amazonaws.com.evil.example/key',
  ],
  [
    'a machine of a customer',
    'https://bucket.s3.us-east-1.amazonaws.com/key',
    'https://ec2-203-0-113-25.compute-1.amazonaws.com/key',
  ],
]

describe.each(elsewhere)('a redirect to %s', (_what, from, to) => {
  test('is refused', async () => {
    const { sent, fetch } = respondWith([redirectTo(to)])
    await expect(authFetch(auth, { fetch })(from)).rejects.toMatchObject({
      code: 'ERR_AUTH_REDIRECT',
    })
    expect(sent).toHaveLength(1)
  })

  test('is followed without a credential if asked for', async () => {
    const { sent, fetch } = respondWith([redirectTo(to), redirectTo(from)])
    const headers = { 'x-amz-meta-mine': '1', 'x-other': '2' }
    await authFetch(auth, { fetch, redirect: 'follow' })(from, { headers })
    expect(sent.map(({ url }) => url)).toEqual([from, to, from])
    expect(sent[0]?.headers.get('x-amz-security-token')).toBe('a-session-token')
    for (const { headers: received } of sent.slice(1)) {
      expect([...received]).toEqual([['x-other', '2']])
    }
  })
})

test('a redirect to plain http is refused, also without a credential', async () => {
  const from = 'https://bucket.s3.us-east-1.amazonaws.com/key'
  for (const redirect of ['covered', 'follow'] as const) {
    const { sent, fetch } = respondWith([redirectTo(from.replace('https', 'http'))])
    await expect(authFetch(auth, { fetch, redirect })(from)).rejects.toMatchObject({
      code: 'ERR_AUTH_REDIRECT',
    })
    expect(sent).toHaveLength(1)
  }
})

test('a redirect that was allowed without the rule for redirects is not signed', async () => {
  // A scheme around this one that hands on a URL alone.
  const around = { ...auth, covers: (url: URL) => auth.covers(url) }
  for (const to of ['https://other.s3.eu-west-1.amazonaws.com/key', '/elsewhere']) {
    const { sent, fetch } = respondWith([redirectTo(to)])
    const send = authFetch(around, { fetch })
    await expect(send('https://bucket.s3.us-east-1.amazonaws.com/key')).rejects.toMatchObject({
      code: 'ERR_AUTH_REDIRECT',
    })
    expect(sent).toHaveLength(1)
  }
})

describe('the region of a bucket', () => {
  const refused = (status: number, region = 'eu-west-1', headers = {}): Response =>
    new Response(null, { status, headers: { 'x-amz-bucket-region': region, ...headers } })
  const clients = [
    { name: 'the full authFetch', client: authFetch },
    { name: 'the light authFetch', client: lightFetch },
  ]

  describe.each(clients)('with $name', ({ client }) => {
    test.each([301, 307, 400, 403])('is that which a %d tells', async (status) => {
      const { sent, fetch } = respondWith([refused(status)])
      const url = 'https://bucket.s3.amazonaws.com/key'
      const response = await client(auth, { fetch })(url, { method: 'PUT', body: 'text' })
      expect(response.status).toBe(200)
      expect(sent.map((one) => one.scope)).toEqual(['us-east-1/s3', 'eu-west-1/s3'])
      expect(sent.map((one) => one.url)).toEqual([url, url])
    })

    test('is asked for once in a call', async () => {
      const { sent, fetch } = respondWith([refused(400), refused(400, 'eu-west-2')])
      const response = await client(auth, { fetch })('https://bucket.s3.amazonaws.com/key')
      expect(response.status).toBe(400)
      expect(sent).toHaveLength(2)
    })

    test.each([
      ['the region of the host', 'https://bucket.s3.us-east-1.amazonaws.com/key', refused(400)],
      ['the same region', 'https://bucket.s3.amazonaws.com/key', refused(403, 'us-east-1')],
      ['another partition', 'https://bucket.s3.amazonaws.com/key', refused(400, 'cn-north-1')],
      ['no region', 'https://bucket.s3.amazonaws.com/key', refused(400, '../us-east-1')],
      ['a success', 'https://bucket.s3.amazonaws.com/key', refused(200)],
      ['a fault', 'https://bucket.s3.amazonaws.com/key', refused(500)],
      ['another service', 'https://iam.amazonaws.com/', refused(400)],
    ])('is not that of %s', async (_what, url, response) => {
      const { sent, fetch } = respondWith([response])
      expect((await client(auth, { fetch })(url)).status).toBe(response.status)
      expect(sent).toHaveLength(1)
    })
  })

  test('leaves a wrong clock to be corrected', async () => {
    const date = new Date(signedAt + 3_600_000).toUTCString()
    const { sent, fetch } = respondWith([
      refused(403, 'us-east-1', { date }),
      refused(400, 'eu-west-1', { date }),
    ])
    const send = authFetch(createAwsAuth({ credentials, clock: () => signedAt }), { fetch })
    const response = await send('https://bucket.s3.amazonaws.com/key')
    expect(response.status).toBe(200)
    expect(sent.map(({ headers }) => headers.get('x-amz-date'))).toEqual([
      '20130524T000000Z',
      '20130524T010000Z',
      '20130524T000000Z',
    ])
  })

  test('comes from nothing but the response to the request before', async () => {
    const request = outgoingRequest('https://bucket.s3.amazonaws.com/key')
    const { headers } = await auth.authorize({ ...request, reason: 'bucket-region' })
    expect(new Map(headers).get('authorization')).toContain('/us-east-1/s3/')
  })
})
