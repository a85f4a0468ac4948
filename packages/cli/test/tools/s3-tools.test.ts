import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasProgram } from '../../../../tests/support/needs.ts'
import { atNight } from '../../../../tests/support/nightly.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { emptyFolder } from '../support/folder.ts'
import { placeholderKey, proxySecret } from '../support/proxy-environment.ts'
import { startProxy } from '../support/start-proxy.ts'

// Each call of a tool is a process, which a busy machine starts slowly.
// Each tool has the placeholder key of the proxy, and none of the service's.

const install = (name: string): string => `apt-get install -y --no-install-recommends ${name}`
const hasS3cmd = hasProgram('s3cmd', ['s3cmd', '--version'], install('s3cmd'))
const hasRclone = hasProgram('rclone', ['rclone', 'version'], install('rclone'))
const aws = '/usr/bin/aws'
const hasAws = hasProgram('aws', [aws, '--version'], install('awscli'))
const python = '/usr/bin/python3'
const hasBoto3 = hasProgram('boto3', [python, '-c', 'import boto3'], install('python3-boto3'))

/** Keeps the tools of AWS to what they are given here. */
const withoutFiles = {
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
}
const minPart = 5 * 1024 * 1024

const allKeys = [
  'plain.txt',
  'a b',
  'a+b',
  "it's (1)!",
  '100%',
  'a%20b',
  'ünï/你好',
  'a=b&c',
  '~x/$y,z',
]

// A tool is a process for each key.
const keys = atNight(
  allKeys,
  allKeys.filter((_, index) => index % 3 === 1),
)

const sorted = (names: readonly unknown[]): readonly string[] => names.map(String).toSorted()

/** Expects that everything arrived signed with the key of the service. */
function expectSigned({ emulator }: Awaited<ReturnType<typeof startProxy>>): void {
  expect(emulator.requests.length).toBeGreaterThan(0)
  for (const { auth, headers } of emulator.requests) {
    expect(auth).toMatchObject({ scheme: 'sigv4', ok: true, accessKeyId: 'EMULATORCLIENTKEY' })
    expect(JSON.stringify(headers)).not.toContain(placeholderKey.accessKeyId)
  }
}

async function sdk() {
  const proxy = await startProxy()
  const client = new S3Client({
    endpoint: proxy.proxyUrl,
    forcePathStyle: true,
    region: 'us-east-1',
    credentials: placeholderKey,
    maxAttempts: 1,
  })
  onTestFinished(() => client.destroy())
  const read = async (Key: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'V1', Key }))
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  }
  return { proxy, client, read }
}

describe('the AWS SDK for JavaScript', () => {
  test('puts, gets and lists', async () => {
    const { proxy, client, read } = await sdk()
    for (const Key of keys) {
      await client.send(new PutObjectCommand({ Bucket: 'V1', Key, Body: `body of ${Key}` }))
      expect((await read(Key)).toString()).toBe(`body of ${Key}`)
    }
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'V1' }))
    expect(sorted(Contents.map(({ Key }) => Key))).toEqual(sorted(keys))
    expectSigned(proxy)
  })

  const trailers = Object.values(ChecksumAlgorithm).filter((name) =>
    /^(CRC|SHA1$|SHA256$)/.test(name),
  )
  test.each(atNight(trailers, trailers.slice(0, 2)))(
    'streams with %s as a trailer, which is verified and goes on',
    async (algorithm) => {
      const { proxy, client, read } = await sdk()
      const data = randomBytes(300_000)
      const pieces = [data.subarray(0, 100_000), data.subarray(100_000)]
      const object = { Bucket: 'V1', Key: 'a', ChecksumAlgorithm: algorithm }
      const Body = Readable.from(pieces)
      await client.send(new PutObjectCommand({ ...object, Body, ContentLength: data.byteLength }))
      const { headers = {} } = proxy.emulator.requests.at(-1) ?? {}
      expect(headers['x-amz-trailer']).toBe(`x-amz-checksum-${algorithm.toLowerCase()}`)
      expect(headers['x-amz-decoded-content-length']).toBe('300000')
      expect((await read('a')).equals(data)).toBe(true)
      expectSigned(proxy)
    },
  )
})

/** Two parts: one of the least size, and a rest. */
const large = randomBytes(5 * 1024 * 1024 + 300_000)

