import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { presignPost, type PresignPostOptions } from '@svc/auth-sigv4/presign-post'
import { describe, expect, test } from 'vitest'
import { apiKey, signedAt } from '../fixtures/s3-examples.ts'
import { hasBotocore, postWithBotocore } from '../oracle/botocore.ts'

interface Case {
  readonly url: string
  readonly bucket: string
  readonly options: PresignPostOptions
  readonly region?: string
  readonly sessionToken?: string
  /** The conditions of the options, in the order of S3's documents. */
  readonly conditions: readonly unknown[]
}

const cases: readonly Case[] = [
  {
    url: 'https://bucket.s3.us-east-1.amazonaws.com/',
    bucket: 'bucket',
    options: { key: 'a/b c.txt', maxBytes: 10 },
    conditions: [{ key: 'a/b c.txt' }, ['content-length-range', 0, 10]],
  },
  {
    url: 'https://my.s3.bucket.s3.eu-west-1.amazonaws.com/',
    bucket: 'my.s3.bucket',
    region: 'eu-west-1',
    sessionToken: 'a+session/token==',
    options: {
      key: 'ünï/${filename}',
      minBytes: 1,
      maxBytes: 5_000_000,
      fields: { 'x-amz-meta-name': 'ünï "quoted"', acl: 'private' },
      startsWith: { 'content-type': 'image/' },
      expiresInSeconds: 60,
    },
    conditions: [
      ['starts-with', '$key', 'ünï/'],
      ['content-length-range', 1, 5_000_000],
      ['starts-with', '$content-type', 'image/'],
      { 'x-amz-meta-name': 'ünï "quoted"' },
      { acl: 'private' },
    ],
  },
  {
    url: 'https://s3.us-west-2.amazonaws.com/bucket',
    bucket: 'bucket',
    region: 'us-west-2',
    options: { key: '${filename}', maxBytes: 0, expiresInSeconds: 604_800 },
    conditions: [
      ['starts-with', '$key', ''],
      ['content-length-range', 0, 0],
    ],
  },
]

describe.skipIf(!hasBotocore())('botocore', () => {
  test('signs the same forms', async () => {
    const ours = await Promise.all(
      cases.map(async ({ url, options, sessionToken }) => {
        const credentials = { ...apiKey, sessionToken }
        return presignPost(createAwsAuth({ credentials, clock: () => signedAt }), url, options)
      }),
    )
    const asked = cases.map((one, index) => {
      const { expiresInSeconds = 3600, key, fields } = one.options
      return Object.assign(
        { url: one.url, region: one.region ?? 'us-east-1', sessionToken: one.sessionToken },
        { fields: { key, ...fields }, conditions: [{ bucket: one.bucket }, ...one.conditions] },
        { expiration: new Date(signedAt + expiresInSeconds * 1000).toISOString() },
        { amzDate: '20130524T000000Z', policy: ours[index]?.fields['policy'] },
        apiKey,
      )
    })
    const theirs = await postWithBotocore(asked)
    for (const [index, { url, fields }] of ours.entries()) {
      expect(url).toBe(cases[index]?.url)
      const { policy = '', 'x-amz-signature': signature, ...plain } = fields
      const { policy: _, 'x-amz-signature': _other, ...expected } = theirs[index]?.fields ?? {}
      expect(plain).toEqual(expected)
      expect(JSON.parse(Buffer.from(policy, 'base64').toString())).toEqual(theirs[index]?.policy)
      expect(signature).toBe(theirs[index]?.signature)
    }
  })
})
