import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  ChecksumAlgorithm,
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
  expectSigned,
  expectStored,
  expectUploaded,
  large,
  minPart,
  readObject,
  sorted,
  type StoreKind,
} from './s3-store.ts'

/** How Swift refuses a body in chunks, before version 2.35. */
const chunksRefused = { name: 'NotImplemented', $metadata: { httpStatusCode: 501 } }

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

    test.each(kind.takesChunks ? trailers : [])(
      'streams with %s as a trailer, which is verified and goes on',
      async (algorithm) => {
        const { store, client, data, put } = await streamed(algorithm, 300_000)
        await client.send(put)
        const headers = store.requests?.at(-1)?.headers ?? {}
        if (store.requests) {
          expect(headers['x-amz-trailer']).toBe(`x-amz-checksum-${algorithm.toLowerCase()}`)
          expect(headers['x-amz-decoded-content-length']).toBe('300000')
        }
        await expectStored(store, 'a', data)
      },
    )

    test.each(kind.takesChunks ? [] : trailers)(
      'learns from a stream with %s as a trailer that the store takes no chunks',
      async (algorithm) => {
        const { client, put } = await streamed(algorithm, 300_000)
        await expect(client.send(put)).rejects.toMatchObject(chunksRefused)
      },
    )

    test.each(trailers)(
      'streams a body of at most 64 KiB with %s as a trailer, which goes on as a header',
      async (algorithm) => {
        const { store, client, data, put } = await streamed(algorithm, 60_000)
        await client.send(put)
        if (store.requests) {
          const { headers } = store.requests.at(-1) ?? {}
          expect(headers).toHaveProperty(`x-amz-checksum-${algorithm.toLowerCase()}`)
          expect(headers).not.toHaveProperty('x-amz-trailer')
        }
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
    test.each(bodies.slice(0, atNight(undefined, 2)))(
      '%s with %s',
      async (name, checksum, bodyOf) => {
        const isNamed = checksum === 'SHA256' || checksum === 'CRC32'
        const algorithm = isNamed ? { ChecksumAlgorithm: checksum } : {}
        const policy = checksum === 'no checksum' ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED'
        const { store, client } = await start(kind, policy)
        const object = { Bucket: store.bucket, Key: 'large' }
        const created = await client.send(
          new CreateMultipartUploadCommand({ ...object, ...algorithm }),
        )
        const { UploadId } = created
        const upload = async (part: Buffer, PartNumber: number) => {
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
          return { PartNumber, ...digests }
        }
        const isChunked = name === 'streams' && checksum !== 'no checksum'
        if (isChunked && !kind.takesChunks) {
          await expect(upload(large, 1)).rejects.toMatchObject(chunksRefused)
          return
        }
        const Parts = [
          await upload(large.subarray(0, minPart), 1),
          await upload(large.subarray(minPart), 2),
        ]
        await client.send(
          new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }),
        )
        await expectUploaded(store, 'large', large)
      },
    )
  })
}

async function start(kind: StoreKind, policy?: ChecksumPolicy) {
  const store = await kind.start()
  return { store, client: createSdkClient(store.proxyUrl, placeholderKey, policy) }
}