/** Expects that an object arrived in parts, byte for byte, and that every part was verified. */
async function expectUploaded(
  proxy: Awaited<ReturnType<typeof startProxy>>,
  key: string,
  data: Uint8Array,
): Promise<void> {
  const response = await fetch(`${proxy.proxyUrl}/V1/${key}`, {
    headers: { 'x-svc-proxy-secret': proxySecret },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('etag')).toMatch(/^"[\da-f]{32}-[2-9]"$/)
  expect(Buffer.from(await response.arrayBuffer()).equals(data)).toBe(true)
  expectSigned(proxy)
}

describe('the AWS SDK for JavaScript uploads in parts', () => {
  const whole = (part: Buffer): Buffer => part
  const inPieces = (part: Buffer): Readable =>
    Readable.from([part.subarray(0, 100_000), part.subarray(100_000)])
  const bodies = [
    ['buffers', 'SHA256', whole],
    ['streams', 'CRC32', inPieces],
    ['buffers', 'no checksum', whole],
    ['buffers', 'CRC32', whole],
    ['streams', 'no checksum', inPieces],
    ['streams', 'SHA256', inPieces],
  ] as const
  test.each(bodies.slice(0, atNight(undefined, 2)))(
    '%s with %s',
    async (_name, checksum, bodyOf) => {
      const algorithm = checksum === 'no checksum' ? {} : { ChecksumAlgorithm: checksum }
      const { proxy, client } = await sdk()
      const object = { Bucket: 'V1', Key: 'large' }
      const { UploadId } = await client.send(
        new CreateMultipartUploadCommand({
          ...object,
          ...algorithm,
        }),
      )
      const Parts = []
      for (const [index, part] of [large.subarray(0, minPart), large.subarray(minPart)].entries()) {
        const PartNumber = index + 1
        const { $metadata: _, ...digests } = await client.send(
          new UploadPartCommand({
            ...object,
            UploadId,
            PartNumber,
            Body: bodyOf(part),
            ContentLength: part.byteLength,
            ...algorithm,
          }),
        )
        Parts.push({ PartNumber, ...digests })
      }
      await client.send(
        new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }),
      )
      expect(Parts).toHaveLength(2)
      await expectUploaded(proxy, 'large', large)
    },
  )
})

describe.runIf(hasBoto3)('boto3', () => {
  test.each(atNight(['', 'CRC32', 'SHA256'], ['CRC32']))(
    'uploads in parts with the checksum %j',
    async (checksum) => {
      const proxy = await startProxy()
      const folder = await emptyFolder()
      const file = join(folder, 'large')
      await writeFile(file, large)
      const { accessKeyId, secretAccessKey } = placeholderKey
      const task = {
        endpoint: proxy.proxyUrl,
        access_key: accessKeyId,
        secret_key: secretAccessKey,
        keys: [],
        file,
        checksum,
      }
      const script = new URL('../fixtures/boto3-client.py', import.meta.url).pathname
      const finished = await run(python, [script], JSON.stringify(task), withoutFiles)
      expect(finished).toMatchObject({ status: 0, stderr: '' })
      await expectUploaded(proxy, 'large', large)
    },
  )

  test('puts, gets, lists and presigns', async () => {
    const proxy = await startProxy()
    const { accessKeyId, secretAccessKey } = placeholderKey
    const task = {
      endpoint: proxy.proxyUrl,
      access_key: accessKeyId,
      secret_key: secretAccessKey,
      keys,
    }
    const script = new URL('../fixtures/boto3-client.py', import.meta.url).pathname
    const finished = await run(python, [script], JSON.stringify(task), withoutFiles)
    expect(finished).toMatchObject({ status: 0, stderr: '' })
    const { bodies, part, keys: listed, url } = JSON.parse(finished.stdout)
    expect(bodies).toEqual(keys.map((key) => `body of ${key}`))
    expect(part).toBe('body')
    expect(sorted(listed)).toEqual(sorted(keys))
    const response = await fetch(url)
    expect(await response.text()).toBe(bodies[0])
    expectSigned(proxy)
  })
})

