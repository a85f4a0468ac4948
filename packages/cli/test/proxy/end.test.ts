import { once } from 'node:events'
import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { hasOnPosix } from '../../../../tests/support/needs.ts'
import { openEmulated, openInFrontOf, secretHeader } from '../support/open-proxy.ts'
import { startProcess } from '../support/start-proxy-process.ts'

test('requests under way finish, and no more are taken', async () => {
  let respond: (() => void) | undefined
  const { url, port, end } = await openInFrontOf((_, response) => {
    response.write('half, ')
    respond = () => response.end('whole')
  })
  const [response] = (await once(get(`${url}/V1/a`, { headers: secretHeader }), 'response')) as [
    IncomingMessage,
  ]
  const ended = end()
  const late = connect(port, '127.0.0.1')
  await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED')
  respond?.()
  expect((await response.toArray()).join('')).toBe('half, whole')
  expect(await ended).toBe(0)
})

test('idle connections do not keep it', async () => {
  const { port, end } = await openEmulated()
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  expect(await end()).toBe(0)
  await closed
})

// Less than the time that requests under way are given.
test('half a head does not keep it', async () => {
  const { url, port, end } = await openEmulated()
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}).write('GET /V1/a HT')
  const silent = connect(port, '127.0.0.1').on('error', () => {})
  await once(silent, 'connect')
  await (await fetch(url)).text()
  expect(await end()).toBe(0)
})

const hasSignals = hasOnPosix('signals that another process could send')

test.runIf(hasSignals)('a second signal ends it at once', async () => {
  const { createServer } = await import('node:http')
  const { listenOnLoopback } = await import('../../../../tests/support/loopback.ts')
  const waiting: ServerResponse[] = []
  const service = await listenOnLoopback(createServer((_, response) => void waiting.push(response)))
  const { url, port, child, ended } = await startProcess({
    baseUrl: service.url.href.replace(/\/$/, ''),
  })
  const outgoing = get(`${url}/V1/a`, { headers: secretHeader })
  outgoing.on('error', () => {})
  while (waiting.length === 0) await new Promise(setImmediate)
  child.kill('SIGTERM')
  const refused = async (): Promise<boolean> => {
    const socket = connect(port, '127.0.0.1')
    return Promise.race([
      once(socket, 'connect').then(() => false),
      once(socket, 'close').then(() => true),
    ]).catch(() => true)
  }
  while (!(await refused())) await new Promise(setImmediate)
  child.kill('SIGTERM')
  expect(await ended).toEqual([null, 'SIGTERM'])
  await service.close()
})

test.runIf(hasSignals).each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends an idle proxy with 0',
  async (signal) => {
    const { child, ended } = await startProcess({ baseUrl: 'http://127.0.0.1:1' })
    child.kill(signal)
    expect(await ended).toEqual([0, null])
  },
)
