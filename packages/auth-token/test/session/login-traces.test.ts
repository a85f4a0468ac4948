import { AsyncLocalStorage } from 'node:async_hooks'
import { channel } from 'node:diagnostics_channel'
import { authFetch, createSessionAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import type { LoginTrace } from '@svc/types'
import { expect, onTestFinished, test } from 'vitest'
import { collectTraces, collectWaits, ended } from '../../../../tests/support/traces.ts'
import { loginRequests, service, until } from '../support/service.ts'

const uuid = /^[\da-f-]{36}$/

test('a login is one trace, in the context of the call that began it', async () => {
  const caller = new AsyncLocalStorage<string>()
  const { auth, base, emulator } = await service()
  const published = collectTraces('login')
  const callers: unknown[] = []
  for (const event of ['start', 'end', 'asyncStart', 'asyncEnd']) {
    const note = (): void => void callers.push(caller.getStore())
    const events = channel(`tracing:svc-auth:login:${event}`)
    events.subscribe(note)
    onTestFinished(() => events.unsubscribe(note))
  }
  await Promise.all([
    caller.run('first', () => auth.getToken()),
    caller.run('second', () => auth.getToken()),
  ])
  await auth.getToken()

  expect(callers).toEqual(['first', 'first', 'first', 'first'])
  expect(published.map(({ event }) => event)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
  const begun = { id: expect.stringMatching(uuid), scheme: 'token', origin: base }
  expect(published.at(0)).toEqual({ event: 'start', ...begun })
  const over = { outcome: 'issued', durationMs: expect.any(Number) }
  expect(published.at(-1)).toEqual({ event: 'asyncEnd', ...begun, ...over })
  expect(loginRequests({ emulator })).toBe(1)
})

test('100 callers are one login, for which 99 wait in contexts of their own', async () => {
  const caller = new AsyncLocalStorage<number>()
  const { auth } = await service()
  const published = collectTraces('login')
  const waits = collectWaits()
  const waiting: unknown[] = []
  const note = (): void => void waiting.push(caller.getStore())
  const channelOfWaits = channel('svc-auth:login:wait')
  channelOfWaits.subscribe(note)
  onTestFinished(() => channelOfWaits.unsubscribe(note))

  const aborted = AbortSignal.abort('gone')
  const controller = new AbortController()
  const callers = Array.from({ length: 100 }, (_, number) => {
    const { signal } = number === 50 ? controller : { signal: undefined }
    return caller.run(number, () => auth.getToken({ signal }))
  })
  controller.abort('gone')
  const settled = await Promise.allSettled([...callers, auth.getToken({ signal: aborted })])

  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(2)
  const [trace, ...more] = ended(published)
  expect(trace).toMatchObject({ outcome: 'issued' })
  expect(more).toEqual([])
  expect(waiting).toEqual(Array.from({ length: 99 }, (_, index) => index + 1))
  const wait = { id: trace?.id, scheme: trace?.scheme, origin: trace?.origin }
  expect(waits).toEqual(waiting.map(() => wait))
})

test('two sessions are two traces', async () => {
  const { auth, session } = await service()
  const published = collectTraces('login')
  const waits = collectWaits()
  await Promise.all([auth.getToken(), session().getToken()])
  const ids = ended(published).map(({ id }) => id)
  expect(new Set(ids).size).toBe(2)
  expect(waits).toEqual([])
})

test('a failed login has a code and a status, one that pauses the session its end, and no message', async () => {
  const { auth, emulator, time } = await service()
  const published = collectTraces('login')
  const say = (message: string) => ({ path: '/user/login', body: JSON.stringify({ message }) })
  emulator.fault({ ...say('words of the service'), status: 401, times: 1 })
  await expect(auth.getToken()).rejects.toMatchObject({ serverMessage: expect.anything() })
  expect(published.map(({ event }) => event)).toEqual([
    'start',
    'end',
    'error',
    'asyncStart',
    'asyncEnd',
  ])
  expect(published.at(-1)).toMatchObject({
    outcome: 'paused',
    code: 'ERR_AUTH_LOGIN_REFUSED',
    status: 401,
    retryAt: auth.inspect().retryAt,
  })
  expect(JSON.stringify(published)).not.toContain('words')
  // A call that meets the pause begins no login.
  await expect(auth.getToken()).rejects.toThrow('401')
  expect(ended(published)).toHaveLength(1)

  time.now += 3_600_000
  emulator.fault({ path: '/user/login', drop: true })
  await expect(auth.getToken()).rejects.toThrow('login')
  expect(ended(published).at(-1)).toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK' })
})

test('a token of a store is adopted, and one that no other is better than stays', async () => {
  const store = memoryTokenStore()
  const { auth, session, emulator, fetch, groups } = await service({ store })
  await auth.getToken()
  const published = collectTraces('login')
  await session().getToken()
  expect(ended(published)).toMatchObject([{ outcome: 'adopted' }])

  const body = new ReadableStream({ start: (controller) => controller.close() })
  await fetch(groups, { method: 'POST', body, duplex: 'half' } as RequestInit)
  expect(ended(published).at(-1)).toMatchObject({ outcome: 'unchanged' })
  expect(loginRequests({ emulator })).toBe(1)
})

test('a renewal belongs to the call that began it', async () => {
  const caller = new AsyncLocalStorage<string>()
  const { auth, time } = await service()
  await auth.getToken()
  const published = collectTraces('login')
  const begun: unknown[] = []
  const start = channel('tracing:svc-auth:login:start')
  const note = (): void => void begun.push(caller.getStore())
  start.subscribe(note)
  onTestFinished(() => start.unsubscribe(note))
  time.now += 24 * 3_600_000 - 300_000
  await caller.run('renewing', () => auth.getToken())
  await until(() => ended(published).length === 1)
  expect(begun).toEqual(['renewing'])
  expect(ended(published)).toMatchObject([{ outcome: 'issued' }])
})

test('a login that nobody wants any more is abandoned', async () => {
  const { auth, emulator } = await service()
  const published = collectTraces('login')
  emulator.fault({ path: '/user/login', latencyMs: 60_000, times: 1 })
  const token = auth.getToken()
  await until(() => loginRequests({ emulator }) > 0)
  await auth.invalidate()
  await token
  expect(ended(published).map(({ outcome }) => outcome)).toEqual(['abandoned', 'issued'])
})

test('a login of any service is traced, and its own errors tell nothing of theirs', async () => {
  const published = collectTraces('login')
  const auth = createSessionAuth({
    name: 'other',
    baseUrl: 'https://a.example',
    credentials: { key: 'hidden-key' },
    session: 'own',
    login: async () => Promise.reject(Object.assign(new Error('hidden'), { code: 'HIDDEN' })),
    headers: (token) => ({ authorization: token }),
  })
  const send = authFetch(auth, { fetch: async () => new Response() })
  await expect(send('https://a.example/')).rejects.toThrow('failed')
  const [trace] = ended(published)
  expect(trace).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
  expect(JSON.stringify(published)).not.toMatch(/hidden/i)
})

test('a subscriber that asks for a token finds the login that it is told of', async () => {
  const { auth, emulator } = await service()
  const start = channel('tracing:svc-auth:login:start')
  const asked: Promise<string>[] = []
  const ask = (): void => void (asked.length < 5 && asked.push(auth.getToken()))
  start.subscribe(ask)
  onTestFinished(() => {
    start.unsubscribe(ask)
  })
  const token = await auth.getToken()
  expect(await Promise.all(asked)).toEqual([token])
  expect(loginRequests({ emulator })).toBe(1)
})

test('a subscriber that throws, or runs nothing, leaves one login', async () => {
  const start = channel('tracing:svc-auth:login:start')
  const spoil = (trace: unknown): void => {
    const spoilt = trace as LoginTrace
    spoilt.runInside = () => {
      throw new Error('a tracer that throws')
    }
  }
  start.subscribe(spoil)
  onTestFinished(() => start.unsubscribe(spoil))
  const { auth, emulator } = await service()
  const tokens = await Promise.all([auth.getToken(), auth.getToken()])
  expect(new Set(tokens).size).toBe(1)
  expect(loginRequests({ emulator })).toBe(1)
})
