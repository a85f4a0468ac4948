import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, get, request, type IncomingMessage } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { atNight } from '../../../../tests/support/nightly.ts'
import { secretHeader } from '../support/open-proxy.ts'
import { startProcess } from '../support/start-proxy-process.ts'

const mebibyte = 1024 * 1024
const size = atNight(1024, 256) * mebibyte
const piece = Buffer.alloc(64 * 1024, 'a')

/** Starts a proxy as a process, before a service that counts what it gets and sends as much as it is asked for. */
async function openBulk() {
  const received: number[] = []
  const server = await listenOnLoopback(
    createServer(async (incoming, response) => {
      let bytes = 0
      for await (const chunk of incoming) bytes += (chunk as Buffer).byteLength
      received.push(bytes)
      if (incoming.method !== 'GET') {
        response.end()
        return
      }
      response.writeHead(200, { 'content-length': size })
      for (let sent = 0; sent < size; sent += piece.byteLength) {
        if (!response.write(piece)) await once(response, 'drain')
      }
      response.end()
    }),
  )
  onTestFinished(() => server.close())
  const proxy = await startProcess({ baseUrl: server.url.href.replace(/\/$/, '') })
  // What every request needs is loaded by the first.
  await fetch(`${proxy.url}/V1/a`, { method: 'PUT', headers: secretHeader, body: piece })
  received.length = 0
  return { received, ...proxy, memory: () => memoryOf(Number(proxy.child.pid)) }
}

/** Reads the memory of a process, now and at most, in MiB. */
function memoryOf(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return { now: field('VmRSS'), most: field('VmHWM') }
}

async function upload(url: string, headers: Record<string, string | number>): Promise<number> {
  const outgoing = request(url, { method: 'PUT', headers: { ...secretHeader, ...headers } })
  const responded = once(outgoing, 'response')
  for (let sent = 0; sent < size; sent += piece.byteLength) {
    if (!outgoing.write(piece)) await once(outgoing, 'drain')
  }
  outgoing.end()
  const [response] = (await responded) as [IncomingMessage]
  await once(response.resume(), 'end')
  return response.statusCode ?? 0
}

describe.skipIf(process.platform !== 'linux')(`${size / mebibyte} MiB`, () => {
  test('up takes less than 64 MiB of memory', async () => {
    const { url, received, memory } = await openBulk()
    const before = memory()
    expect(await upload(`${url}/V1/a`, { 'content-length': size })).toBe(200)
    expect(received).toEqual([size])
    expect(memory().most - before.now).toBeLessThan(64)
  })

  test('up under a hash that was declared takes less than 64 MiB of memory', async () => {
    const { url, received, memory } = await openBulk()
    const hash = createHash('sha256')
    for (let sent = 0; sent < size; sent += piece.byteLength) hash.update(piece)
    const before = memory()
    const headers = { 'content-length': size, 'x-amz-content-sha256': hash.digest('hex') }
    expect(await upload(`${url}/V1/a`, headers)).toBe(200)
    expect(received).toEqual([size])
    expect(memory().most - before.now).toBeLessThan(64)
  })

  test('down takes less than 64 MiB of memory', async () => {
    const { url, memory } = await openBulk()
    const before = memory()
    const [response] = (await once(get(`${url}/V1/a`, { headers: secretHeader }), 'response')) as [
      IncomingMessage,
    ]
    let bytes = 0
    for await (const chunk of response) bytes += (chunk as Buffer).byteLength
    expect(bytes).toBe(size)
    expect(memory().most - before.now).toBeLessThan(64)
  })

  test('down wait for a client that does not read', async () => {
    const { url, memory } = await openBulk()
    const before = memory()
    const outgoing = get(`${url}/V1/a`, { headers: secretHeader })
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    response.pause()
    // Others go on meanwhile, and give the proxy all the time to read ahead.
    for (let count = 0; count < 200; count += 1) {
      await fetch(`${url}/V1/b`, { method: 'PUT', headers: secretHeader, body: 'a' })
    }
    expect(memory().most - before.now).toBeLessThan(64)
    outgoing.destroy()
  })
})
