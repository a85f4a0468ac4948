import { Readable } from 'node:stream'
import {
  ChecksumAlgorithm,
  DeleteObjectCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect, onTestFinished, test } from 'vitest'
import type { EmulatorOptions } from '@svc/emulator'
import { listening, send } from '../support/emulator.ts'
import { awkwardKeys } from '../fixtures/awkward-keys.ts'
import { testKey } from '../support/sign.ts'

// The AWS SDK for JavaScript is a client that shares nothing with this project. It cannot express a
// key with a segment `.` or `..` in a presigned URL that fetch opens: a URL has no such segments. It
// never signs chunks; over plain http it sends a stream in unsigned ones, with a checksum behind.

const Bucket = 'V1'

const ignore = () => {}
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore }

async function sdk(changed: Partial<S3ClientConfig> = {}, options: EmulatorOptions = {}) {
  const { emulator, server, time } = await listening({ clock: Date.now, ...options })
  const client = new S3Client({
    endpoint: server.url.href,
    forcePathStyle: true,
    region: 'us-east-1',
    credentials: testKey,
    maxAttempts: 1,
    logger: silent,
    ...changed,
  })
  onTestFinished(() => client.destroy())
  const read = async (Key: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
    return Body?.transformToString()
  }
  return { client, emulator, server, time, read }
}

/** Follows a URL as it stands; fetch would rewrite it. */
const open = (url: string, method = 'GET', body = '') =>
  send(new URL(url), {
    method,
    target: url.slice(new URL(url).origin.length),
    rawHeaders: [['host', new URL(url).host]],
    body: new TextEncoder().encode(body),
  })

test('it puts, gets, lists and deletes under 25 awkward keys', async () => {
  const { client, emulator, read } = await sdk()
  expect(awkwardKeys).toHaveLength(25)
  for (const Key of awkwardKeys) {
    await client.send(new PutObjectCommand({ Bucket, Key, Body: `body of ${Key}` }))
    expect(await read(Key)).toBe(`body of ${Key}`)
    const head = await client.send(new HeadObjectCommand({ Bucket, Key }))
    expect(head.ContentLength).toBe(Buffer.byteLength(`body of ${Key}`))
  }
  const listed = await client.send(new ListObjectsV2Command({ Bucket }))
  expect(listed.Contents?.map(({ Key }) => Key).toSorted()).toEqual(awkwardKeys.toSorted())
  for (const Key of awkwardKeys) {
    await client.send(new DeleteObjectCommand({ Bucket, Key }))
    await expect(read(Key)).rejects.toMatchObject({ name: 'NoSuchKey' })
  }
  for (const { auth } of emulator.requests) expect(auth).toMatchObject({ ok: true })
})

test('it streams under 25 awkward keys, in chunks with a checksum as trailer', async () => {
  const { client, emulator, read } = await sdk()
  for (const Key of awkwardKeys) {
    const data = ['a'.repeat(8192), `body of ${Key}`]
    const ContentLength = Buffer.byteLength(data.join(''))
    const Body = Readable.from(data.map((chunk) => Buffer.from(chunk)))
    await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentLength }))
    const sent = emulator.requests.at(-1)?.headers ?? {}
    expect(sent['x-amz-content-sha256']).toBe('STREAMING-UNSIGNED-PAYLOAD-TRAILER')
    expect(sent['x-amz-trailer']).toBe('x-amz-checksum-crc32')
    expect(await read(Key)).toBe(data.join(''))
  }
})

test.each(Object.values(ChecksumAlgorithm).filter((name) => /^(CRC|SHA1$|SHA256$)/.test(name)))(
  'its %s is right, as a header and as a trailer',
  async (algorithm) => {
    const { client, emulator } = await sdk()
    const input = { Bucket, Key: 'a', ChecksumAlgorithm: algorithm }
    const name = `x-amz-checksum-${algorithm.toLowerCase()}`
    await client.send(new PutObjectCommand({ ...input, Body: 'hello' }))
    expect(emulator.requests.at(-1)?.headers[name]).toBeDefined()
    const Body = Readable.from([Buffer.from('hello')])
    await client.send(new PutObjectCommand({ ...input, Body, ContentLength: 5 }))
    expect(emulator.requests.at(-1)?.headers['x-amz-trailer']).toBe(name)
  },
)

test('a stream of small chunks is refused, as S3 refuses it, unless the SDK gathers them', async () => {
  const put = async (client: S3Client) => {
    const Body = Readable.from([Buffer.from('one'), Buffer.from('two'), Buffer.from('three')])
    return client.send(new PutObjectCommand({ Bucket, Key: 'a', Body, ContentLength: 11 }))
  }
  const plain = await sdk()
  await expect(put(plain.client)).rejects.toMatchObject({ name: 'InvalidChunkSizeError' })
  const gathering = await sdk({ requestStreamBufferSize: 65_536 })
  await put(gathering.client)
  expect(await gathering.read('a')).toBe('onetwothree')
})

