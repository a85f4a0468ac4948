import { readFile } from 'node:fs/promises'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { explain } from '@svc/auth-sigv4/explain'
import { describe, expect, test } from 'vitest'
import { knownHosts, writeExceptions } from '../aws/known-hosts.ts'
import { apiKey, signedAt } from '../fixtures/s3-examples.ts'
import {
  hasBotocore,
  hasBotocoreOfTable,
  knownEndpoints,
  signWithBotocore,
} from '../oracle/botocore.ts'
import { outgoingRequest } from '../support/signing.ts'
import { readHost } from '../testing.ts'

const auth = createAwsAuth({ credentials: apiKey, clock: () => signedAt })

describe.skipIf(!hasBotocoreOfTable())('botocore', () => {
  test('knows 333 services, and each of their hosts is read as it signs for them', async () => {
    const { services } = await knownEndpoints()
    expect(services.length).toBeGreaterThanOrEqual(333)
    const hosts = await knownHosts()
    // Those that the operations have by a prefix are among them, such as `sync-states` of Step Functions.
    expect(hosts.length).toBeGreaterThan(28_000)
    const wrong = hosts.filter(({ hostname, scopes }) => {
      const { service, region, home } = readHost(new URL(`https://${hostname}/`)) ?? {}
      return !scopes.some(([name, place]) => name === service && place === (region ?? home))
    })
    expect(wrong).toEqual([])
  })

  test('signs for every host that is covered with the same scope', async () => {
    const covered = (await knownHosts())
      .map(({ hostname, scopes }) => ({ scopes, url: new URL(`https://${hostname}/`) }))
      .filter(({ url }) => auth.covers(url))
    expect(covered.length).toBeGreaterThan(20_000)
    const wrong = await Promise.all(
      covered.map(async ({ url, scopes }) => {
        const { headers } = await auth.authorize(outgoingRequest(url.href))
        const signed = new Map(headers).get('authorization') ?? ''
        return scopes.some(([service, region]) => signed.includes(`/${region}/${service}/aws4_`))
          ? []
          : [url.host]
      }),
    )
    expect(wrong.flat()).toEqual([])
  })

  test('gives the exceptions that are written in the sources', async () => {
    const written = await readFile(new URL('../../src/aws/exceptions.ts', import.meta.url), 'utf8')
    expect(writeExceptions(await knownHosts())).toBe(written)
  })
})

describe.skipIf(!hasBotocore())('any botocore', () => {
  test('signs requests to services of all kinds as this scheme does', async () => {
    const urls = [
      ['s3', 'us-west-2', 'https://a.b.s3.us-west-2.amazonaws.com/a b//c+d/%2F?x=2&x=1'],
      ['s3', 'us-east-1', 'https://s3.amazonaws.com/bucket/a%20b?list-type=2&prefix=a/b'],
      ['s3', 'eu-west-1', 'https://point-123456789012.s3-accesspoint.eu-west-1.amazonaws.com/k'],
      ['execute-api', 'eu-west-1', 'https://abc.execute-api.eu-west-1.amazonaws.com/p/a b//c?q=1'],
      ['lambda', 'eu-west-1', 'https://abc.lambda-url.eu-west-1.on.aws/a/b?q=%20'],
      ['es', 'eu-west-1', 'https://search-a-b.eu-west-1.es.amazonaws.com/_search?q=*'],
      [
        'sts',
        'us-east-1',
        'https://sts.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15',
      ],
      ['route53', 'us-east-1', 'https://route53.amazonaws.com/2013-04-01/hostedzone'],
      ['bedrock', 'us-east-1', 'https://bedrock-runtime.us-east-1.amazonaws.com/model/a:0/invoke'],
    ] as const
    const explained = await Promise.all(urls.map(async ([, , url]) => explain(auth, url)))
    const amzDate = new Date(signedAt).toISOString().replace(/[-:]|\.\d{3}/g, '')
    const asked = urls.map(([service, region], index) =>
      Object.assign(
        { region, service, isPayloadSigned: true, amzDate, url: explained[index]?.url.href },
        { method: 'GET', headers: {}, body: '' },
        apiKey,
      ),
    )
    expect(explained.map(({ headers }) => headers.get('authorization'))).toEqual(
      await signWithBotocore(asked),
    )
  })
})
