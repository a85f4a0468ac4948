import { authFetch, createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { streaming } from '@svc/auth-sigv4/streaming'
import { createEmulator, defaultApiKeys } from '@svc/emulator'
import type { AuthEvent, OutgoingBody, OutgoingRequest } from '@svc/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveOnLoopback } from '../support/loopback.ts'
import { createServiceClocks } from '../testing.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

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
  test.each([hour, -hour, day - minute, minute - day])(
    'by %d ms is corrected by one replay',
    async (offMs) => {
      const { emulator, fetch, url, adjusted, events } = await service(offMs)
      expect((await fetch(url, { method: 'PUT', body: 'content' })).status).toBe(200)
      expect(emulator.requests.map(({ auth }) => auth.ok)).toEqual([false, true])
      expect(await (await fetch(url)).text()).toBe('content')
      expect(emulator.requests).toHaveLength(3)
      expect(adjusted()).toBe(1)
      const event = events.find(({ type }) => type === 'clock.adjusted')
      const { origin } = new URL(url)
      expect(event).toMatchObject({ scheme: 'sigv4', origin, offsetMs: expect.closeTo(-offMs, -4) })
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

  test.each([day + minute, -day - minute, 400 * day])(
    'by %d ms, a day or more, is no clock that a response may set',
    async (offMs) => {
      const { emulator, fetch, url, adjusted } = await service(offMs)
      expect((await fetch(url)).status).toBe(403)
      expect([emulator.requests.length, adjusted()]).toEqual([1, 0])
    },
  )

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
    const { emulator, fetch, url } = await service(hour)
    expect((await fetch(url, streamInit())).status).toBe(403)
    expect((await fetch(url, streamInit())).status).toBe(200)
    expect((await fetch(url)).status).toBe(200)
    expect(emulator.requests.map(({ auth }) => auth.ok)).toEqual([false, true, true])
  })
})

/** A service on a socket that refuses everything, by a clock that is off by so much. */
function refusingOrigin(offMs: number): Promise<string> {
  return serveOnLoopback((incoming, outgoing) => {
    incoming.resume()
    outgoing.writeHead(403, { date: new Date(Date.now() + offMs).toUTCString() }).end()
  })
}

/** How far a presigned URL and an explanation of now are dated from now. */
async function datedOff(auth: ReturnType<typeof createSigV4Auth>, url: string): Promise<number[]> {
  const link = await presign(auth, url)
  const { headers } = await explain(auth, url)
  return [link.searchParams.get('X-Amz-Date'), headers.get('x-amz-date')].map((date) => {
    const [, ...parts] = /^(....)(..)(..)T(..)(..)(..)Z$/.exec(String(date)) ?? []
    const [year = 0, month = 0, ...rest] = parts.map(Number)
    return Date.UTC(year, month - 1, ...rest) - Date.now()
  })
}

const closeToNow = [expect.closeTo(0, -4), expect.closeTo(0, -4)]

