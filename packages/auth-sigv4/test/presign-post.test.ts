import { createSigV4Auth } from '@svc/auth-sigv4'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { presignPost, type PresignPostOptions } from '@svc/auth-sigv4/presign-post'
import { expect, test } from 'vitest'
import { apiKey, signedAt } from './fixtures/s3-examples.ts'
import { engines } from './support/signing.ts'

const auth = createAwsAuth({ credentials: apiKey, clock: () => signedAt })
const bucket = 'https://bucket.s3.us-east-1.amazonaws.com'
const good: PresignPostOptions = { key: 'k', maxBytes: 10 }

test.each(engines)('the $name engine signs the policy as the others do', async (engine) => {
  const own = createAwsAuth({ credentials: apiKey, clock: () => signedAt, engine })
  expect(await presignPost(own, bucket, good)).toEqual(await presignPost(auth, bucket, good))
})

test('a bucket in the path of any store is posted to by the scheme of its base URL', async () => {
  const store = createSigV4Auth({
    baseUrl: 'http://localhost:9000',
    region: 'us-east-1',
    credentials: apiKey,
    clock: () => signedAt,
  })
  const { url, fields } = await presignPost(store, '/my-bucket', good)
  expect(url).toBe('http://localhost:9000/my-bucket')
  const { conditions } = JSON.parse(atob(fields['policy'] ?? '')) as { conditions: unknown[] }
  expect(conditions[0]).toEqual({ bucket: 'my-bucket' })
})

test('the form has its fields in order, before the file', async () => {
  const { fields } = await presignPost(auth, bucket, { ...good, fields: { acl: 'private' } })
  const names = ['key', 'acl', 'x-amz-algorithm', 'x-amz-credential', 'x-amz-date']
  expect(Object.keys(fields)).toEqual([...names, 'policy', 'x-amz-signature'])
  expect(JSON.stringify(fields)).not.toContain(apiKey.secretAccessKey)
})

test.each<[named: string, options: Record<string, unknown>]>([
  ['key', { key: '' }],
  ['key', { key: undefined }],
  ['maxBytes', { maxBytes: undefined }],
  ['maxBytes', { maxBytes: 1.5 }],
  ['maxBytes', { maxBytes: -1 }],
  ['minBytes', { minBytes: 11 }],
  ['minBytes', { minBytes: -1 }],
  ['fields', { fields: { acl: 5 } }],
  ['fields', { fields: null }],
  ['fields', { fields: { policy: 'mine' } }],
  ['fields', { fields: { 'X-Amz-Signature': 'mine' } }],
  ['fields', { fields: { key: 'mine' } }],
  ['fields', { fields: { 'a b': 'mine' } }],
  ['startsWith', { startsWith: { bucket: '' } }],
  ['startsWith', { startsWith: 'image/' }],
  ['expiresInSeconds', { expiresInSeconds: 0 }],
  ['expiresInSeconds', { expiresInSeconds: 604_801 }],
  ['did you mean expiresInSeconds', { expiresIn: 60 }],
  ['did you mean maxBytes', { contentLengthRange: [0, 1] }],
])('a wrong option is a TypeError that names %s', async (named, options) => {
  const refused = presignPost(auth, bucket, { ...good, ...options })
  await expect(refused).rejects.toThrow(TypeError)
  await expect(refused).rejects.toThrow(named)
})

test.each([
  ['https://bucket.s3.amazonaws.com', 'bucket'],
  ['https://bucket.s3-eu-west-1.amazonaws.com/', 'bucket'],
  ['https://a.s3.b.s3.cn-north-1.amazonaws.com.cn/', 'a.s3.b'],
  ['https://s3.us-east-1.amazonaws.com/bucket/', 'bucket'],
  ['https://store.s3-like.example.com/bucket', 'bucket'],
])('%s is the URL of %s', async (url, name) => {
  const own = createAwsAuth({
    credentials: apiKey,
    origins: ['https://store.s3-like.example.com'],
    services: { 'https://store.s3-like.example.com': { service: 's3', region: 'auto' } },
  })
  const { fields } = await presignPost(own, url, good)
  expect(atob(fields['policy'] ?? '')).toContain(`{"bucket":"${name}"}`)
})

test.each([
  'https://s3.us-east-1.amazonaws.com//',
  'https://s3.us-east-1.amazonaws.com/',
  'https://bucket.s3.us-east-1.amazonaws.com/key',
  'https://bucket.s3.us-east-1.amazonaws.com/?a=b',
  'https://user@bucket.s3.us-east-1.amazonaws.com/',
  'https://:secret@bucket.s3.us-east-1.amazonaws.com/',
  'https://bucket.s3.us-east-1.amazonaws.com/?',
  'https://bucket.s3.us-east-1.amazonaws.com/#part',
  'not a URL',
])('%s is not the URL of a bucket', async (url) => {
  await expect(presignPost(auth, url, good)).rejects.toThrow('url must be that of a bucket')
})

test('nothing is signed for another service, or where the scheme covers nothing', async () => {
  const queue = 'https://sqs.us-east-1.amazonaws.com/queue'
  await expect(presignPost(auth, queue, good)).rejects.toThrow('auth must sign for s3, not sqs')
  const elsewhere = 'https://s3.us-east-1.amazonaws.com.evil.example/bucket'
  await expect(presignPost(auth, elsewhere, good)).rejects.toMatchObject({
    code: 'ERR_AUTH_ORIGIN',
  })
})