describe.runIf(hasS3cmd)('s3cmd', () => {
  const start = async () => {
    const proxy = await startProxy()
    const folder = await emptyFolder()
    const { host } = new URL(proxy.proxyUrl)
    const config = join(folder, 's3cfg')
    const settings = {
      access_key: placeholderKey.accessKeyId,
      secret_key: placeholderKey.secretAccessKey,
      host_base: host,
      host_bucket: host,
      use_https: 'False',
      max_retries: '1',
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
    await writeFile(config, `[default]\n${lines.join('')}`)
    const call = (...args: string[]) => run('s3cmd', ['--config', config, '--no-progress', ...args])
    return { proxy, call, from: join(folder, 'from'), to: join(folder, 'to') }
  }

  test('puts, lists, gets and deletes', async () => {
    const { proxy, call, from, to } = await start()
    await writeFile(from, randomBytes(200_000))
    for (const key of keys) {
      expect(await call('put', from, `s3://V1/${key}`)).toMatchObject({ status: 0 })
    }
    const listed = await call('ls', '--recursive', 's3://V1')
    const found = [...listed.stdout.matchAll(/s3:\/\/V1\/(.*)$/gm)].map(([, key]) => key)
    expect(sorted(found)).toEqual(sorted(keys))
    expect(await call('get', 's3://V1/a b', to)).toMatchObject({ status: 0 })
    expect((await readFile(to)).equals(await readFile(from))).toBe(true)
    expect(await call('del', 's3://V1/a b')).toMatchObject({ status: 0 })
    expectSigned(proxy)
  })

  test('uploads in parts', async () => {
    const { proxy, call, from } = await start()
    await writeFile(from, large)
    const inParts = ['--multipart-chunk-size-mb=5', 'put', from, 's3://V1/large']
    expect(await call(...inParts)).toMatchObject({ status: 0 })
    await expectUploaded(proxy, 'large', large)
  })
})

describe.runIf(hasRclone)('rclone', () => {
  test('copies a folder there and back', async () => {
    const proxy = await startProxy()
    const folder = await emptyFolder()
    const names = ['plain.txt', 'a b', 'a+b', "it's (1)!"]
    const data = randomBytes(200_000)
    const { mkdir } = await import('node:fs/promises')
    await mkdir(join(folder, 'from'))
    for (const name of names) await writeFile(join(folder, 'from', name), data)
    const remote = {
      RCLONE_CONFIG_SVC_TYPE: 's3',
      RCLONE_CONFIG_SVC_PROVIDER: 'Other',
      RCLONE_CONFIG_SVC_ENDPOINT: proxy.proxyUrl,
      RCLONE_CONFIG_SVC_ACCESS_KEY_ID: placeholderKey.accessKeyId,
      RCLONE_CONFIG_SVC_SECRET_ACCESS_KEY: placeholderKey.secretAccessKey,
      RCLONE_CONFIG_SVC_FORCE_PATH_STYLE: 'true',
      RCLONE_CONFIG: '/dev/null',
      // It takes none of its own.
      AWS_CA_BUNDLE: '',
    }
    const call = (...args: string[]) =>
      run('rclone', [...args, '--retries', '1', '--s3-no-check-bucket'], '', remote)
    expect(await call('copy', join(folder, 'from'), 'svc:V1/there')).toMatchObject({
      status: 0,
      stderr: '',
    })
    expect(await call('copy', 'svc:V1/there', join(folder, 'to'))).toMatchObject({ status: 0 })
    for (const name of names) {
      expect((await readFile(join(folder, 'to', name))).equals(data)).toBe(true)
    }
    expectSigned(proxy)
    await writeFile(join(folder, 'large'), large)
    const inParts = ['--s3-upload-cutoff=5Mi', '--s3-chunk-size=5Mi']
    expect(await call('copy', join(folder, 'large'), 'svc:V1', ...inParts)).toMatchObject({
      status: 0,
      stderr: '',
    })
    await expectUploaded(proxy, 'large', large)
  })
})

describe.runIf(hasAws)('the AWS command line', () => {
  const start = async () => {
    const proxy = await startProxy()
    const folder = await emptyFolder()
    const environment = {
      AWS_ACCESS_KEY_ID: placeholderKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: placeholderKey.secretAccessKey,
      AWS_DEFAULT_REGION: 'us-east-1',
      ...withoutFiles,
    }
    const call = (...args: string[]) =>
      run(aws, ['--endpoint-url', proxy.proxyUrl, 's3', ...args], '', environment)
    return { proxy, call, from: join(folder, 'from'), to: join(folder, 'to') }
  }

  test('copies a file there and back, and presigns', async () => {
    const { proxy, call, from, to } = await start()
    await writeFile(from, randomBytes(200_000))
    expect(await call('cp', from, 's3://V1/a b+c')).toMatchObject({ status: 0 })
    expect(await call('cp', 's3://V1/a b+c', to)).toMatchObject({ status: 0 })
    expect((await readFile(to)).equals(await readFile(from))).toBe(true)
    const { stdout: url } = await call('presign', 's3://V1/a b+c')
    expect((await fetch(url.trim())).status).toBe(200)
    expectSigned(proxy)
  })

  test('uploads in parts from 8 MiB on', async () => {
    const { proxy, call, from } = await start()
    const more = Buffer.concat([large, large])
    await writeFile(from, more)
    expect(await call('cp', from, 's3://V1/large')).toMatchObject({ status: 0 })
    await expectUploaded(proxy, 'large', more)
  })
})