/** An upload that can be sent only once. */
function streamInit(): RequestInit & { duplex: 'half' } {
  return {
    method: 'PUT',
    body: new Blob(['content']).stream(),
    duplex: 'half',
    headers: { 'content-length': '7', 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  }
}

describe('the Date of one covered origin', () => {
  const setUp = async (offMs: number, options: Partial<SigV4AuthOptions> = {}) => {
    const emulator = createEmulator()
    const server = await emulator.listen()
    onTestFinished(() => server.close())
    const wrong = `${await refusingOrigin(offMs)}/V1/key`
    const events: AuthEvent[] = []
    const auth = createSigV4Auth({
      baseUrl: server.url,
      origins: [new URL(wrong).origin],
      region: 'us-east-1',
      credentials: defaultApiKeys[0],
      onEvent: (event) => events.push(event),
      ...options,
    })
    const right = `${server.url.origin}/V1/key`
    return { emulator, auth, fetch: authFetch(auth), wrong, right, events }
  }

  test.each([2 * hour, -2 * hour, -25 * 365 * day])(
    'that is %d ms off dates nothing of another',
    async (offMs) => {
      const { auth, fetch, wrong, right, events } = await setUp(offMs)
      const statuses: number[] = []
      for (let round = 0; round < 3; round += 1) {
        statuses.push((await fetch(wrong)).status)
        statuses.push((await fetch(wrong, streamInit())).status)
        statuses.push((await fetch(right, streamInit())).status)
        expect(await datedOff(auth, right)).toEqual(closeToNow)
      }
      expect(statuses).toEqual([403, 403, 200, 403, 403, 200, 403, 403, 200])
      // Nor its own, since no request has been accepted by that clock.
      expect(await datedOff(auth, wrong)).toEqual(closeToNow)
      expect(events.filter(({ type }) => type === 'clock.adjusted')).toEqual([])
    },
  )

  test('dates no chunk of an upload to another', async () => {
    const { auth, wrong, right } = await setUp(2 * hour, { payload: streaming() })
    const fetch = authFetch(auth)
    const headers = { 'content-length': '7' }
    for (let round = 0; round < 3; round += 1) {
      expect((await fetch(wrong, { ...streamInit(), headers })).status).toBe(403)
      expect((await fetch(right, { ...streamInit(), headers })).status).toBe(200)
    }
  })
})

describe('a clock that a retry has proven', () => {
  test('dates the presigned URLs of its origin, and of no other', async () => {
    const first = await service(hour)
    expect((await first.fetch(first.url)).status).toBe(404)
    const dated = await datedOff(first.auth, first.url)
    expect(dated).toEqual(closeToNow)
    const other = createSigV4Auth({
      baseUrl: first.url.replace(/\/V1.*/, ''),
      origins: ['https://*.example.com'],
      region: 'us-east-1',
      credentials: defaultApiKeys[0],
      clock: () => Date.now() + hour,
    })
    expect((await authFetch(other)(first.url)).status).toBe(404)
    const isLate = expect.closeTo(hour, -4)
    expect(await datedOff(other, first.url)).toEqual(closeToNow)
    expect(await datedOff(other, 'https://a.example.com/k')).toEqual([isLate, isLate])
  })

  test('is learned anew by each address that a wildcard covers', async () => {
    const at = Date.UTC(2026, 0, 1)
    const auth = createSigV4Auth({
      baseUrl: 'https://example.com',
      origins: ['https://*.example.com'],
      region: 'us-east-1',
      credentials: defaultApiKeys[0],
      clock: () => at,
    })
    const request = (host: string, reason = 'initial'): OutgoingRequest => ({
      method: 'GET',
      url: new URL(`https://${host}.example.com/k`),
      headers: new Headers(),
      body: undefined,
      attempt: reason === 'initial' ? 1 : 2,
      reason,
    })
    const dateOf = ({ headers }: { headers: readonly (readonly [string, string | null])[] }) =>
      headers.find(([name]) => name === 'x-amz-date')?.[1]
    const refused = {
      status: 403,
      headers: new Headers({ date: new Date(at + hour).toUTCString() }),
    }
    const authorization = await auth.authorize(request('a'))
    expect(authorization.review?.(refused)).toBe('clock-skew')
    expect(dateOf(await auth.authorize(request('b', 'clock-skew')))).toBe('20260101T000000Z')
    const retry = await auth.authorize(request('a', 'clock-skew'))
    expect(dateOf(retry)).toBe('20260101T010000Z')
    expect(retry.review?.({ status: 200, headers: new Headers() })).toBeUndefined()
    expect(dateOf(await auth.authorize(request('a')))).toBe('20260101T010000Z')
    expect(dateOf(await auth.authorize(request('b')))).toBe('20260101T000000Z')
    const [a, b] = await Promise.all(
      ['a', 'b'].map((host) => presign(auth, `https://${host}.example.com/k`)),
    )
    expect(a?.searchParams.get('X-Amz-Date')).toBe('20260101T010000Z')
    expect(b?.searchParams.get('X-Amz-Date')).toBe('20260101T000000Z')
  })
})

describe('the clock of an origin', () => {
  const at = Date.UTC(2026, 0, 1)
  const url = new URL('https://search.example.com/V1/k')
  const stream: OutgoingBody = {
    replayable: false,
    bytes: () => new Uint8Array(),
    async *chunks() {},
  }
  type Asked = Pick<OutgoingRequest, 'url' | 'body' | 'reason'>
  const first: Asked = { url, body: undefined, reason: 'initial' }
  const retry: Asked = { ...first, reason: 'clock-skew' }
  const upload = { ...first, body: stream }
  const refusal = (offMs: number, status = 403) => ({
    status,
    headers: new Headers({ date: new Date(at + offMs).toUTCString() }),
  })
  const accepted = { status: 200, headers: new Headers() }
  const create = () => {
    const adjusted: [origin: string, offsetMs: number][] = []
    const clocks = createServiceClocks(
      () => at,
      (...adjustment) => adjusted.push(adjustment),
    )
    /** Refuses a request that is sent now, and says if another attempt is worthwhile. */
    const refuse = (offMs: number, request = first) =>
      clocks.timeFor(request).review(refusal(offMs)) === 'clock-skew'
    /** Corrects the clock as a refusal and an accepted retry do. */
    const correct = (offMs: number, of: URL = url) => {
      const [one, other] = [
        { ...first, url: of },
        { ...retry, url: of },
      ]
      clocks.timeFor(one).review(refusal(offMs))
      clocks.timeFor(other).review(accepted)
    }
    return { clocks, adjusted, refuse, correct }
  }

  test('is read from Date alone: Age says how old a cached copy is', () => {
    const { clocks } = create()
    const head = refusal(hour)
    head.headers.set('age', '3600')
    expect(clocks.timeFor(first).review(head)).toBe('clock-skew')
    expect(clocks.timeFor(retry).at).toBe(at + hour)
  })

  test.each(['', 'yesterday', 'NaN'])('is not read from a Date that says %j', (date) => {
    const { clocks } = create()
    const head = { status: 403, headers: new Headers({ date }) }
    expect(clocks.timeFor(first).review(head)).toBeUndefined()
    expect(clocks.timeFor(retry).at).toBe(at)
  })

  test('is not read where a refusal has no Date', () => {
    const { clocks } = create()
    const head = { status: 403, headers: new Headers() }
    expect(clocks.timeFor(first).review(head)).toBeUndefined()
  })

  test.each([
    [4 * minute, false],
    [-4 * minute, false],
    [4 * minute + 1000, true],
    [-4 * minute - 1000, true],
    [day - 1000, true],
    [1000 - day, true],
    [day, false],
    [-day, false],
  ])('that is off by %d ms is worth a retry: %s', (offMs, isOff) => {
    const { clocks, refuse } = create()
    expect(refuse(offMs)).toBe(isOff)
    expect(clocks.timeFor(retry).at).toBe(isOff ? at + offMs : at)
  })

  test('is used by the retry that tests it, and by nobody else until that was accepted', () => {
    const { clocks, adjusted, refuse } = create()
    refuse(hour)
    expect([clocks.timeFor(first).at, clocks.now(url)]).toEqual([at, at])
    const tested = clocks.timeFor(retry)
    expect(tested.at).toBe(at + hour)
    expect(adjusted).toEqual([])
    expect(tested.review(accepted)).toBeUndefined()
    expect([clocks.timeFor(first).at, clocks.now(url)]).toEqual([at + hour, at + hour])
    expect(adjusted).toEqual([[url.origin, hour]])
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
    [400, false],
    [401, false],
    [403, false],
    [429, false],
    [500, false],
    [503, false],
  ])('is held to be right after a retry that got %i: %s', (status, isProof) => {
    const { clocks, refuse } = create()
    refuse(hour)
    clocks.timeFor(retry).review(refusal(hour, status))
    expect(clocks.now(url)).toBe(isProof ? at + hour : at)
  })

  test('proves nothing by a request that was signed without it', () => {
    const { clocks, refuse } = create()
    const earlier = clocks.timeFor(first)
    refuse(hour)
    earlier.review(accepted)
    expect(clocks.now(url)).toBe(at)
    expect(clocks.timeFor(retry).at).toBe(at + hour)
  })

  test('is forgotten where the retry is refused, and the one that was proven holds', () => {
    const { clocks, adjusted, refuse, correct } = create()
    correct(hour)
    refuse(3 * hour)
    const tested = clocks.timeFor(retry)
    expect(tested.at).toBe(at + 3 * hour)
    // Signed with what nobody has proven, it is worth another attempt.
    expect(tested.review(refusal(3 * hour))).toBe('clock-skew')
    expect(clocks.timeFor(retry).at).toBe(at + hour)
    expect(adjusted).toEqual([[url.origin, hour]])
  })

  test('is corrected again, back to that of this process too', () => {
    const { clocks, adjusted, correct } = create()
    correct(hour)
    correct(-hour)
    correct(0)
    expect(clocks.now(url)).toBe(at)
    expect(adjusted.map(([, offsetMs]) => offsetMs)).toEqual([hour, -hour, 0])
  })

  test('that a stream was refused by is tested by the next request alone', () => {
    const { clocks, refuse } = create()
    expect(refuse(hour, upload)).toBe(true)
    const other = { ...first, url: new URL('https://other.example.com') }
    expect(clocks.timeFor(other).at).toBe(at)
    const next = clocks.timeFor(first)
    expect(next.at).toBe(at + hour)
    expect(clocks.timeFor(first).at).toBe(at)
    next.review(accepted)
    expect(clocks.timeFor(first).at).toBe(at + hour)
  })

  test('that spoilt the next request is forgotten, and that one signed again without it', () => {
    const { clocks, refuse } = create()
    refuse(hour, upload)
    expect(refuse(hour)).toBe(true)
    expect([clocks.timeFor(retry).at, clocks.timeFor(first).at]).toEqual([at, at])
  })

  test('is learned once, however many were signed before', () => {
    const { clocks, adjusted } = create()
    const signed = clocks.timeFor(first)
    const refused = [0, 1000, 2000].map((more) => signed.review(refusal(hour + more)))
    expect(new Set(refused)).toEqual(new Set(['clock-skew']))
    for (let index = 0; index < 3; index += 1) {
      clocks.timeFor(retry).review(accepted)
    }
    // A late refusal of what was signed before is worth an attempt with what is known by then.
    expect(signed.review(refusal(hour))).toBe('clock-skew')
    const noDate = { status: 403, headers: new Headers() }
    expect(signed.review(noDate)).toBe('clock-skew')
    expect(clocks.timeFor(retry).at).toBe(at + hour + 2000)
    expect(adjusted).toEqual([[url.origin, hour + 2000]])
  })

  test('is by when the response came, not by when a long upload was signed', () => {
    let now = at
    const clocks = createServiceClocks(
      () => now,
      () => expect.unreachable(),
    )
    const signed = clocks.timeFor(first)
    now += hour
    expect(signed.review(refusal(hour))).toBeUndefined()
  })
})
