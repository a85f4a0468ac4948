import { AuthError, authFetch as plainFetch } from '@svc/auth-hooks'
import { authFetch as lightFetch } from '@svc/auth-hooks/light'
import { authFetch, type RetryOptions } from '@svc/auth-hooks/retry'
import type { AuthEvent, AuthScheme, Fetch } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { type InstantTime, instantTime } from '../support/time.ts'

const origin = 'https://search.example.com'
const url = `${origin}/user/groups`

type Answer = Response | Error | (() => Response | Error)

/** Returns an `authFetch` whose inner fetch gives these answers, the last one again and again. */
function retrying(
  answers: readonly Answer[],
  retry: RetryOptions = {},
  {
    scheme = recordingScheme([origin]),
    time = instantTime(),
  }: { scheme?: AuthScheme; time?: InstantTime } = {},
) {
  const calls: { input: string | URL | Request; init: RequestInit; body: unknown }[] = []
  const events: AuthEvent[] = []
  const inner: Fetch = async (input, init = {}) => {
    calls.push({ input, init, body: init.body })
    const answer = answers[Math.min(calls.length, answers.length) - 1]
    const given = typeof answer === 'function' ? answer() : answer
    if (given instanceof Error) throw given
    return given ?? new Response()
  }
  const send = authFetch(scheme, {
    fetch: inner,
    onEvent: (event) => void events.push(event),
    retry: { clock: time.clock, random: () => 0.5, ...retry },
  })
  return { send, calls, events, waits: time.waits, time }
}

function broken(): Error {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  return new TypeError('fetch failed', { cause })
}

const busy = (headers: Record<string, string> = {}, status = 503) =>
  new Response('busy', { status, headers })

async function failure(action: Promise<unknown>): Promise<unknown> {
  return action.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('what is sent again', () => {
  test.each([408, 429, 500, 502, 503, 504])('a GET after a %i', async (status) => {
    const { send, calls, waits } = retrying([busy({}, status), new Response('found')])
    expect(await (await send(url)).text()).toBe('found')
    expect([calls.length, waits]).toEqual([2, [250]])
  })

  test.each([200, 204, 301, 400, 401, 403, 404, 407, 409, 413, 422, 501, 505])(
    'nothing after a %i',
    async (status) => {
      const response = new Response(null, { status })
      const { send, calls } = retrying([response])
      expect(await send(url, { redirect: 'manual' })).toBe(response)
      expect(calls.length).toBe(1)
    },
  )

  test.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'get'])('a %s', async (method) => {
    const { send, calls } = retrying([busy(), broken(), new Response()])
    expect((await send(url, { method })).status).toBe(200)
    expect(calls.length).toBe(3)
  })

  test.each(['POST', 'PATCH', 'PROPFIND'])('no %s unless it is named', async (method) => {
    const given = broken()
    const { send, calls } = retrying([given])
    expect(await failure(send(url, { method }))).toBe(given)
    expect(calls.length).toBe(1)
    const named = retrying([broken(), busy(), new Response()], {
      methods: ['post', 'patch', method],
    })
    expect((await named.send(url, { method })).status).toBe(200)
    expect(named.calls.length).toBe(3)
  })

  test('a call after a broken connection', async () => {
    const { send, calls } = retrying([broken(), broken(), new Response('found')])
    expect(await (await send(url)).text()).toBe('found')
    expect(calls.length).toBe(3)
  })

  test('as often as the limit says, which is 2, and the last response is that of the call', async () => {
    const last = busy()
    const { send, calls } = retrying([busy(), broken(), last, new Response()])
    expect(await send(url)).toBe(last)
    expect(await last.text()).toBe('busy')
    expect(calls.length).toBe(3)
  })

  test('the last error is that of the call, unchanged', async () => {
    const errors = [broken(), broken(), broken()]
    const { send } = retrying(errors)
    expect(await failure(send(url))).toBe(errors[2])
  })

  test('nothing with a limit of 0', async () => {
    const { send, calls } = retrying([busy()], { limit: 0 })
    expect((await send(url)).status).toBe(503)
    expect(calls.length).toBe(1)
  })

  test('the statuses that are named, and no other', async () => {
    const named = retrying([busy({}, 409), busy({}, 503)], { statuses: [409] })
    expect((await named.send(url)).status).toBe(503)
    expect(named.calls.length).toBe(2)
  })
})