test('what it puts beside the data comes back, its encoding without aws-chunked', async () => {
  const { client } = await sdk()
  const kept = {
    ContentType: 'text/plain; charset=utf-8',
    ContentEncoding: 'gzip',
    CacheControl: 'no-store',
    Metadata: { note: 'a b', list: 'a,b' },
  }
  const Body = Readable.from([Buffer.from('hello')])
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body, ContentLength: 5, ...kept }))
  const got = await client.send(new GetObjectCommand({ Bucket, Key: 'a', Range: 'bytes=1-2' }))
  expect(await got.Body?.transformToString()).toBe('el')
  expect(got).toMatchObject(kept)
  expect(got.ETag).toBe('"5d41402abc4b2a76b9719d911017c592"')
})

test('it knows the bucket, and lists it page by page', async () => {
  const { client } = await sdk({ region: 'eu-central-1' }, { region: 'eu-central-1' })
  await client.send(new HeadBucketCommand({ Bucket }))
  const location = await client.send(new GetBucketLocationCommand({ Bucket }))
  expect(location.LocationConstraint).toBe('eu-central-1')
  for (const Key of ['a/1', 'a/2', 'b', 'c/1']) {
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
  }
  const found: (string | undefined)[] = []
  const pages = paginateListObjectsV2({ client, pageSize: 1 }, { Bucket, Delimiter: '/' })
  for await (const { Contents = [], CommonPrefixes = [] } of pages) {
    found.push(...Contents.map(({ Key }) => Key), ...CommonPrefixes.map(({ Prefix }) => Prefix))
  }
  expect(found).toEqual(['a/', 'b', 'c/'])
})

// By default the presigner puts the checksum of no body at all into the URL of a PUT.
const withoutChecksum = { requestChecksumCalculation: 'WHEN_REQUIRED' } as const

test('its presigned URLs put, get and delete under 25 awkward keys', async () => {
  const { client, emulator } = await sdk(withoutChecksum)
  for (const Key of awkwardKeys) {
    const input = { Bucket, Key }
    const put = await getSignedUrl(client, new PutObjectCommand(input))
    expect(await open(put, 'PUT', `body of ${Key}`)).toMatchObject({ status: 200 })
    const get = await getSignedUrl(client, new GetObjectCommand(input), { expiresIn: 604_800 })
    expect(await open(get)).toMatchObject({ status: 200, text: `body of ${Key}` })
    expect(await (await fetch(get)).text()).toBe(`body of ${Key}`)
    expect(await open(get, 'DELETE')).toMatchObject({ status: 403 })
    const remove = await getSignedUrl(client, new DeleteObjectCommand(input))
    expect(await open(remove, 'DELETE')).toMatchObject({ status: 204 })
    expect(await open(get)).toMatchObject({ status: 404 })
  }
  expect(emulator.requests.filter(({ auth }) => !auth.ok)).toHaveLength(25)
})

test('its presigned URLs expire', async () => {
  const { client, time } = await sdk(withoutChecksum, { clock: () => time.now })
  time.now = Date.now()
  const url = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'a' }), {
    expiresIn: 60,
  })
  expect((await open(url)).status).toBe(404)
  time.now += 62_000
  const late = await open(url)
  expect(late.status).toBe(403)
  expect(late.text).toContain('<Message>Request has expired</Message>')
  expect(late.text).toContain('<X-Amz-Expires>60</X-Amz-Expires>')
})

test('its presigned URLs bring signed headers and a session token', async () => {
  const apiKeys = [{ ...testKey, sessionToken: 'right/+=' }]
  const credentials = { ...testKey, sessionToken: 'right/+=' }
  const { client } = await sdk({ ...withoutChecksum, credentials }, { apiKeys })
  const command = new PutObjectCommand({ Bucket, Key: 'a', ContentType: 'text/plain' })
  const url = await getSignedUrl(client, command, { signableHeaders: new Set(['content-type']) })
  const put = (type: string) =>
    fetch(url, { method: 'PUT', body: 'x', headers: { 'content-type': type } })
  expect((await put('text/html')).status).toBe(403)
  expect((await put('text/plain')).status).toBe(200)
})

test.each([
  ['SignatureDoesNotMatch', { credentials: { ...testKey, secretAccessKey: 'wrong' } }],
  ['InvalidAccessKeyId', { credentials: { ...testKey, accessKeyId: 'NOBODY' } }],
  ['InvalidToken', { credentials: { ...testKey, sessionToken: 'unknown' } }],
  ['AuthorizationHeaderMalformed', { region: 'eu-west-1' }],
])('it understands %s', async (name, changed) => {
  const { client } = await sdk(changed)
  const put = client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'x' }))
  await expect(put).rejects.toMatchObject({ name })
})

test('it learns the clock of the server from a refusal', async () => {
  const { client, emulator } = await sdk(
    { maxAttempts: 2 },
    { clock: () => Date.now() + 3_600_000 },
  )
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'x' }))
  expect(emulator.requests.map(({ auth }) => auth.code)).toEqual([
    'RequestTimeTooSkewed',
    undefined,
  ])
})
