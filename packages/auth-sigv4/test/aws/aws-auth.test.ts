import { inspect } from 'node:util'
import { type ApiKey, authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { type AwsAuthOptions, createAwsAuth } from '@svc/auth-sigv4/aws'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import type { Authorization } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { apiKey, signedAt } from '../fixtures/s3-examples.ts'
import { outgoingRequest } from '../support/signing.ts'

function awsAuth(options: AwsAuthOptions = {}) {
  return createAwsAuth({ credentials: apiKey, clock: () => signedAt, ...options })
}

function pick({ headers, url }: Authorization): Pick<Authorization, 'headers' | 'url'> {
  return { headers, ...(url !== undefined && { url }) }
}

/** The scope that a request to a URL is signed for, such as `us-east-1/s3`. */
async function scopeOf(url: string, options?: AwsAuthOptions): Promise<string | undefined> {
  const { headers } = await awsAuth(options).authorize(outgoingRequest(url))
  const [, authorization = ''] = headers.find(([name]) => name === 'authorization') ?? []
  return /Credential=[^/]+\/\d+\/(.+)\/aws4_request/.exec(authorization ?? '')?.[1]
}

describe('a signature', () => {
  test.each([
    ['s3', 'eu-west-1', 'https://a.b.s3.eu-west-1.amazonaws.com/a b//c%2Fd?x=1'],
    ['execute-api', 'eu-west-1', 'https://abc.execute-api.eu-west-1.amazonaws.com/a b//c%2Fd?x=1'],
    ['lambda', 'us-west-2', 'https://abc.lambda-url.us-west-2.on.aws/a/b?x=1'],
    ['s3express', 'us-east-1', 'https://b--x-s3.s3express-use1-az4.us-east-1.amazonaws.com/a%2Fb'],
  ])('for %s is that of createSigV4Auth', async (service, region, url) => {
    const { origin } = new URL(url)
    const one = createSigV4Auth({
      baseUrl: origin,
      region,
      service,
      credentials: { ...apiKey, sessionToken: 'a-token' },
      clock: () => signedAt,
    })
    const aws = awsAuth({ credentials: { ...apiKey, sessionToken: 'a-token' } })
    const request = { method: 'PUT', body: 'text', headers: { 'x-amz-meta-a': '1' } }
    expect(await explain(aws, url, request)).toEqual(await explain(one, url, request))
    expect(await presign(aws, url)).toEqual(await presign(one, url))
    const plain = outgoingRequest(url)
    expect(pick(await aws.authorize(plain))).toEqual(pick(await one.authorize(plain)))
  })

  test('is made with one key, asked for once, for hosts of all services', async () => {
    let calls = 0
    const auth = awsAuth({
      credentials: async (): Promise<ApiKey> => {
        calls += 1
        return { ...apiKey, expiresAt: signedAt + 3_600_000 }
      },
    })
    const hosts = ['sqs.us-east-1', 'sns.eu-west-1', 'dynamodb.us-west-2', 'b.s3.eu-west-3']
    const requests = hosts.map((host) => outgoingRequest(`https://${host}.amazonaws.com/`))
    const signed = await Promise.all(requests.map(async (request) => auth.authorize(request)))
    expect(signed).toHaveLength(4)
    expect(calls).toBe(1)
  })

  test('derives a key once for each service and region', async () => {
    const derived: string[] = []
    const auth = awsAuth({
      engine: {
        name: 'counting',
        hash: () => '0'.repeat(64),
        deriveKey: (_secret, { region, service }) => {
          derived.push(`${service} in ${region}`)
          return {}
        },
        sign: () => 'a signature',
      },
    })
    for (const host of ['a.s3.eu-west-1', 'sqs.eu-west-1', 'b.s3.eu-west-1', 'sqs.us-east-1']) {
      await auth.authorize(outgoingRequest(`https://${host}.amazonaws.com/`))
      await auth.authorize(outgoingRequest(`https://${host}.amazonaws.com/`))
    }
    expect(derived).toEqual(['s3 in eu-west-1', 'sqs in eu-west-1', 'sqs in us-east-1'])
  })

  test('forgets derived keys rather than keep those of any number of services', async () => {
    let derived = 0
    const engine = {
      name: 'counting',
      hash: () => '0'.repeat(64),
      deriveKey: () => ({ number: (derived += 1) }),
      sign: () => 'a signature',
    }
    const auth = awsAuth({ engine })
    const sign = (name: string) =>
      auth.authorize(outgoingRequest(`https://${name}.us-east-1.amazonaws.com/`))
    await sign('sqs')
    for (let index = 0; index < 50; index += 1) await sign(`service-${index}`)
    await sign('sqs')
    expect(derived).toBe(51)
    for (let index = 50; index < 150; index += 1) await sign(`service-${index}`)
    await sign('sqs')
    expect(derived).toBe(152)
  })

  test('is made after more services than keys are kept for', async () => {
    const auth = awsAuth()
    for (let index = 0; index < 250; index += 1) {
      const url = `https://service-${index}.us-east-1.amazonaws.com/`
      const { headers } = await auth.authorize(outgoingRequest(url))
      expect(inspect(headers)).toContain(`/us-east-1/service-${index}/aws4_request`)
    }
  })
})

describe('coverage', () => {
  const auth = awsAuth()
  test.each([
    'https://s3.amazonaws.com/',
    'https://dynamodb.us-east-1.amazonaws.com/',
    'https://dynamodb.us-east-1.amazonaws.com:443/',
    'https://sqs.cn-north-1.amazonaws.com.cn/',
    'https://sqs.us-east-1.api.aws/',
    'https://abc.lambda-url.us-east-1.on.aws/',
    'https://DynamoDB.us-EAST-1.AmazonAWS.com/',
  ])('has %s', (url) => {
    expect(auth.covers(new URL(url))).toBe(true)
  })

  test.each([
    ['plain http', 'http://dynamodb.us-east-1.amazonaws.com/'],
    ['another port', 'https://dynamodb.us-east-1.amazonaws.com:8443/'],
    ['a trailing dot', 'https://dynamodb.us-east-1.amazonaws.com./'],
    ['a name behind', 'https://dynamodb.us-east-1.amazonaws.com.evil.example/'],
    ['a name before', 'https://dynamodb.us-east-1.evilamazonaws.com/'],
    ['a user name', 'https://dynamodb.us-east-1.amazonaws.com@evil.example/'],
    ['letters that look alike', 'https://dynamodb.us-east-1.amаzonaws.com/'],
    ['a full stop of another script', 'https://dynamodb.us-east-1.amazonaws.com。evil.example/'],
    ['an address', 'https://52.94.5.1/'],
    ['an address of IPv6', 'https://[2600:1f18::1]/'],
    ['a path', 'https://evil.example/dynamodb.us-east-1.amazonaws.com'],
    ['a query', 'https://evil.example?.amazonaws.com'],
    ['a machine of a customer', 'https://ec2-203-0-113-25.compute-1.amazonaws.com/'],
    ['the domain itself', 'https://amazonaws.com/'],
    ['a partition that is not public', 'https://s3.us-iso-east-1.c2s.ic.gov/'],
    ['a region of another partition', 'https://s3.cn-north-1.amazonaws.com/'],
  ])('lacks %s, where nothing is signed or sent', async (_what, address) => {
    const url = new URL(address)
    expect(auth.covers(url)).toBe(false)
    let sent = 0
    const fetch = authFetch(auth, {
      async fetch() {
        sent += 1
        return new Response()
      },
    })
    const refused = { code: 'ERR_AUTH_ORIGIN' }
    const refusedEarly = { code: expect.stringMatching(/^ERR_AUTH_(?:ORIGIN|URL)$/) }
    await expect(fetch(url)).rejects.toMatchObject(refusedEarly)
    await expect(async () => auth.authorize(outgoingRequest(address))).rejects.toMatchObject(
      refused,
    )
    await expect(explain(auth, address)).rejects.toMatchObject(refusedEarly)
    await expect(presign(auth, address)).rejects.toMatchObject(refused)
    expect(sent).toBe(0)
  })

  test('has a user name in the URL of a host of AWS refused', async () => {
    const url = 'https://user:password@dynamodb.us-east-1.amazonaws.com/'
    await expect(authFetch(auth)(url)).rejects.toMatchObject({ code: 'ERR_AUTH_URL' })
  })

  test('asks for service and region of a host that tells neither', async () => {
    const url = 'https://abc.cloudfront.anything.amazonaws.com/'
    await expect(authFetch(auth)(url)).rejects.toThrow(
      "is not covered by the scheme aws, which covers https://*.amazonaws.com, https://*.api.aws, https://*.on.aws, https://*.amazonaws.com.cn, where the host or services names service and region: { 'https://abc.cloudfront.anything.amazonaws.com': { service: 's3', region: 'us-east-1' } }",
    )
  })

  test.each([
    'https://abc.mrap.accesspoint.s3-global.amazonaws.com/key',
    'https://abc123.456def.endpoint.events.amazonaws.com/',
    'https://abc123.456def.endpoints.email.amazonaws.com/',
    'https://123456789012.cloudfront-kvs.global.api.aws/',
  ])('says of %s, which is in several regions, that it takes another signature', async (url) => {
    await expect(authFetch(auth)(url)).rejects.toThrow(
      'https://*.amazonaws.com.cn, but this host takes Signature Version 4A; nothing was sent',
    )
  })

  test('has two versions of a service on one host, each by its path', async () => {
    const host = 'https://maps.geo.eu-west-1.amazonaws.com'
    const paths = ['/v2/tiles/a', '/maps/v0/maps/a', '/v2/tiles/a', '/v2.1/a', '/v2']
    const explained = await Promise.all(paths.map(async (path) => explain(auth, host + path)))
    const scopes = explained.map(
      ({ headers }) => headers.get('authorization')?.match(/eu-west-1\/([\w-]+)\//)?.[1],
    )
    expect(scopes).toEqual(['geo-maps', 'geo', 'geo-maps', 'geo', 'geo'])
  })

  test('has what origins lists, with service and region by services', async () => {
    const options: AwsAuthOptions = {
      region: 'eu-west-1',
      origins: [
        'https://api.example.com',
        'https://*.us-iso-east-1.c2s.ic.gov',
        'http://localhost:4566',
      ],
      services: {
        'https://api.example.com': { service: 'execute-api' },
        'http://localhost:4566': { service: 'sqs', region: 'us-east-1' },
        'https://*.compute-1.amazonaws.com': { service: 'my-service' },
        'https://sqs.us-west-2.amazonaws.com': { service: 'sqs', region: 'us-west-1' },
        'https://unlisted.example.com': { service: 's3' },
      },
    }
    expect(await scopeOf('https://api.example.com/', options)).toBe('eu-west-1/execute-api')
    expect(await scopeOf('http://localhost:4566/', options)).toBe('us-east-1/sqs')
    const machine = 'https://ec2-203-0-113-25.compute-1.amazonaws.com/'
    expect(await scopeOf(machine, options)).toBe('eu-west-1/my-service')
    expect(await scopeOf('https://sqs.us-west-2.amazonaws.com/', options)).toBe('us-west-1/sqs')
    expect(await scopeOf('https://s3.us-iso-east-1.c2s.ic.gov/', options)).toBe('us-iso-east-1/s3')
    await expect(scopeOf('https://unlisted.example.com/', options)).rejects.toMatchObject({
      code: 'ERR_AUTH_ORIGIN',
    })
    await expect(scopeOf('https://api.example.com:8443/', options)).rejects.toMatchObject({
      code: 'ERR_AUTH_ORIGIN',
    })
  })
})

describe('the region', () => {
  test.each([
    ['https://s3.amazonaws.com/bucket/key', undefined, 'us-east-1/s3'],
    ['https://s3.amazonaws.com/bucket/key', 'eu-west-1', 'eu-west-1/s3'],
    ['https://bucket.s3-accelerate.amazonaws.com/key', 'eu-west-1', 'eu-west-1/s3'],
    ['https://bucket.s3.us-west-2.amazonaws.com/key', 'eu-west-1', 'us-west-2/s3'],
    ['https://iam.amazonaws.com/', 'eu-west-1', 'us-east-1/iam'],
    ['https://sts.amazonaws.com/', 'eu-west-1', 'us-east-1/sts'],
    ['https://queue.amazonaws.com/', 'us-east-1', 'us-east-1/sqs'],
  ])('of %s with %s is in %s', async (url, region, scope) => {
    expect(await scopeOf(url, { region })).toBe(scope)
  })

  test.each([
    ['https://bucket.s3-accelerate.amazonaws.com/key', undefined],
    ['https://s3.amazonaws.com/bucket/key', 'cn-north-1'],
    ['https://s3.amazonaws.com/bucket/key', 'us-gov-west-1'],
    ['https://bucket.s3-accelerate.amazonaws.com/key', 'us-iso-east-1'],
  ])('of %s cannot be %s', async (url, region) => {
    await expect(scopeOf(url, { region })).rejects.toMatchObject({ code: 'ERR_AUTH_ORIGIN' })
  })
})

describe('wrong options', () => {
  test.each<[named: string, options: Record<string, unknown>]>([
    ['credentials.accessKeyId', { credentials: {} }],
    ['region', { region: 'us/east' }],
    ['region', { region: 5 }],
    ['services', { services: null }],
    ['services', { services: 's3' }],
    ["services['https://a.example'].service", { services: { 'https://a.example': 's3' } }],
    [
      "services['https://a.example'].region",
      { services: { 'https://a.example': { service: 's3' } } },
    ],
    ['services[0]', { region: 'us-east-1', services: { 'a.example': { service: 's3' } } }],
    ['origins[0]', { origins: ['a.example'] }],
    ['payload', { payload: 'chunked' }],
    ['signHeaders', { signHeaders: 'date' }],
    ['engine', { engine: {} }],
    ['clock', { clock: 1 }],
    ['onEvent', { onEvent: {} }],
    ['did you mean services', { service: 's3' }],
    ['did you mean origins', { baseUrl: 'https://a.example' }],
    ['did you mean credentials', { accessKeyId: 'AKID' }],
  ])('%s is named', (named, options) => {
    // What a caller without types may give.
    const create = (): unknown => awsAuth(options)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(/^\[@svc\/auth-sigv4\/aws\] createAwsAuth: /)
    expect(create).toThrow(named)
  })
})

describe('the scheme', () => {
  const url = 'https://bucket.s3.eu-west-1.amazonaws.com/key'

  test('is frozen, and shows no secret', () => {
    const auth = awsAuth({ credentials: { ...apiKey, sessionToken: 'session-token' } })
    expect(Object.isFrozen(auth)).toBe(true)
    const shown = inspect(auth, { showHidden: true, depth: 10 }) + JSON.stringify(auth)
    expect(shown).not.toContain(apiKey.secretAccessKey)
    expect(shown).not.toContain('session-token')
  })

  test('diagnoses a refusal', async () => {
    const response = new Response(
      '<Error><Code>InvalidAccessKeyId</Code><Message>no</Message></Error>',
      { status: 403 },
    )
    const { summary } = await diagnose(awsAuth(), response, url)
    expect(summary).toContain(apiKey.accessKeyId)
  })

  test('adds to one request what it adds to another of a second copy', async () => {
    const auth = awsAuth()
    expect(await presign({ ...auth }, url)).toEqual(await presign(auth, url))
  })
})
