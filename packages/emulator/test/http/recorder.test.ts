import { expect, test } from 'vitest'
import { createEmulator } from '@svc/emulator'
import { listening, send } from '../support/emulator.ts'

test('what arrived is recorded in order, as it stood on the socket', async () => {
  const { emulator, server } = await listening()
  await send(server.url, {
    method: 'POST',
    target: '/V1/%7e//a%2fb?b=2&a=1&',
    rawHeaders: [
      ['HOST', server.url.host],
      ['X-Note', 'caf\u00e9'],
      ['x-note', ' again '],
      ['__proto__', 'kept'],
    ],
    body: Buffer.from('body'),
  })
  await send(server.url, { method: 'GET', target: '/', rawHeaders: [['host', 'h']] })
  expect(emulator.requests.map(({ target }) => target)).toEqual(['/V1/%7e//a%2fb?b=2&a=1&', '/'])
  const [first] = emulator.requests
  expect(first).toMatchObject({
    method: 'POST',
    path: '/V1/%7e//a%2fb',
    status: 403,
    auth: { scheme: 'sigv4', ok: false, code: 'AccessDenied' },
  })
  expect(first?.rawHeaders.slice(0, 4)).toEqual([
    ['HOST', server.url.host],
    ['X-Note', 'caf\u00e9'],
    ['x-note', 'again'],
    ['__proto__', 'kept'],
  ])
  expect(first?.headers['x-note']).toBe('caf\u00e9, again')
  expect(Object.hasOwn(first?.headers ?? {}, '__proto__')).toBe(true)
  expect(Buffer.from(first?.body ?? []).toString()).toBe('body')
})

test('in process, the URL stands for the request line and for Host', async () => {
  const emulator = createEmulator()
  const url = 'http://emulator.test:8080/V1/a%2Fb//?x=1#fragment'
  await emulator.fetch(new Request(url, { headers: { 'X-Note': 'a', Host: 'other' } }))
  await emulator.fetch('http://emulator.test?x')
  await emulator.fetch('http://emulator.test/a?')
  expect(emulator.requests[0]).toMatchObject({
    target: '/V1/a%2Fb//?x=1',
    path: '/V1/a%2Fb//',
    headers: { host: 'emulator.test:8080', 'x-note': 'a' },
  })
  expect(emulator.requests.map(({ target }) => target).slice(1)).toEqual(['/?x', '/a?'])
})

test('the oldest requests are forgotten beyond maxRecordedRequests', async () => {
  const emulator = createEmulator({ maxRecordedRequests: 2 })
  await emulator.fetch('http://localhost/a')
  await emulator.fetch('http://localhost/b')
  await emulator.fetch('http://localhost/c')
  expect(emulator.requests.map(({ path }) => path)).toEqual(['/b', '/c'])
})

test('reset forgets requests, logins, objects and faults, and leaves tokens valid', async () => {
  const { emulator, groups, signed, token } = await listening()
  const kept = await token()
  await signed({ method: 'PUT', body: 'x' })
  emulator.fault({ status: 500 })
  emulator.reset()
  expect(emulator.requests).toEqual([])
  expect(emulator.logins).toBe(0)
  expect((await signed({})).status).toBe(404)
  expect((await groups(kept)).status).toBe(200)
})
