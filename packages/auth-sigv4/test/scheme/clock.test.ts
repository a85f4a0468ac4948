import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { createEmulator, defaultApiKeys } from '@svc/emulator'
import type { AuthEvent } from '@svc/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServiceClock } from '../testing.ts'

const minute = 60_000
const hour = 60 * minute

/** A service on a socket, and a scheme whose clock is off by so much. */
async function service(offMs: number) {
  const emulator = createEmulator()
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const events: AuthEvent[] = []
  const auth = createSigV4Auth({
    baseUrl: server.url,
    region: 'us-east-1',
    credentials: defaultApiKeys[0],
    clock: () => Date.now() + offMs,
    onEvent: (event) => events.push(event),
  })
  const url = `${server.url.origin}/V1/key`
  const adjusted = (): number => events.filter(({ type }) => type === 'clock.adjusted').length
  return { emulator, auth, fetch: authFetch(auth), url, adjusted, events }
}

describe('a clock that is off', () => {
  test.each([hour, -hour, 400 * 24 * hour])(
    'by %d ms is corrected by one replay',
    async (offMs) => {
      const { emulator, fetch, url, adjusted, events } = await service(offMs)
      expect((await fetch(url, { method: 'PUT', body: 'content' })).status).toBe(200)
      expect(emulator.requests.map(({ auth }) => auth.ok)).toEqual([false, true])
      expect(await (await fetch(url)).text()).toBe('content')
      expect(emulator.requests).toHaveLength(3)
      expect(adjusted()).toBe(1)
      const event = events.find(({ type }) => type === 'clock.adjusted')
      expect(event).toMatchObject({ scheme: 'sigv4', offsetMs: expect.closeTo(-offMs, -4) })
    },
  )

  test('is corrected once, however many requests are under way', async () => {
    const { emulator, fetch, url, adjusted } = await service(hour)
    await fetch(url, { method: 'PUT', body: 'content' })
    const many = await service(hour)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        many.fetch(url.replace(/:\d+/, `:${new URL(many.url).port}`)),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 404))
    expect(many.adjusted()).toBe(1)
    expect([emulator.requests.length, adjusted()]).toEqual([2, 1])
  })

  test('by less than what services allow is left alone', async () => {
    const { emulator, fetch, url, adjusted } = await service(3 * minute)
    emulator.fault({ path: '/V1/key', status: 403, times: 1 })
    expect((await fetch(url)).status).toBe(403)
    expect([emulator.requests.length, adjusted()]).toEqual([1, 0])
  })

  test('is known from a 400 too, and from no other refusal', async () => {
    const { emulator, fetch, url, adjusted } = await service(hour)
    emulator.fault({ path: '/V1/key', status: 401, times: 1 })
    expect((await fetch(url)).status).toBe(401)
    expect(adjusted()).toBe(0)
    emulator.fault({ path: '/V1/key', status: 400, times: 1 })
    expect((await fetch(url)).status).toBe(404)
    expect(adjusted()).toBe(1)
  })

  test('and a stream that cannot be sent again: the refusal is the response, the next is signed right', async () => {
    const { fetch, url } = await service(hour)
    const init: RequestInit & { duplex: 'half' } = {
      method: 'PUT',
      body: new Blob(['content']).stream(),
      duplex: 'half',
      headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    }
    expect((await fetch(url, init)).status).toBe(403)
    expect((await fetch(url)).status).toBe(404)
  })
})

