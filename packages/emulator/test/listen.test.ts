import { connect } from 'node:net'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { expect, test, vi } from 'vitest'
import { createEmulator } from '@svc/emulator'
import { listening, send } from './support/emulator.ts'

test('it listens on 127.0.0.1 and a free port, several times over', async () => {
  const emulator = createEmulator()
  const first = await emulator.listen()
  const second = await emulator.listen()
  expect(first.url.hostname).toBe('127.0.0.1')
  expect(`${first.baseUrl}/`).toBe(first.url.href)
  expect(first.url.port).not.toBe(second.url.port)
  expect((await fetch(first.url)).status).toBe(403)
  expect((await fetch(second.url)).status).toBe(403)
  expect(emulator.requests).toHaveLength(2)
  await Promise.all([first.close(), second.close()])
})

test('close ends promptly beside a connection that is kept alive and one that waits', async () => {
  const emulator = createEmulator()
  const server = await emulator.listen()
  const agent = new Agent({ keepAlive: true })
  const [response] = await once(get(server.url, { agent }), 'response')
  response.resume()
  await once(response, 'end')
  emulator.fault({ latencyMs: 3_600_000 })
  const waiting = fetch(server.url).catch((error: unknown) => error)
  await vi.waitUntil(() => emulator.requests.length === 2, 30_000)
  await server.close()
  await server.close()
  expect(await waiting).toBeInstanceOf(TypeError)
  await expect(fetch(server.url)).rejects.toThrow(TypeError)
  agent.destroy()
})

test('a port that is taken rejects with the error of the system', async () => {
  const { emulator, server } = await listening()
  await expect(emulator.listen({ port: Number(server.url.port) })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})

test('a port instead of options is told apart', async () => {
  // Plain JavaScript may hand it over.
  const port = 8080 as never
  await expect(createEmulator().listen(port)).rejects.toThrow('such as { port: 8080 }')
})

test.each<[named: string, options: unknown]>([
  ['port', { port: -1 }],
  ['port', { port: 65_536 }],
  ['port', { port: 1.5 }],
  ['port', { port: null }],
  ['port', { port: '8080' }],
  ['port', { port: 8080n }],
  ['host', { host: '' }],
  ['host', { host: null }],
  ['host', { host: 5 }],
  ['options', null],
  ['options', 8080],
  ['options', []],
  ['prot is not an option; did you mean port?', { prot: 8080 }],
])('a wrong %s rejects with a TypeError that names it', async (named, options) => {
  const emulator = createEmulator()
  const call = (given: Parameters<typeof emulator.listen>[0]) => emulator.listen(given)
  const listen = Reflect.apply(call, undefined, [options])
  await expect(listen).rejects.toThrow(TypeError)
  await expect(listen).rejects.toThrow(`[@svc/emulator] listen: ${named}`)
})

test('a body beyond maxBodyBytes gets 413, and is not kept', async () => {
  const { emulator, login, server } = await listening({ maxBodyBytes: 1000 })
  expect((await login('x'.repeat(1000))).status).toBe(400)
  expect((await login('x'.repeat(1001))).status).toBe(413)
  expect((await login('x'.repeat(4_000_000))).status).toBe(413)
  expect(emulator.requests.at(-1)).toMatchObject({ status: 413, auth: { code: 'EntityTooLarge' } })
  expect(emulator.requests.at(-1)?.body.byteLength).toBe(0)
  expect((await login('{}')).status).toBe(400)
  const inProcess = await emulator.fetch(server.url, { method: 'PUT', body: 'x'.repeat(1001) })
  expect(inProcess.status).toBe(413)
})

test('a body that stops half way is no request', async () => {
  const { emulator, server } = await listening()
  const socket = connect(Number(server.url.port), server.url.hostname)
  const head = 'POST /user/login HTTP/1.1\r\nhost: h\r\ncontent-length: 10\r\n\r\n'
  await new Promise<void>((resolve) => socket.write(`${head}abc`, () => resolve()))
  socket.destroy()
  await once(socket, 'close')
  expect((await fetch(server.url)).status).toBe(403)
  expect(emulator.requests.map(({ method }) => method)).toEqual(['GET'])
})

test('a body in chunks is read whole', async () => {
  const { emulator, server } = await listening()
  const body = new Blob(['one ', 'two']).stream()
  const init = { method: 'PUT', body, duplex: 'half' } as const
  await fetch(new URL('/V1/a', server.url), init)
  expect(Buffer.from(emulator.requests[0]?.body ?? []).toString()).toBe('one two')
})

test.each([
  ['/V1/a/../b', 200],
  ['/V1/./a', 200],
  ['//V1/a', 404],
])('the line %s is verified as it came, not as a URL would spell it', async (target, status) => {
  const { signed } = await listening()
  expect((await signed({ method: 'PUT', target })).status).toBe(status)
})

test('a request line in absolute form is routed as its path', async () => {
  const { server } = await listening()
  const rawHeaders = [['host', 'h']] as const
  const target = 'http://elsewhere.test/user/groups'
  expect((await send(server.url, { method: 'GET', target, rawHeaders })).status).toBe(401)
})