/** The error of a login that the service was not there for. */
function away(options: { retryAt?: number } = {}): AuthError {
  return new AuthError('ERR_AUTH_LOGIN_NETWORK', 'away', options)
}

/** A scheme whose logins fail with these errors, one after the other, until one does not. */
function failingScheme(...errors: readonly AuthError[]): AuthScheme & { asked(): number } {
  let asked = 0
  return {
    ...recordingScheme([origin]),
    asked: () => asked,
    authorize() {
      const error = errors[(asked += 1) - 1]
      if (error) throw error
      return { scheme: 'failing', headers: [] }
    },
  }
}

describe('a login', () => {
  const busyLogin = (status: number): AuthError =>
    new AuthError('ERR_AUTH_LOGIN_REFUSED', 'busy', { status })

  test.each<[what: string, error: AuthError]>([
    ['whose connection broke', away()],
    ['after a 503', busyLogin(503)],
    ['after a 429', busyLogin(429)],
    ['after a page with status 502', new AuthError('ERR_AUTH_LOGIN_NOT_JSON', '', { status: 502 })],
  ])('%s is made again', async (_what, error) => {
    const scheme = failingScheme(error, error)
    const { send, calls, waits, events } = retrying([new Response()], {}, { scheme })
    expect((await send(url)).status).toBe(200)
    expect([scheme.asked(), calls.length, waits]).toEqual([3, 1, [250, 500]])
    expect(events.map(({ type }) => type)).toEqual(['request.retried', 'request.retried'])
  })

  test('is not made before its pause is over', async () => {
    const { send, waits } = retrying(
      [new Response()],
      {},
      { scheme: failingScheme(away({ retryAt: 900 })) },
    )
    expect((await send(url)).status).toBe(200)
    expect(waits).toEqual([1150])
  })

  test('is made once for a POST', async () => {
    const error = away()
    const { send, waits } = retrying([new Response()], {}, { scheme: failingScheme(error) })
    expect(await failure(send(url, { method: 'POST' }))).toBe(error)
    expect(waits).toEqual([])
  })
})

