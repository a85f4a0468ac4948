import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startCommand } from '../support/command.ts'
import { createEmulator } from '@svc/emulator'

const get = 'GET /V1/a HTTP/1.1\r\nhost: h\r\n\r\n'
const chunkedHead = 'PUT /V1/a HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n'
const withLength = (length: string, body = '') =>
  `PUT /V1/a HTTP/1.1\r\nhost: h\r\ncontent-length: ${length}\r\n\r\n${body}`

test('no hostile request ends the command', { timeout: 120_000 }, async () => {
  const { child, url } = await startCommand()
  child.stdout.resume()
  const hostile: readonly string[] = [
    '',
    '\0',
    '\r\n\r\n\r\n',
    'GET',
    'GET /\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'NONSENSE / HTTP/1.1\r\nhost: h\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nhost: h\r\n\r\n',
    'CONNECT h:443 HTTP/1.1\r\nhost: h\r\n\r\n',
    'TRACE / HTTP/1.1\r\nhost: h\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
    'GET http:// HTTP/1.1\r\nhost: h\r\n\r\n',
    'GET //////%2e%2e/..;/%00 HTTP/1.1\r\nhost: h\r\n\r\n',
    'GET / HTTP/1.1\r\nhost: h\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    'PUT / HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\ncontent-length: 1\r\n\r\n',
    'PUT / HTTP/1.1\r\nhost: h\r\nexpect: nonsense\r\ncontent-length: 1\r\n\r\nx',
    'GET / HTTP/1.1\r\nhost: h\r\n: no name\r\n\r\n',
    'GET / HTTP/1.1\r\nhost: h\r\nfolded: a\r\n b\r\n\r\n',
    'GET / HTTP/1.1\r\nhost: h\r\na: \u0001\u007f\r\n\r\n',
    `GET / HTTP/1.1\r\nhost: h\r\n${'a: b\r\n'.repeat(30_000)}\r\n`,
    `GET / HTTP/1.1\r\nhost: h\r\na: ${'b'.repeat(300_000)}\r\n\r\n`,
    `GET /${'a'.repeat(300_000)} HTTP/1.1\r\nhost: h\r\n\r\n`,
    `GET /?${'a&'.repeat(100_000)} HTTP/1.1\r\nhost: h\r\nauthorization: AWS4-HMAC-SHA256\r\n\r\n`,
    withLength('-1'),
    withLength('1e3', 'x'),
    withLength('99999999999999999999'),
    withLength('4294967296', 'x'),
    withLength('1, 2', 'xx'),
    withLength('5', 'xx'),
    withLength('1', `x${get}`),
    withLength('1', 'x\0\r\nnonsense'),
    `PUT /V1/a HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    'PUT /V1/a HTTP/1.1\r\nhost: h\r\ntransfer-encoding: gzip\r\n\r\nxx',
    `${chunkedHead}zz\r\nxx\r\n`,
    `${chunkedHead}ffffffffffffffff\r\nx`,
    `${chunkedHead}7fffffff\r\nx`,
    `${chunkedHead}-1\r\nx\r\n0\r\n\r\n`,
    `${chunkedHead}2\r\nxxxxx\r\n0\r\n\r\n`,
    `${chunkedHead}1;${'e'.repeat(300_000)}\r\nx\r\n0\r\n\r\n`,
    `${chunkedHead}1\r\nx\r\n0\r\n${'a: b\r\n'.repeat(30_000)}\r\n`,
    `${chunkedHead}0\r\n\r\n${get}`,
    get.repeat(200),
    `${get.repeat(50)}nonsense\r\n\r\n${get.repeat(50)}`,
  ]
  for (const text of hostile) {
    for (const ends of [true, false]) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.resume()
      const closed = once(socket, 'close').catch(() => undefined)
      await new Promise<void>((resolve) => socket.write(text || '\n', 'latin1', () => resolve()))
      if (ends) socket.end()
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 20))])
      socket.destroy()
    }
    expect(child.exitCode).toBe(null)
  }
  expect((await fetch(url)).status).toBe(403)
})

test('hostile bodies in process are rejected, or responded to', async () => {
  const emulator = createEmulator({ maxBodyBytes: 1000 })
  const put = (body: unknown) =>
    Reflect.apply(emulator.fetch, undefined, [
      'http://localhost/V1/a',
      { method: 'PUT', body, duplex: 'half' },
    ])
  const failing = new ReadableStream({
    pull: (controller) => controller.error(new Error('broken')),
  })
  await expect(put(failing)).rejects.toThrow('broken')
  await expect(put(new ReadableStream({ start: (c) => c.enqueue('text') }))).rejects.toThrow(Error)
  let isCancelled = false
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(100)),
    cancel: () => void (isCancelled = true),
  })
  expect((await put(endless)).status).toBe(413)
  expect(isCancelled).toBe(true)
})
