import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createEmulator } from '@svc/emulator'
import { atNight } from '../../../../tests/support/nightly.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { listening, send } from '../support/emulator.ts'

const mebibyte = 2 ** 20
const script = fileURLToPath(new URL('../fixtures/held-bytes.ts', import.meta.url))
const flags = ['--expose-gc', '--conditions=@svc/source', '--disable-warning=ExperimentalWarning']

const floods: [kind: string, count: number, what: string, mebibytes: number][] = [
  ['defaults', atNight(100, 50), 'refused bodies of 4 MB', 100],
  ['unfinished', atNight(1000, 500), 'uploads of 1 MiB that stop half way', 150],
  ['usernames', 100, 'refused logins whose username has 4 MB', 150],
  ['heads', 2000, 'refused heads of 190 KB', 150],
  ['byte by byte', 1_000_000, 'bytes, each a chunk of its own', 40],
  ['pipelined', 100_000, 'requests behind a latency', 150],
]
test.each(floods.slice(0, atNight(undefined, 2)))(
  '%s: %d %s hold a bounded number of bytes',
  { timeout: 120_000 },
  async (kind, ...given) => {
    const [count, , mebibytes] = given
    const { stdout, stderr } = await run(process.execPath, [...flags, script, kind, `${count}`])
    expect(stderr).toBe('')
    expect(JSON.parse(stdout).grownBytes).toBeLessThan(mebibytes * mebibyte)
  },
)

const put = (path: string, size: number) =>
  [`http://localhost${path}`, { method: 'PUT', body: 'x'.repeat(size) }] as const

test('the oldest bodies go first beyond maxRecordedBytes, and the requests stay', async () => {
  const emulator = createEmulator({ maxRecordedBytes: 250_000 })
  for (const path of ['/a', '/b', '/c', '/d']) await emulator.fetch(...put(path, 100_000))
  expect(emulator.requests.map(({ path }) => path)).toEqual(['/a', '/b', '/c', '/d'])
  expect(emulator.requests.map(({ body }) => body.byteLength)).toEqual([0, 0, 100_000, 100_000])
  expect(emulator.requests.map(({ bodyBytes }) => bodyBytes)).toEqual(Array(4).fill(100_000))
})

test('a request larger than maxRecordedBytes is recorded without its body', async () => {
  const emulator = createEmulator({ maxRecordedBytes: 10_000 })
  expect((await emulator.fetch(...put('/a', 10_001))).status).toBe(403)
  expect(emulator.requests).toMatchObject([{ path: '/a', status: 403, bodyBytes: 10_001 }])
  expect(emulator.requests[0]?.body.byteLength).toBe(0)
})

test('requests without a body are bounded by their heads', async () => {
  const emulator = createEmulator({ maxRecordedBytes: 100_000 })
  for (let index = 0; index < 100; index += 1) {
    await emulator.fetch(`http://localhost/${index}`, { headers: { note: 'n'.repeat(5000) } })
  }
  expect(emulator.requests.length).toBeLessThan(11)
  expect(emulator.requests.at(-1)?.path).toBe('/99')
})

test('reset forgets the bytes, too', async () => {
  const emulator = createEmulator({ maxRecordedBytes: 250_000 })
  for (const path of ['/a', '/b', '/c']) {
    await emulator.fetch(...put(path, 200_000))
    emulator.reset()
  }
  await emulator.fetch(...put('/d', 200_000))
  expect(emulator.requests.map(({ body }) => body.byteLength)).toEqual([200_000])
})

test('an upload beyond maxPendingBytes gets 503, and its room is free again when others end', async () => {
  const { emulator, server, signed } = await listening({ maxPendingBytes: 300_000 })
  const socket = connect(Number(server.url.port), server.url.hostname)
  onTestFinished(() => void socket.destroy())
  socket.write('PUT /V1/slow HTTP/1.1\r\nhost: h\r\ncontent-length: 250000\r\n\r\n')
  socket.write('x'.repeat(200_000))
  const upload = () => signed({ method: 'PUT', target: '/V1/a', body: 'x'.repeat(200_000) })
  await vi.waitUntil(async () => (await upload().catch(() => undefined))?.status === 503, 30_000)
  expect(emulator.requests.at(-1)).toMatchObject({
    status: 503,
    auth: { scheme: 'none', ok: false, code: 'SlowDown' },
  })
  expect((await signed({ target: '/V1/a' })).status).toBe(404)
  socket.destroy()
  await once(socket, 'close')
  await vi.waitUntil(async () => (await upload().catch(() => undefined))?.status === 200, 30_000)
})

test('requests that were dropped, aborted or left waiting in a pipeline leave their room free', async () => {
  const { emulator, server, signed } = await listening({ maxPendingBytes: 300_000 })
  const drop = emulator.fault({ path: '/dropped', drop: true })
  for (let index = 0; index < 20; index += 1) {
    await expect(
      fetch(new URL('/dropped', server.url), { method: 'PUT', body: 'x'.repeat(100_000) }),
    ).rejects.toThrow(TypeError)
    await expect(emulator.fetch(...put('/dropped', 100_000))).rejects.toThrow(TypeError)
  }
  drop.clear()
  const latency = emulator.fault({ latencyMs: 3_600_000 })
  for (let index = 0; index < 5; index += 1) {
    const arrived = emulator.requests.length
    const socket = connect(Number(server.url.port), server.url.hostname)
    socket.write('GET /waits HTTP/1.1\r\nhost: h\r\n\r\n'.repeat(10))
    await vi.waitUntil(() => emulator.requests.length === arrived + 10, 30_000)
    socket.destroy()
    await once(socket, 'close')
  }
  latency.clear()
  const body = 'x'.repeat(250_000)
  expect((await signed({ method: 'PUT', target: '/V1/a', body })).status).toBe(200)
  const held = await send(server.url, { method: 'GET', target: '/', rawHeaders: [['host', 'h']] })
  expect(held.status).toBe(403)
})

test('a request that is alone is never too much', async () => {
  const { signed } = await listening({ maxPendingBytes: 1 })
  expect((await signed({ method: 'PUT', target: '/V1/a', body: 'x' })).status).toBe(200)
})