describe('what is not sent again', () => {
  test('an error of a scheme', async () => {
    let asked = 0
    const error = new Error('no key at hand')
    const scheme: AuthScheme = {
      name: 'failing',
      covers: () => true,
      authorize() {
        asked += 1
        throw error
      },
    }
    const { send, calls } = retrying([new Response()], {}, { scheme })
    expect(await failure(send(url))).toBe(error)
    expect([asked, calls.length]).toEqual([1, 0])
  })

  test.each<[what: string, error: AuthError]>([
    ['that is refused', new AuthError('ERR_AUTH_LOGIN_REFUSED', 'no', { status: 401 })],
    [
      'that is refused by another status',
      new AuthError('ERR_AUTH_LOGIN_REFUSED', 'no', { status: 400 }),
    ],
    ['that is refused without a status', new AuthError('ERR_AUTH_LOGIN_REFUSED', 'no')],
    ['whose pause is longer than the longest wait', away({ retryAt: 20_001 })],
    [
      'after another status than those',
      new AuthError('ERR_AUTH_LOGIN_REFUSED', 'no', { status: 501 }),
    ],
    ['that takes too long', new AuthError('ERR_AUTH_LOGIN_TIMEOUT', 'late')],
    ['of a user that is none', new AuthError('ERR_AUTH_CREDENTIALS', 'none', { status: 503 })],
  ])('a login %s', async (_what, error) => {
    const scheme = failingScheme(error)
    const { send, calls, waits } = retrying([new Response()], { statuses: [400, 503] }, { scheme })
    expect(await failure(send(url))).toBe(error)
    expect([scheme.asked(), calls.length, waits]).toEqual([1, 0, []])
  })

  test('an error of a review', async () => {
    const error = new TypeError('fetch failed')
    const scheme = recordingScheme([origin], () => ({
      review() {
        throw error
      },
    }))
    const { send, calls } = retrying([new Response()], {}, { scheme })
    expect(await failure(send(url))).toBe(error)
    expect(calls.length).toBe(1)
  })

  test.each<[what: string, input: string, init?: RequestInit]>([
    ['another origin', 'https://other.example.com/'],
    ['a header that cannot be sent', url, { headers: { a: 'ü→' } }],
    ['no method', url, { method: 'G T' }],
  ])('a call with %s', async (_what, input, init) => {
    const { send, calls, waits } = retrying([new Response()])
    await expect(send(input, init)).rejects.toThrow('@svc/auth-hooks')
    expect([calls.length, waits.length]).toEqual([0, 0])
  })

  test('a redirect that is refused', async () => {
    const to = { status: 302, headers: { location: 'https://other.example.com/' } }
    const { send, calls } = retrying([() => new Response(null, to)])
    expect(await failure(send(url))).toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
    expect(calls.length).toBe(1)
  })

  test('an AuthError of the fetch inside', async () => {
    const error = new AuthError('ERR_AUTH_LOGIN_REFUSED', 'no', { status: 503 })
    const { send, calls } = retrying([error])
    expect(await failure(send(url))).toBe(error)
    expect(calls.length).toBe(1)
  })

  test('a call that the fetch inside gave up by itself, unless its time was up', async () => {
    const givenUp = new DOMException('given up', 'AbortError')
    const aborted = retrying([givenUp])
    expect(await failure(aborted.send(url))).toBe(givenUp)
    expect(aborted.calls.length).toBe(1)
    const late = retrying([new DOMException('late', 'TimeoutError'), new Response()])
    expect((await late.send(url)).status).toBe(200)
  })

  test('a stream, even if the connection breaks before it is read', async () => {
    let pulled = 0
    const stream = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(1))
        controller.close()
      },
    })
    const error = broken()
    const { send, calls } = retrying([error])
    const init = { method: 'PUT', body: stream, duplex: 'half' } as RequestInit
    expect(await failure(send(url, init))).toBe(error)
    expect([calls.length, pulled <= 1]).toEqual([1, true])
  })

  test('a 503 to a stream is returned at once', async () => {
    const { send, calls, waits } = retrying([busy()])
    const body = new Blob(['a']).stream()
    const response = await send(url, { method: 'PUT', body, duplex: 'half' } as RequestInit)
    expect([response.status, calls.length, waits]).toEqual([503, 1, []])
  })

  test('a Request whose body is larger than maxReplayBytes', async () => {
    const calls: unknown[] = []
    const send = authFetch(recordingScheme([origin]), {
      maxReplayBytes: 3,
      fetch: async (...given) => (calls.push(given), busy()),
      retry: { clock: instantTime().clock },
    })
    expect((await send(new Request(url, { method: 'PUT', body: 'abcd' }))).status).toBe(503)
    expect(calls.length).toBe(1)
    expect((await send(new Request(url, { method: 'PUT', body: 'abc' }))).status).toBe(503)
    expect(calls.length).toBe(4)
  })
})

