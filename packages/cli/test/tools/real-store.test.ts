import { CreateBucketCommand, ListBucketsCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isNightly } from '../../../../tests/support/nightly.ts'
import {
  hasObjectStore,
  type ObjectStore,
  startObjectStore,
} from '../../../../tests/support/object-store.ts'
import { placeholderKey } from '../support/proxy-environment.ts'
import { startProcess } from '../support/start-proxy-process.ts'
import { describePrograms } from './support/programs.ts'
import { allKeys, createSdkClient, type StoreKind } from './support/s3-store.ts'
import { describeSdk } from './support/sdk.ts'

// The tools of s3-tools.test.ts, with an object store that others wrote.

describe.runIf(isNightly && hasObjectStore())('Swift with s3api', () => {
  let swift: ObjectStore
  let buckets = 0
  beforeAll(async () => {
    swift = await startObjectStore()
  }, 60_000)
  afterAll(() => swift.stop())

  const kind: StoreKind = {
    // Until version 2.35, Swift refuses them.
    takesChunks: false,
    start: async () => {
      const { url: serviceUrl, accessKeyId, secretAccessKey } = swift
      const serviceKey = { accessKeyId, secretAccessKey }
      const bucket = `svc-${(buckets += 1)}`
      await createSdkClient(serviceUrl, serviceKey).send(
        new CreateBucketCommand({ Bucket: bucket }),
      )
      const { url: proxyUrl } = await startProcess({
        baseUrl: serviceUrl,
        env: {
          SVC_AUTH_ACCESS_KEY_ID: accessKeyId,
          SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey,
        },
      })
      return { proxyUrl, serviceUrl, serviceKey, bucket }
    },
  }

  test('takes no key but its own', async () => {
    const refused = createSdkClient(swift.url, placeholderKey).send(new ListBucketsCommand({}))
    await expect(refused).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
  })

  describeSdk(kind, allKeys)
  describePrograms(kind, allKeys)
})
