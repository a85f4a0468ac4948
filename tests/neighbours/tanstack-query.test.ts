import { AuthError, authFetch, createServiceAuth } from '@svc/service-auth'
import { test } from '@svc/emulator/vitest'
import { CancelledError, QueryClient } from '@tanstack/query-core'
import { expect, vi } from 'vitest'
import { account, wrongAccount } from '../works-with/account.ts'

/* oxlint-disable vitest/no-standalone-expect -- `test` is that of the emulator */

function connect(baseUrl: string, given = account) {
  const auth = createServiceAuth({ baseUrl, ...given })
  const serviceFetch = authFetch(auth, { baseUrl })
  const tried = vi.fn<() => void>()
  // #region tanstack-query
  const retry = (count: number, error: Error) => !AuthError.is(error) && count < 3
  const client = new QueryClient({ defaultOptions: { queries: { retry } } })
  // #endregion
  const read = (path: string) =>
    client.fetchQuery({
      queryKey: [path],
      async queryFn({ signal }) {
        tried()
        const response = await serviceFetch(path, { signal })
        if (!response.ok) throw new Error(`${path}: ${response.status}`)
        return response.json()
      },
      retryDelay: 10,
    })
  return { client, read, tried }
}

test('queries at the same time share one login', async ({ emulator, service }) => {
  const { read } = connect(service.baseUrl)
  const paths = ['/user/groups', '/user/groups?a', '/user/groups?b']
  for (const groups of await Promise.all(paths.map(read))) expect(groups).toHaveLength(2)
  expect(emulator.logins).toBe(1)
})

test('a query is signed, as is each of its retries', async ({ emulator, service }) => {
  const { read, tried } = connect(service.baseUrl)
  await expect(read('/V1/a.json')).rejects.toThrow('/V1/a.json: 404')
  expect(tried).toHaveBeenCalledTimes(4)
  expect(emulator.requests.map(({ auth }) => auth.ok)).toEqual([true, true, true, true])
})

test('the retries that components have by default send nothing after a refused login', async ({
  emulator,
  service,
}) => {
  const { client, read, tried } = connect(service.baseUrl, wrongAccount)
  client.setDefaultOptions({ queries: { retry: 3 } })
  await expect(read('/user/groups')).rejects.toBeInstanceOf(AuthError)
  expect(tried).toHaveBeenCalledTimes(4)
  expect(emulator.requests).toHaveLength(1)
})

test('a refused login is not retried', async ({ emulator, service }) => {
  const { read, tried } = connect(service.baseUrl, wrongAccount)
  await expect(read('/user/groups')).rejects.toBeInstanceOf(AuthError)
  expect(tried).toHaveBeenCalledOnce()
  expect(emulator.requests).toHaveLength(1)
})

const ended = vi.fn<() => void>()
const watched = test.extend({ emulatorOptions: { onRequest: ended } })

watched('a query that is cancelled ends its request', async ({ emulator, service }) => {
  emulator.fault({ path: '/user/groups', latencyMs: 3_600_000 })
  const { client, read } = connect(service.baseUrl)
  const reading = read('/user/groups').catch((error: unknown) => error)
  await vi.waitUntil(() => emulator.requests.length === 2, 30_000)
  await client.cancelQueries()
  expect(await reading).toBeInstanceOf(CancelledError)
  await vi.waitUntil(() => ended.mock.calls.length === 2, 30_000)
})