describe('each attempt', () => {
  test('is authorized anew', async () => {
    const scheme = recordingScheme([origin])
    const { send, calls } = retrying([busy(), broken(), new Response()], {}, { scheme })
    await send(url, { headers: { 'x-of-mine': '1' } })
    expect(calls.map(({ init }) => init.headers)).toEqual(
      [1, 2, 3].map((attempt) => ({
        'x-of-mine': '1',
        'x-test-credential': `credential-of-the-test-${attempt}`,
      })),
    )
    expect(scheme.seen.map(({ attempt, reason }) => [attempt, reason])).toEqual(
      [1, 2, 3].map(() => [1, 'initial']),
    )
  })

  test('may be replayed by its scheme, which counts as no retry', async () => {
    const scheme = recordingScheme([origin], () => ({ review: rejects401 }))
    const refused = () => new Response(null, { status: 401 })
    const { send, calls } = retrying([refused, busy(), refused, new Response()], {}, { scheme })
    expect((await send(url)).status).toBe(200)
    expect(calls.length).toBe(4)
    expect(scheme.seen.map(({ reason }) => reason)).toEqual([
      'initial',
      'rejected',
      'initial',
      'rejected',
    ])
  })

  test('follows redirects anew, from the first URL', async () => {
    const moved = () => new Response(null, { status: 307, headers: { location: '/moved' } })
    const { send, calls } = retrying([moved, broken(), moved, new Response('found')])
    const response = await send(url)
    expect([await response.text(), response.redirected]).toEqual(['found', true])
    expect(calls.map(({ input }) => input)).toEqual([
      url,
      `${origin}/moved`,
      url,
      `${origin}/moved`,
    ])
  })

  test.each<[what: string, body: BodyInit]>([
    ['text', 'größer'],
    ['bytes', new TextEncoder().encode('größer')],
    ['URLSearchParams', new URLSearchParams({ a: 'b' })],
    ['a Blob', new Blob(['größer'])],
    ['a form', form()],
  ])('sends %s again', async (_what, body) => {
    const { send, calls } = retrying([busy(), broken(), new Response()])
    const init = { method: 'PUT', body }
    await send(url, init)
    const sent = await Promise.all(calls.map((call) => new Response(call.body as BodyInit).text()))
    expect(sent[0]).not.toBe('')
    expect(sent).toEqual(Array(3).fill(sent[0]))
  })

  test('sends the body of a Request again', async () => {
    const { send, calls } = retrying([busy(), broken(), new Response()])
    const request = new Request(url, { method: 'PUT', body: 'größer' })
    await send(request)
    const sent = await Promise.all(calls.map((call) => new Response(call.body as BodyInit).text()))
    expect(sent).toEqual(Array(3).fill('größer'))
  })

  test('sends what the body was at the call, whatever becomes of it', async () => {
    const body = new TextEncoder().encode('before')
    const headers = new Headers({ 'x-of-mine': 'before' })
    const { send, calls } = retrying([
      () => {
        body.fill(0)
        headers.set('x-of-mine', 'after')
        return busy()
      },
      new Response(),
    ])
    await send(url, { method: 'PUT', body, headers })
    expect(await new Response(calls[1]?.body as BodyInit).text()).toBe('before')
    expect(calls[1]?.init.headers).toMatchObject({ 'x-of-mine': 'before' })
  })
})

function form(): FormData {
  const given = new FormData()
  given.set('file', new Blob(['größer']), 'a.txt')
  return given
}

