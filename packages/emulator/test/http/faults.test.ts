import { describe, expect, test, vi } from 'vitest'
import { createEmulator, type Fault } from '@svc/emulator'
import { listening } from '../support/emulator.ts'
import { testAt } from '../support/sign.ts'

const primary = { Username: 'primary', Password: 'primary-password' }

describe('a fault', () => {
  test('with a status responds ahead of authentication, with its headers and body', async () => {
    const { emulator, login } = await listening()
    emulator.fault({ status: 503, headers: { 'Retry-After': '7' }, body: 'busy' })
    const response = await login(primary)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(await response.text()).toBe('busy')
    expect(emulator.logins).toBe(0)
    expect(emulator.requests).toMatchObject([
      { path: '/user/login', status: 503, auth: { scheme: 'none', ok: false } },
    ])
  })

  test('matches so many requests as it is told, and no more', async () => {
    const { emulator, login } = await listening()
    emulator.fault({ times: 2, status: 500 })
    const statuses = [await login(primary), await login(primary), await login(primary)]
    expect(statuses.map(({ status }) => status)).toEqual([500, 500, 200])
  })

  test('stays until it is cleared', async () => {
    const { emulator, login } = await listening()
    const fault = emulator.fault({ status: 429 })
    expect((await login(primary)).status).toBe(429)
    expect((await login(primary)).status).toBe(429)
    fault.clear()
    fault.clear()
    expect((await login(primary)).status).toBe(200)
  })

  test('matches its path and method alone; the first that matches counts', async () => {
    const { emulator, server } = await listening()
    emulator.fault({ path: /^\/v1\//gi, method: 'get', status: 501 })
    emulator.fault({ path: '/V1/a', status: 502 })
    emulator.fault({ status: 504 })
    const status = async (method: string, path: string) =>
      (await fetch(new URL(path, server.url), { method })).status
    expect(await status('GET', '/V1/a')).toBe(501)
    expect(await status('GET', '/V1/a?b')).toBe(501)
    expect(await status('PUT', '/V1/a')).toBe(502)
    expect(await status('PUT', '/V1/b')).toBe(504)
  })

  test('with a body responds 200 with what is no JSON', async () => {
    const { emulator, login } = await listening()
    emulator.fault({ path: '/user/login', body: '<html>' })
    const response = await login(primary)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('<html>')
  })

  test('with a redirect responds with its address, 307 or another status', async () => {
    const { emulator, server } = await listening()
    emulator.fault({ path: '/V1/a', redirect: { to: '/V1/b' } })
    emulator.fault({ path: '/V1/c', redirect: { to: new URL('http://a.test/'), status: 302 } })
    const a = await fetch(new URL('/V1/a', server.url), { redirect: 'manual' })
    expect([a.status, a.headers.get('location')]).toEqual([307, '/V1/b'])
    const c = await fetch(new URL('/V1/c', server.url), { redirect: 'manual' })
    expect([c.status, c.headers.get('location')]).toEqual([302, 'http://a.test/'])
    const inProcess = await emulator.fetch('http://localhost/V1/a')
    expect([inProcess.status, inProcess.headers.get('location')]).toEqual([307, '/V1/b'])
  })

  test('with a skew moves the Date that is sent and the time that is verified', async () => {
    const { emulator, signed } = await listening()
    expect(await signed({})).toMatchObject({ status: 404 })
    emulator.fault({ times: 2, skewMs: 3_600_000 })
    expect(await signed({})).toMatchObject({
      status: 403,
      headers: { date: 'Fri, 02 Jan 2026 04:04:05 GMT' },
    })
    expect(emulator.requests.at(-1)?.auth.code).toBe('RequestTimeTooSkewed')
    expect(await signed({ amzDate: '20260102T040405Z' })).toMatchObject({ status: 404 })
    expect(await signed({})).toMatchObject({
      status: 404,
      headers: { date: 'Fri, 02 Jan 2026 03:04:05 GMT' },
    })
  })

  test('with a latency waits, then goes on as usual', async () => {
    const { emulator, login } = await listening()
    emulator.fault({ latencyMs: 50 })
    const startedAt = performance.now()
    expect((await login(primary)).status).toBe(200)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(45)
  })

  test('that drops closes the connection, and the request is recorded', async () => {
    const { emulator, login } = await listening()
    emulator.fault({ times: 1, drop: true })
    await expect(login(primary)).rejects.toThrow(TypeError)
    expect(emulator.requests).toMatchObject([{ path: '/user/login', status: undefined }])
    expect((await login(primary)).status).toBe(200)
  })
})

describe('in process', () => {
  test('a dropped connection rejects as fetch does', async () => {
    const emulator = createEmulator()
    emulator.fault({ drop: true })
    await expect(emulator.fetch('http://localhost/V1/')).rejects.toThrow(TypeError)
    expect(emulator.requests).toHaveLength(1)
  })

  test('an aborted latency rejects at once with the reason of the signal', async () => {
    const emulator = createEmulator()
    emulator.fault({ latencyMs: 60_000 })
    const controller = new AbortController()
    const pending = emulator.fetch('http://localhost/V1/', { signal: controller.signal })
    const reason = new Error('enough')
    setImmediate(() => controller.abort(reason))
    await expect(pending).rejects.toBe(reason)
  })

  test('a signal that is aborted already sends nothing', async () => {
    const emulator = createEmulator()
    const reason = new Error('enough')
    const init = { signal: AbortSignal.abort(reason) }
    await expect(emulator.fetch('http://localhost/V1/', init)).rejects.toBe(reason)
    expect(emulator.requests).toEqual([])
  })
})

test('a latency ends with the connection, and the request is never carried out', async () => {
  const { emulator, server } = await listening()
  emulator.fault({ latencyMs: 200 })
  const controller = new AbortController()
  const aborted = fetch(new URL('/user/login', server.url), {
    method: 'POST',
    body: '{}',
    signal: controller.signal,
  }).catch((error: unknown) => error)
  await vi.waitUntil(() => emulator.requests.length === 1, 30_000)
  controller.abort('enough')
  expect(await aborted).toBe('enough')
  await new Promise((resolve) => setTimeout(resolve, 250))
  expect(emulator.requests).toMatchObject([{ status: undefined, auth: { scheme: 'none' } }])
})

test('a preflight matches no fault', async () => {
  const { emulator, server } = await listening()
  emulator.fault({ times: 1, status: 503 })
  const preflight = await fetch(new URL('/V1/', server.url), {
    method: 'OPTIONS',
    headers: { origin: 'http://page.test', 'access-control-request-method': 'GET' },
  })
  expect(preflight.status).toBe(204)
  expect((await fetch(new URL('/V1/', server.url))).status).toBe(503)
})

test.each<[named: string, fault: unknown]>([
  ['fault', {}],
  ['fault', { path: '/' }],
  ['status and latencyMs', { status: 500, latencyMs: 1 }],
  ['status', { status: 99 }],
  ['status', { status: 600 }],
  ['status', { status: '500' }],
  ['times', { status: 500, times: 0 }],
  ['times', { status: 500, times: 1.5 }],
  ['latencyMs', { latencyMs: -1 }],
  ['latencyMs', { latencyMs: Number.NaN }],
  ['skewMs', { skewMs: Number.POSITIVE_INFINITY }],
  ['drop', { drop: false }],
  ['fault', undefined],
  ['fault', null],
  ['redirect.to', { redirect: { to: '' } }],
  ['redirect.to', { redirect: {} }],
  ['nothing', { redirect: undefined }],
  ['redirect.status', { redirect: { to: '/', status: 200 } }],
  ['path', { path: 7, status: 500 }],
  ['method', { method: 7, status: 500 }],
  ['method', { method: '', status: 500 }],
  ['path', { path: null, status: 500 }],
  ['path', { path: '/V1/a?b', status: 500 }],
  ['times', { times: null, status: 500 }],
  ['times', { times: '2', status: 500 }],
  ['body', { body: {} }],
  ['body', { body: null }],
  ['body', { body: 5 }],
  ['body', { body: [104, 105] }],
  ['body', { status: 500, body: new ArrayBuffer(2) }],
  ['headers', { status: 500, headers: null }],
  ['headers', { status: 500, headers: 'retry-after: 2' }],
  ['headers', { status: 500, headers: [['retry-after', '2']] }],
  ['headers["retry-after"]', { status: 500, headers: { 'retry-after': 2 } }],
  ['headers["a b"]', { status: 500, headers: { 'a b': 'c' } }],
  ['headers["a"]', { status: 500, headers: { a: 'b\r\nc: d' } }],
  ['headers["a"]', { status: 500, headers: { a: '\u20ac' } }],
  ['headers["a"]', { status: 500, headers: { a: 'b\u0001' } }],
  ['headers', { drop: true, headers: { a: 'b' } }],
  ['latencyMs', { latencyMs: '50' }],
  ['latencyMs', { latencyMs: null }],
  ['latencyMs', { latencyMs: 5n }],
  ['skewMs', { skewMs: '1' }],
  ['skewMs', { skewMs: 1e300 }],
  ['drop', { drop: 'yes' }],
  ['drop', { drop: 1 }],
  ['redirect', { redirect: null }],
  ['redirect', { redirect: 'http://a.test/' }],
  ['redirect.to', { redirect: { to: 5 } }],
  ['redirect.to', { redirect: { to: {} } }],
  ['redirect.to', { redirect: { to: '/a\r\nb: c' } }],
  ['redirect.to', { redirect: { to: '/\u20ac' } }],
  ['redirect.status', { redirect: { to: '/', status: '307' } }],
  ['redirect.status', { redirect: { to: '/', status: 300.5 } }],
  ['redirect.status', { redirect: { to: '/', status: null } }],
  ['url is not an option; the options are to, status', { redirect: { to: '/', url: '/' } }],
  ['latency is not an option; did you mean latencyMs?', { status: 500, latency: 5 }],
  ['it', []],
  ['it', 'drop'],
])('a fault that is none throws a TypeError that names %s', (named, fault) => {
  const emulator = createEmulator({ clock: () => testAt })
  const addFault = (added: Fault) => emulator.fault(added)
  const add = () => Reflect.apply(addFault, undefined, [fault])
  expect(add).toThrow(TypeError)
  expect(add).toThrow(named)
  expect(add).toThrow('[@svc/emulator] fault: ')
})

test('a field of a fault that is undefined counts as absent', async () => {
  const emulator = createEmulator()
  const addFault = (added: Fault) => emulator.fault(added)
  Reflect.apply(addFault, undefined, [
    { status: 503, latencyMs: undefined, headers: undefined, lattency: undefined },
  ])
  expect((await emulator.fetch('http://localhost/')).status).toBe(503)
})
