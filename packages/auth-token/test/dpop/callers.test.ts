import { authFetch } from '@svc/auth-token'
import { describe, expect, test } from 'vitest'
import { serve } from '../../../auth-hooks/test/support/server.ts'
import { turnedTime } from '../support/time.ts'
import { awaitNonce, type Server } from '../testing.ts'
import { readProof, type ResourceWorld } from './support/resource-server.ts'
import { boundService, withNonces } from './support/sessions.ts'

type Send = (path: string) => Promise<Response>

/** Resolves to the statuses of 200 calls at the same time. */
const burst = async (send: Send): Promise<Set<number>> => {
  const calls = Array.from({ length: 200 }, (_, at) => send(`/${at}`))
  return new Set((await Promise.all(calls)).map(({ status }) => status))
}

/** The number of requests that were refused since they had another nonce. */
const challenges = (problems: readonly unknown[]): number =>
  problems.filter((problem) => problem === 'use_dpop_nonce').length

async function manyCallers(world: Partial<ResourceWorld>) {
  const service = await boundService(world, { features: withNonces })
  const time = turnedTime()
  const auth = service.session({ proofs: { clock: time.clock } })
  return { ...service, time, send: authFetch(auth, { baseUrl: service.resource.origin }) }
}

describe('200 callers', () => {
  test('cost one login and one request more for the nonce', async () => {
    const { server, resource, send } = await manyCallers({ nonces: 'one' })
    expect(await burst(send)).toEqual(new Set([200]))
    expect(resource.served).toHaveLength(201)
    expect(challenges(resource.problems())).toBe(1)
    expect(server.tokenRequests).toHaveLength(2)
    const ids = resource.proofs().map(({ payload }) => payload.jti)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('cost no request more once the nonce is known', async () => {
    const { resource, send } = await manyCallers({ nonces: 'one' })
    await send('/')
    const { length } = resource.served
    expect(await burst(send)).toEqual(new Set([200]))
    expect(resource.served).toHaveLength(length + 200)
  })

  test('cost one more where the nonce ran out while nobody called', async () => {
    const { resource, send, time } = await manyCallers({ nonces: 'one' })
    await send('/')
    time.now += 60_000
    Object.assign(resource.world, { nonce: 'another', skewMs: 60_000 })
    const { length } = resource.served
    expect(await burst(send)).toEqual(new Set([200]))
    expect(resource.served).toHaveLength(length + 201)
  })

  test('cost at most one more each where a server takes each nonce once', async () => {
    const { server, resource, send } = await manyCallers({ nonces: 'each' })
    expect(await burst(send)).toEqual(new Set([200]))
    expect(resource.served.length).toBeLessThanOrEqual(400)
    expect(server.tokenRequests).toHaveLength(2)
  })

  test('of a server without nonces wait for its first response alone', async () => {
    const { session } = await boundService()
    let waiting: (() => void)[] = []
    const server = await serve(({ count }, response) => {
      if (count === 1) response.end()
      else waiting.push(() => response.end())
      if (waiting.length < 199) return
      for (const respond of waiting) respond()
      waiting = []
    })
    const send = authFetch(session({ baseUrl: server.origin }), { baseUrl: server.origin })
    expect(await burst(send)).toEqual(new Set([200]))
    expect(server.arrived).toHaveLength(200)
  })
})

describe('a first request without a response', () => {
  test('keeps the others for a while, and only once', async () => {
    const server: Server = { skewMs: 0 }
    const [now, longestMs] = [1_800_000_000_000, 50]
    const timed = async (): Promise<number> => {
      const startedAt = performance.now()
      await awaitNonce(server, now, longestMs)
      return performance.now() - startedAt
    }
    expect(await timed()).toBeLessThan(longestMs / 2)
    const waited = await Promise.all([timed(), timed(), timed()])
    for (const ms of waited) expect(ms).toBeGreaterThan(longestMs / 2)
    expect(await timed()).toBeLessThan(longestMs / 2)
  })

  test('keeps none of another server', async () => {
    const { session } = await boundService()
    const idle = await serve(() => {})
    const server = await serve()
    const auth = session({ baseUrl: idle.origin, origins: [server.origin] })
    const controller = new AbortController()
    const poll = authFetch(auth)(idle.origin, { signal: controller.signal }).catch(() => 'aborted')
    await expect.poll(() => idle.arrived.length).toBe(1)
    expect((await authFetch(auth)(server.origin)).status).toBe(200)
    controller.abort()
    expect(await poll).toBe('aborted')
  })

  test('since its connection broke fails alone', async () => {
    const { resource, session } = await boundService({ nonces: 'one' })
    const server = await serve(({ count, headers }, response) => {
      const { nonce } = readProof(headers['dpop']).payload
      const demand = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n' }
      if (count === 1) response.destroy()
      else response.writeHead(nonce === 'n' ? 200 : 401, nonce === 'n' ? {} : demand).end()
    })
    const send = authFetch(session({ baseUrl: server.origin }), { baseUrl: server.origin })
    const calls = [1, 2, 3].map(() =>
      send('/').then(
        ({ status }) => status,
        () => 'failed',
      ),
    )
    expect(await Promise.all(calls)).toEqual(['failed', 200, 200])
    expect(resource.served).toEqual([])
  })
})
