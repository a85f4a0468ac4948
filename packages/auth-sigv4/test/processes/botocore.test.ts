import { explain } from '@svc/auth-sigv4/explain'
import { readSignature } from '@svc/auth-sigv4/inspect'
import { describe, expect, test } from 'vitest'
import { apiKey, signedAt } from '../fixtures/s3-examples.ts'
import { engines, exampleAuth } from '../support/signing.ts'
import { hasBotocore, presignWithClient, signWithBotocore } from '../oracle/botocore.ts'

interface Case {
  readonly method?: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly sessionToken?: string
}

const cases: readonly Case[] = [
  { path: '/' },
  { path: '/plain.txt' },
  { path: '/a b+c' },
  { path: '/a%2Fb%20c' },
  { path: "/it's (1)*!.txt" },
  { path: '/a$b&c=d,e;f@g:h' },
  { path: '/ünï/你好/😀' },
  { path: '/a//b/' },
  { path: '/100%' },
  { path: '/%FF%00' },
  { path: '/a|b^c`d{e}[f]"g"<h>' },
  { path: '/a%2520b' },
  { path: '/?lifecycle' },
  { path: '/?max-keys=2&prefix=J' },
  { path: '/?b=2&a=1&a=0&B=3' },
  { path: '/?a-b=1&a=2&a=' },
  { path: '/?x=a+b%2Bc&y=%FF&z=ü' },
  { path: '/?__proto__=1&=v' },
  { path: '/k', method: 'PUT', body: 'Welcome to Amazon S3.' },
  {
    path: '/k',
    method: 'POST',
    body: '{"text":"ü😀"}',
    headers: { 'content-type': 'application/json' },
  },
  { path: '/k', headers: { range: 'bytes=0-9', 'if-match': '"x"' } },
  { path: '/k', headers: { 'x-amz-meta-a': '1', 'x-amz-meta-a-b': '2', 'x-amz-meta-B': '3' } },
  { path: '/k', headers: { 'x-amz-meta-blanks': 'a   b "c   d"' } },
  { path: '/k', method: 'DELETE', sessionToken: 'FwoGZXIvYXdzEXAMPLE==' },
  { path: '/k', method: 'HEAD' },
]

describe.skipIf(!hasBotocore())('botocore', () => {
  test.each(engines)('signs every case as the $name engine does', async (engine) => {
    const ours = await Promise.all(
      cases.map(async ({ method = 'GET', path, headers = {}, body, sessionToken }) => {
        const auth = exampleAuth({ engine, credentials: { ...apiKey, sessionToken } })
        const explanation = await explain(auth, `https://examplebucket.s3.amazonaws.com${path}`, {
          method,
          headers,
          ...(body !== undefined && { body: new TextEncoder().encode(body) }),
        })
        return { explanation, method, headers, body: body ?? '', sessionToken }
      }),
    )
    const asked = ours.map(({ explanation, method, headers, body, sessionToken }) => ({
      ...apiKey,
      sessionToken,
      region: 'us-east-1',
      service: 's3',
      isPayloadSigned: true,
      amzDate: new Date(signedAt).toISOString().replace(/[-:]|\.\d{3}/g, ''),
      method,
      headers,
      body: Buffer.from(body).toString('base64'),
      url: explanation.url.href,
    }))
    expect(ours.map(({ explanation }) => explanation.headers.get('authorization'))).toEqual(
      await signWithBotocore(asked),
    )
  })

  test('presigns for the kin of S3 as is read here', async () => {
    const urls = await presignWithClient([
      'examplebucket',
      'arn:aws:s3-outposts:us-east-1:123456789012:outpost/op-01ac5d28a6a232904/accesspoint/a',
      'arn:aws:s3-object-lambda:us-east-1:123456789012:accesspoint/a',
    ])
    const read = urls.map((url) => readSignature({ method: 'GET', url, headers: [] }, apiKey))
    expect(read.map((one) => one?.service)).toEqual(['s3', 's3-outposts', 's3-object-lambda'])
    const computed = await Promise.all(
      read.map(async (one, index) => one && explain(one.auth, urls[index] ?? '')),
    )
    expect(computed.map((one) => one?.signature)).toEqual(read.map((one) => one?.signature))
  })
})
