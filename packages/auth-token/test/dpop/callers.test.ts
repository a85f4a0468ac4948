import { authFetch } from '@svc/auth-token'
import { describe, expect, test } from 'vitest'
import { serve } from '../../../auth-hooks/test/support/server.ts'
import { manualTime } from '../support/time.ts'
import { readProof, type ResourceWorld } from './support/resource-server.ts'
import { boundService, withNonces } from './support/sessions.ts'

const demand = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n' }

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
  const time = manualTime(Date.now())
  const auth = service.session({ clock: time.clock })
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
    await time.advance(60_000)
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
  test('is given a second, and then the next one asks', async () => {
    const { session } = await boundService()
    const held: (() => void)[] = []
    const server = await serve(({ path, headers }, response) => {
      const isGood = readProof(headers['dpop']).payload.nonce === 'n'
      const respond = (): unknown => (isGood ? response : response.writeHead(401, demand)).end()
      if (path === '/slow' || path === '/lost') held.push(respond)
      else respond()
    })
    const time = manualTime(Date.now())
    const auth = session({ baseUrl: server.origin, clock: time.clock })
    await auth.getToken()
    const send = authFetch(auth, { baseUrl: server.origin })
    const slow = send('/slow')
    await expect.poll(() => server.arrived.length).toBe(1)
    const others = Array.from({ length: 20 }, async (_, at) => (await send(`/${at}`)).status)
    await time.advance(999)
    expect(server.arrived).toHaveLength(1)
    await time.advance(1)
    expect(new Set(await Promise.all(others))).toEqual(new Set([200]))
    expect(server.arrived).toHaveLength(22)
    held.pop()?.()
    await expect.poll(() => held.length).toBe(1)
    held.pop()?.()
    expect((await slow).status).toBe(200)
    expect(time.waiting).toBe(0)
  })

  test('keeps none for more than two seconds, however many there are', async () => {
    const { session } = await boundService()
    const silent = await serve(() => {})
    const time = manualTime(Date.now())
    const auth = session({ baseUrl: silent.origin, clock: time.clock })
    await auth.getToken()
    const send = authFetch(auth, { baseUrl: silent.origin })
    const controller = new AbortController()
    const { signal } = controller
    const calls = Array.from({ length: 20 }, (_, at) => send(`/${at}`, { signal }).catch(() => at))
    await time.advance(2000)
    await expect.poll(() => silent.arrived.length).toBe(20)
    controller.abort()
    expect(await Promise.all(calls)).toHaveLength(20)
  })

  test('keeps no one who gave up, nor those behind', async () => {
    const { session } = await boundService({ nonces: 'one' })
    const silent = await serve(({ path, headers }, response) => {
      if (path === '/first') return
      const isGood = readProof(headers['dpop']).payload.nonce === 'n'
      response.writeHead(isGood ? 200 : 401, isGood ? {} : demand).end()
    })
    const { clock } = manualTime(Date.now())
    const auth = session({ baseUrl: silent.origin, clock })
    await auth.getToken()
    const send = authFetch(auth, { baseUrl: silent.origin })
    const [first, second] = [new AbortController(), new AbortController()]
    const asking = send('/first', { signal: first.signal }).catch(() => 'gone')
    await expect.poll(() => silent.arrived.length).toBe(1)
    const waiting = send('/second', { signal: second.signal }).catch(() => 'gone')
    const others = ['/a', '/b', '/c'].map(async (path) => (await send(path)).status)
    second.abort()
    expect(await waiting).toBe('gone')
    first.abort()
    expect(await asking).toBe('gone')
    expect(await Promise.all(others)).toEqual([200, 200, 200])
    expect(silent.arrived).toHaveLength(5)
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