describe('the clock of a service', () => {
  const at = Date.UTC(2026, 0, 1)
  const refusal = (offMs: number, headers: Record<string, string> = {}, status = 403) => ({
    status,
    headers: new Headers({ date: new Date(at + offMs).toUTCString(), ...headers }),
  })
  const create = () => {
    const offsets: number[] = []
    return {
      clock: createServiceClock(
        () => at,
        (offset) => offsets.push(offset),
      ),
      offsets,
    }
  }

  test('is read from Date alone: Age says how old a cached copy is', () => {
    const { clock, offsets } = create()
    expect(clock.learn(refusal(hour, { age: '3600' }), clock.now())).toBe(true)
    expect(offsets).toEqual([hour])
  })

  test.each(['', 'yesterday', 'NaN'])('is not read from a Date that says %j', (date) => {
    const { clock, offsets } = create()
    expect(clock.learn(refusal(0, { date }), clock.now())).toBe(false)
    expect(offsets).toEqual([])
  })

  test('is not read where a refusal has no Date', () => {
    const { clock, offsets } = create()
    expect(clock.learn({ status: 403, headers: new Headers() }, clock.now())).toBe(false)
    expect(offsets).toEqual([])
  })

  test('is taken back where it did not help, and kept once it did', () => {
    const { clock, offsets } = create()
    clock.learn(refusal(hour), clock.now())
    clock.learn(refusal(hour, {}, 503), clock.now())
    clock.learn(refusal(hour, {}, 401), clock.now())
    const others = clock.now()
    // The clock is another one again, so that what was signed by the wrong one is worth a replay.
    expect(clock.learn(refusal(hour), clock.now())).toBe(true)
    expect(clock.learn(refusal(hour), others)).toBe(true)
    expect(clock.now().at).toBe(at)
    clock.learn(refusal(hour), clock.now())
    clock.learn(refusal(hour, {}, 200), clock.now())
    clock.learn(refusal(hour), clock.now())
    expect(clock.now().at).toBe(at + hour)
    expect(offsets).toEqual([hour, 0, hour])
  })

  test('is kept where a refusal does not tell the time', () => {
    const { clock, offsets } = create()
    clock.learn(refusal(hour), clock.now())
    expect(clock.learn({ status: 403, headers: new Headers() }, clock.now())).toBe(false)
    expect(offsets).toEqual([hour])
  })

  test('is another one from more than 4 minutes on', () => {
    const { clock, offsets } = create()
    expect(clock.learn(refusal(4 * minute), clock.now())).toBe(false)
    expect(clock.learn(refusal(-4 * minute), clock.now())).toBe(false)
    expect(clock.learn(refusal(4 * minute + 1000), clock.now())).toBe(true)
    expect(offsets).toEqual([4 * minute + 1000])
  })

  test.each([
    [200, true],
    [299, true],
    [304, true],
    [404, true],
    [409, true],
    [412, true],
    [416, true],
    [199, false],
    [300, false],
    [401, false],
    [429, false],
    [500, false],
  ])('is held to be right after %i: %s', (status, isProof) => {
    const { clock } = create()
    clock.learn(refusal(hour), clock.now())
    clock.learn(refusal(hour, {}, status), clock.now())
    clock.learn(refusal(hour), clock.now())
    expect(clock.now().offsetMs).toBe(isProof ? hour : 0)
  })

  test('is no reason for another attempt where it is again the one that was signed with', () => {
    const { clock } = create()
    clock.learn(refusal(hour), clock.now())
    const signed = clock.now()
    clock.learn(refusal(hour), signed)
    clock.learn(refusal(hour), clock.now())
    expect(clock.now().offsetMs).toBe(hour)
    expect(clock.learn(refusal(hour), signed)).toBe(false)
  })

  test('is not spoilt by late responses to requests that were signed before', () => {
    const { clock, offsets } = create()
    const signed = clock.now()
    expect(clock.learn(refusal(hour), signed)).toBe(true)
    expect(clock.learn(refusal(hour), signed)).toBe(true)
    expect(clock.learn(refusal(0, {}, 200), signed)).toBe(false)
    expect(clock.learn(refusal(0), signed)).toBe(false)
    expect(offsets).toEqual([hour])
  })

  test('is by when the response came, not by when a long upload was signed', () => {
    let now = at
    const clock = createServiceClock(
      () => now,
      () => expect.unreachable(),
    )
    const signed = clock.now()
    now += hour
    const late = { status: 403, headers: new Headers({ date: new Date(now).toUTCString() }) }
    expect(clock.learn(late, signed)).toBe(false)
  })
})
