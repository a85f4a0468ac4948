import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { AuthError, authFetch, createServiceAuth } from '@svc/service-auth'
import { test } from '@svc/emulator/vitest'
import { expect } from 'vitest'
import { account, wrongAccount } from '../works-with/account.ts'

/* oxlint-disable vitest/no-standalone-expect -- `test` is that of the emulator */

function connect(baseUrl: string, given = account) {
  const { region, apiKey } = given
  const auth = createServiceAuth({ baseUrl, ...given })
  // #region client-s3
  const serviceFetch = authFetch(auth, { baseUrl })
  const s3 = new S3Client({ endpoint: baseUrl, region, credentials: apiKey, forcePathStyle: true })
  const store = (name: string) =>
    Promise.all([
      serviceFetch(`/V1/ours/${name}`, { method: 'PUT', body: name }),
      s3.send(new PutObjectCommand({ Bucket: 'V1', Key: `theirs/${name}`, Body: name })),
    ])
  // #endregion
  return { serviceFetch, s3, store }
}

test('each reads what the other stored, and every signature holds', async ({
  emulator,
  service,
}) => {
  const { serviceFetch, s3, store } = connect(service.baseUrl)
  const names = Array.from({ length: 20 }, (_, index) => `a b+(${index}).csv`)
  await Promise.all(names.map(store))
  for (const name of names) {
    const theirs = await serviceFetch(`/V1/theirs/${encodeURIComponent(name)}`)
    expect(await theirs.text()).toBe(name)
    const ours = await s3.send(new GetObjectCommand({ Bucket: 'V1', Key: `ours/${name}` }))
    expect(await ours.Body?.transformToString()).toBe(name)
  }
  expect(emulator.requests).toHaveLength(80)
  expect(emulator.requests.filter(({ auth }) => !auth.ok)).toEqual([])
  s3.destroy()
})

test('a wrong clock of the service is learnt by each on its own', async ({ emulator, service }) => {
  const { s3, store } = connect(service.baseUrl)
  emulator.fault({ skewMs: 3_600_000 })
  await store('a')
  await store('b')
  expect(emulator.requests.slice(-2).map(({ auth }) => auth.ok)).toEqual([true, true])
  s3.destroy()
})

test('a refused login of ours, and an abort, leave the other alone', async ({
  emulator,
  service,
}) => {
  const { serviceFetch, s3, store } = connect(service.baseUrl, wrongAccount)
  await expect(serviceFetch('/user/groups')).rejects.toBeInstanceOf(AuthError)
  await expect(serviceFetch('/V1/a', { signal: AbortSignal.abort() })).rejects.toThrow('abort')
  await store('a')
  expect(emulator.requests.map(({ status }) => status)).toEqual([401, 200, 200])
  s3.destroy()
})
