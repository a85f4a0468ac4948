import { CreateBucketCommand, ListBucketsCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isNightly } from '../../../../tests/support/nightly.ts'
import {
  type ObjectStore,
  type ObjectStoreKind,
  objectStores,
} from '../../../../tests/support/object-store.ts'
import { placeholderKey } from '../support/proxy-environment.ts'
import { startProcess } from '../support/start-proxy-process.ts'
import { describePrograms } from './support/programs.ts'
import { allKeys, createSdkClient, type StoreKind } from './support/s3-store.ts'
import { describeSdk } from './support/sdk.ts'

// The tools of s3-tools.test.ts, with object stores that others wrote.

describe.each(objectStores)('$name', (kind) => {
  describe.runIf(isNightly && kind.isInstalled())('through a proxy', () => {
    describeStore(kind)
  })
})

function describeStore({ start, trailerRefusal }: ObjectStoreKind): void {
  let store: ObjectStore
  let buckets = 0
  beforeAll(async () => {
    store = await start()
  }, 60_000)
  afterAll(() => store.stop())

  const kind: StoreKind = {
    trailerRefusal,
    start: async () => {
      const { url: serviceUrl, accessKeyId, secretAccessKey } = store
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
    const refused = createSdkClient(store.url, placeholderKey).send(new ListBucketsCommand({}))
    await expect(refused).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
  })

  describeSdk(kind, allKeys)
  describePrograms(kind, allKeys)
}
