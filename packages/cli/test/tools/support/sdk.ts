import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  ChecksumAlgorithm,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { describe, expect, test } from 'vitest'
import { atNight } from '../../../../../tests/support/nightly.ts'
import { placeholderKey } from '../../support/proxy-environment.ts'
import {
  type ChecksumPolicy,
  createSdkClient,
  expectLastHeaders,
  expectSigned,
  expectStored,
  expectUploaded,
  large,
  minPart,
  readObject,
  sorted,
  type StoreKind,
} from './s3-store.ts'

/** Describes the AWS SDK for JavaScript with a kind of store, through a proxy. */
export function describeSdk(kind: StoreKind, keys: readonly string[]): void {
  describe('the AWS SDK for JavaScript', () => {
    test('puts, gets and lists', async () => {
      const { store, client } = await start(kind)
      const Bucket = store.bucket
      for (const Key of keys) {
        await client.send(new PutObjectCommand({ Bucket, Key, Body: `body of ${Key}` }))
        expect((await readObject(client, Bucket, Key)).toString()).toBe(`body of ${Key}`)
        await expectStored(store, Key, Buffer.from(`body of ${Key}`))
      }
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }))
      expect(sorted(Contents.map(({ Key }) => Key))).toEqual(sorted(keys))
      expectSigned(store)
    })

    const algorithms = Object.values(ChecksumAlgorithm).filter((name) =>
      /^(CRC|SHA1$|SHA256$)/.test(name),
    )
    const trailers = atNight(algorithms, algorithms.slice(0, 2))
    const streamed = async (algorithm: ChecksumAlgorithm, size: number) => {
      const { store, client } = await start(kind)
      const data = randomBytes(size)
      const object = { Bucket: store.bucket, Key: 'a', ChecksumAlgorithm: algorithm }
      const Body = Readable.from([data.subarray(0, size / 3), data.subarray(size / 3)])
      const put = new PutObjectCommand({ ...object, Body, ContentLength: size })
      return { store, client, data, put }
    }

    test.each(kind.trailerRefusal ? [] : trailers)(
      'streams with %s as a trailer, which is verified and goes on',
      async (algorithm) => {
        const { store, client, data, put } = await streamed(algorithm, 300_000)
        await expect(client.send(put)).resolves.toBeDefined()
        expectLastHeaders(store, {
          'x-amz-trailer': `x-amz-checksum-${algorithm.toLowerCase()}`,
          'x-amz-decoded-content-length': '300000',
        })
        await expectStored(store, 'a', data)
      },
    )

    test.each(kind.trailerRefusal ? trailers : [])(
      'learns from a stream with %s as a trailer that the store takes none',
      async (algorithm) => {
        const { store, client, put } = await streamed(algorithm, 300_000)
        await expect(client.send(put)).rejects.toMatchObject(refusalOf(kind))
        const read = readObject(client, store.bucket, 'a')
        await expect(read).rejects.toMatchObject({ name: 'NoSuchKey' })
      },
    )

    test.each(trailers)(
      'streams a body of at most 64 KiB with %s as a trailer, which goes on as a header',
      async (algorithm) => {
        const { store, client, data, put } = await streamed(algorithm, 60_000)
        await client.send(put)
        expectLastHeaders(store, {
          [`x-amz-checksum-${algorithm.toLowerCase()}`]: expect.any(String),
          'x-amz-trailer': undefined,
        })
        await expectStored(store, 'a', data)
      },
    )
  })

  describe('the AWS SDK for JavaScript uploads in parts', () => {
    const whole = (part: Buffer): Buffer => part
    const inPieces = (part: Buffer): Readable =>
      Readable.from([part.subarray(0, 100_000), part.subarray(100_000)])
    const bodies = [
      ['buffers', 'SHA256', whole],
      ['streams', 'CRC32', inPieces],
      ['buffers', 'its default checksum', whole],
      ['buffers', 'CRC32', whole],
      ['streams', 'its default checksum', inPieces],
      ['streams', 'SHA256', inPieces],
      ['buffers', 'no checksum', whole],
      ['streams', 'no checksum', inPieces],
    ] as const
    const tried = bodies.slice(0, atNight(undefined, 2))
    const isRefused = ([name, checksum]: (typeof bodies)[number]): boolean =>
      kind.trailerRefusal !== undefined && name === 'streams' && checksum !== 'no checksum'

    test.each(tried.filter((body) => !isRefused(body)))(
      '%s with %s',
      async (_name, checksum, bodyOf) => {
        const { store, upload, complete } = await startUpload(kind, checksum)
        const Parts = [
          await upload(bodyOf(large.subarray(0, minPart)), 1, minPart),
          await upload(bodyOf(large.subarray(minPart)), 2, large.byteLength - minPart),
        ]
        await expect(complete(Parts)).resolves.toBeDefined()
        await expectUploaded(store, 'large', large)
      },
    )

    test.each(tried.filter((body) => isRefused(body)))(
      '%s with %s, and learns that the store takes no trailer',
      async (_name, checksum, bodyOf) => {
        const { upload } = await startUpload(kind, checksum)
        const refused = upload(bodyOf(large), 1, large.byteLength)
        await expect(refused).rejects.toMatchObject(refusalOf(kind))
      },
    )

    // The proxy sends the checksum of a short stream as a header, which every store takes.
    test.each(atNight(['CRC32', 'SHA256'] as const, ['CRC32'] as const))(
      'a buffer, and a last part of 60 kB as a stream, with %s',
      async (checksum) => {
        const { store, upload, complete } = await startUpload(kind, checksum)
        const data = large.subarray(0, minPart + 60_000)
        const Parts = [
          await upload(data.subarray(0, minPart), 1, minPart),
          await upload(inPieces(data.subarray(minPart)), 2, 60_000),
        ]
        await expect(complete(Parts)).resolves.toBeDefined()
        await expectUploaded(store, 'large', data)
      },
    )
  })
}

/** The error of the SDK for a body with a trailer. */
function refusalOf({ trailerRefusal }: StoreKind): object {
  return { name: trailerRefusal?.code, $metadata: { httpStatusCode: trailerRefusal?.status } }
}

async function start(kind: StoreKind, policy?: ChecksumPolicy) {
  const store = await kind.start()
  return { store, client: createSdkClient(store.proxyUrl, placeholderKey, policy) }
}

type Checksum = 'SHA256' | 'CRC32' | 'its default checksum' | 'no checksum'

/** Begins an upload in parts, which have a checksum by this name. */
async function startUpload(kind: StoreKind, checksum: Checksum) {
  const isNamed = checksum === 'SHA256' || checksum === 'CRC32'
  const algorithm = isNamed ? { ChecksumAlgorithm: checksum } : {}
  const policy = checksum === 'no checksum' ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED'
  const { store, client } = await start(kind, policy)
  const object = { Bucket: store.bucket, Key: 'large' }
  const created = await client.send(new CreateMultipartUploadCommand({ ...object, ...algorithm }))
  const { UploadId } = created
  const upload = async (Body: Buffer | Readable, PartNumber: number, ContentLength: number) => {
    const part = { ...object, ...algorithm, UploadId, PartNumber, Body, ContentLength }
    const { $metadata: _, ...digests } = await client.send(new UploadPartCommand(part))
    return { PartNumber, ...digests }
  }
  const complete = (Parts: CompletedPart[]) =>
    client.send(
      new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }),
    )
  return { store, upload, complete }
}