describe('the wait', () => {
  test('is a random part of a time that doubles up to the longest one', async () => {
    const retry = { limit: 6, baseDelayMs: 100, maxDelayMs: 1000 }
    const all = retrying([busy()], { ...retry, random: () => 1 - Number.EPSILON })
    await all.send(url)
    expect(all.waits.map(Math.round)).toEqual([100, 200, 400, 800, 1000, 1000])
    const none = retrying([busy()], { ...retry, random: () => 0 })
    await none.send(url)
    expect(none.waits).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('has a number for any number of retries', async () => {
    const { send, waits } = retrying([busy()], { limit: 1200, baseDelayMs: 0 })
    await send(url)
    expect(waits).toEqual(Array(1200).fill(0))
  })

  test.each<[value: string, waitMs: number]>([
    ['3', 3250],
    ['0', 250],
    ['-5', 250],
    ['soon', 250],
    ['2, 9', 2250],
    ['1.5', 1750],
    ['Thu, 01 Jan 2026 12:00:05 GMT', 5250],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 250],
    ['19.9', 20_000],
    ['20', 20_000],
  ])('is as long as a Retry-After of "%s" asks, and a little longer', async (value, waitMs) => {
    const date = 'Thu, 01 Jan 2026 12:00:00 GMT'
    const { send, waits } = retrying([busy({ 'retry-after': value, date }), new Response()])
    await send(url)
    expect(waits).toEqual([waitMs])
  })

  test('counts a date against the clock where the server tells no time', async () => {
    const time = instantTime(undefined, Date.UTC(2026, 0, 1, 12))
    const headers = { 'retry-after': 'Thu, 01 Jan 2026 12:00:05 GMT' }
    const { send, waits } = retrying([busy(headers), new Response()], {}, { time })
    await send(url)
    expect(waits).toEqual([5250])
  })

  test.each(['21', '1e9', '9'.repeat(400), 'Fri, 02 Jan 2026 12:00:00 GMT'])(
    'is none where Retry-After asks for "%s": the response is returned at once',
    async (value) => {
      const date = 'Thu, 01 Jan 2026 12:00:00 GMT'
      const response = busy({ 'retry-after': value, date }, 429)
      const { send, calls, waits } = retrying([response])
      expect(await send(url)).toBe(response)
      expect(await response.text()).toBe('busy')
      expect([calls.length, waits]).toEqual([1, []])
    },
  )

  test('is told in an event, once it is over', async () => {
    const { send, events } = retrying([busy(), broken(), new Response()])
    await send(`${url}?secret=1`)
    const common = { type: 'request.retried', scheme: 'recording', origin, method: 'GET' }
    expect(events).toEqual([
      { ...common, retry: 1, status: 503, delayMs: 250 },
      { ...common, retry: 2, delayMs: 500 },
    ])
  })
})

describe('a response that is not returned', () => {
  test('is read to its end, for the sake of its connection', async () => {
    const bodies = [busy(), busy()]
    const { send } = retrying([...bodies, new Response()])
    await send(url)
    await expect.poll(() => bodies.every(({ bodyUsed }) => bodyUsed)).toBe(true)
  })

  test('is not waited for, and given up if it does not end', async () => {
    let isCanceled = false
    const endless = new ReadableStream({
      pull: async (controller) => controller.enqueue(new Uint8Array(60_000)),
      cancel: () => void (isCanceled = true),
    })
    const { send } = retrying([new Response(endless, { status: 503 }), new Response('found')])
    expect(await (await send(url)).text()).toBe('found')
    await expect.poll(() => isCanceled).toBe(true)
  })

  test('may break off', async () => {
    const cut = new ReadableStream({
      start: (controller) => controller.error(new Error('terminated')),
    })
    const { send } = retrying([new Response(cut, { status: 503 }), new Response('found')])
    expect(await (await send(url)).text()).toBe('found')
  })
})

describe('a signal', () => {
  test('ends a wait at once with its reason, and no timer is left', async () => {
    for (const answer of [busy(), broken()]) {
      const controller = new AbortController()
      const reason = new Error('enough')
      const time = instantTime(() => {
        queueMicrotask(() => controller.abort(reason))
        return false
      })
      const { send, calls, events } = retrying([answer], {}, { time })
      expect(await failure(send(url, { signal: controller.signal }))).toBe(reason)
      expect([calls.length, time.pending(), events]).toEqual([1, 0, []])
    }
  })

  test('ends the wait of a Request', async () => {
    const controller = new AbortController()
    const time = instantTime(() => {
      queueMicrotask(() => controller.abort())
      return false
    })
    const { send, calls } = retrying([busy()], {}, { time })
    const request = new Request(url, { signal: controller.signal })
    expect(await failure(send(request))).toMatchObject({ name: 'AbortError' })
    expect([calls.length, time.pending()]).toEqual([1, 0])
  })

  test('that aborts when the response is there sends nothing more', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { send, calls } = retrying([
      () => {
        controller.abort(reason)
        return busy()
      },
    ])
    expect(await failure(send(url, { signal: controller.signal }))).toBe(reason)
    expect(calls.length).toBe(1)
  })

  test('that breaks the connection itself is no broken connection', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { send, calls, waits } = retrying([
      () => {
        controller.abort(reason)
        return reason
      },
    ])
    expect(await failure(send(url, { signal: controller.signal }))).toBe(reason)
    expect([calls.length, waits]).toEqual([1, []])
  })

  test('may abort at any step', async () => {
    const reason = new Error('enough')
    const ends = new Set<unknown>()
    for (let step = 0; step < 120; step += 1) {
      const controller = new AbortController()
      const { send, time } = retrying([busy(), broken(), new Response('found')])
      const { signal } = controller
      const sent = send(url, { signal }).then(
        ({ status }) => status,
        (error: unknown) => error,
      )
      for (let turn = 0; turn < step; turn += 1) await Promise.resolve()
      controller.abort(reason)
      ends.add(await sent)
      expect(time.pending()).toBe(0)
    }
    expect(ends).toEqual(new Set([reason, 200]))
  })

  test('is not listened to any more once a call is over', async () => {
    const controller = new AbortController()
    const listeners = new Set<unknown>()
    const { signal } = controller
    signal.addEventListener = (...[, listener]: unknown[]) => void listeners.add(listener)
    signal.removeEventListener = (...[, listener]: unknown[]) => void listeners.delete(listener)
    const { send } = retrying([busy(), broken(), new Response()])
    await send(url, { signal })
    expect(listeners.size).toBe(0)
  })
})

test('a thousand callers wait apart from each other', async () => {
  let seed = 1
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647
  const time = instantTime()
  let calls = 0
  const send = authFetch(recordingScheme([origin]), {
    fetch: async () => ((calls += 1) <= 1000 ? busy({ 'retry-after': '1' }) : new Response()),
    retry: { clock: time.clock, random },
  })
  const statuses = await Promise.all(
    Array.from({ length: 1000 }, async () => (await send(url)).status),
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect([calls, time.waits.length, time.pending()]).toEqual([2000, 1000, 0])
  expect(Math.min(...time.waits)).toBeGreaterThanOrEqual(1000)
  expect(Math.max(...time.waits)).toBeLessThan(1500)
  expect(new Set(time.waits).size).toBeGreaterThan(990)
})

describe('options', () => {
  const scheme = recordingScheme([origin])
  test.each<[retry: unknown, message: string]>([
    [3, 'retry: options must be an object with any of limit, statuses'],
    [null, 'retry: options must be an object with any of limit, statuses'],
    [{ maxRetries: 3 }, 'retry: maxRetries is not an option; did you mean limit?'],
    [{ limit: -1 }, 'retry: limit must be a non-negative integer'],
    [{ limit: Number.POSITIVE_INFINITY }, 'retry: limit must be'],
    [{ statuses: 503 }, 'retry: statuses must be from 400 to 599, but not 401, 403 or 407'],
    [{ statuses: [401] }, 'retry: statuses must be'],
    [{ statuses: [403] }, 'retry: statuses must be'],
    [{ statuses: [302] }, 'retry: statuses must be'],
    [{ statuses: ['503'] }, 'retry: statuses must be'],
    [{ methods: 'POST' }, 'retry: methods must be HTTP methods'],
    [{ methods: ['P ST'] }, 'retry: methods must be HTTP methods'],
    [{ baseDelayMs: -1 }, 'retry: baseDelayMs must be from 0'],
    [{ maxDelayMs: Number.NaN }, 'retry: maxDelayMs must be from 0'],
    [{ maxDelayMs: 2 ** 31 }, 'retry: maxDelayMs must be from 0'],
    [{ maxDelayMs: '5' }, 'retry: maxDelayMs must be from 0'],
    [{ random: 0.5 }, 'retry: random must be a function'],
    [{ clock: 0 }, 'retry: clock must be a function'],
  ])('%j is a TypeError', (retry, message) => {
    const make = (): unknown => authFetch(scheme, { retry: retry as RetryOptions })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(`[@svc/auth-hooks/retry] authFetch: ${message}`)
  })

  test('the others are those of the plain authFetch', async () => {
    expect(() => authFetch(scheme, { baseURL: origin } as object)).toThrow(
      '[@svc/auth-hooks/retry] authFetch: baseURL is not an option; did you mean baseUrl?',
    )
    expect(() => authFetch({} as AuthScheme)).toThrow(
      '[@svc/auth-hooks/retry] authFetch: scheme must',
    )
    expect(() => authFetch(scheme, null as never)).toThrow('options must be an object')
    const send = authFetch(scheme, { baseUrl: origin, fetch: async () => new Response('found') })
    expect(await (await send('/user/groups')).text()).toBe('found')
  })

  test('changes to them change nothing any more', async () => {
    const statuses = [503]
    const methods = ['GET']
    const { send, calls } = retrying([busy()], { statuses, methods })
    statuses.length = 0
    methods.length = 0
    await send(url)
    expect(calls.length).toBe(3)
  })

  test('retry is none of the other ones, and the message names the one that has it', () => {
    const given = { retry: { limit: 2 } } as object
    expect(() => plainFetch(scheme, given)).toThrow('retry is not an option')
    expect(() => plainFetch(scheme, given)).toThrow('@svc/auth-hooks/retry has retry')
    expect(() => lightFetch(scheme, given)).toThrow('the full authFetch has more')
  })

  test('an option that every object has got is none', async () => {
    // oxlint-disable-next-line eslint/no-extend-native -- as a package may do
    Object.defineProperty(Object.prototype, 'retry', {
      value: 'polluted',
      configurable: true,
      enumerable: false,
    })
    try {
      expect(() => authFetch(scheme)).not.toThrow()
    } finally {
      Reflect.deleteProperty(Object.prototype, 'retry')
    }
  })
})
