import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { openInFrontOf, sendRaw } from '../support/open-proxy.ts'
import { proxySecret } from '../support/proxy-environment.ts'

const secret = `x-svc-proxy-secret: ${proxySecret}\r\n`

/** A request that leaves its connection open. */
const request = (port: number, path: string, more = secret): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${more}\r\n`

const closing = `${secret}connection: close\r\n`

/** Starts a service that responds with the path, or holds a response until it is asked for. */
async function openHolding() {
  const paths: string[] = []
  const held: ServerResponse[] = []
  const proxy = await openInFrontOf((incoming, response) => {
    paths.push(incoming.url ?? '')
    if (incoming.url === '/V1/held') held.push(response)
    else response.end(`at ${incoming.url ?? ''}`)
  })
  // From now on there is a connection to the service.
  await sendRaw(proxy.port, request(proxy.port, '/V1/first', closing))
  paths.length = 0
  return { paths, held, ...proxy }
}

const statusesOf = (text: string): number[] =>
  Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))

test('requests in a pipeline are forwarded one after another', async () => {
  const { paths, held, port, logged } = await openHolding()
  const sent = sendRaw(
    port,
    request(port, '/V1/held') + request(port, '/V1/b') + request(port, '/V1/c', closing),
  )
  // A round trip that goes through everything that the pipeline could have reached.
  while (held.length === 0) await sendRaw(port, request(port, '/V1/probe', closing))
  await sendRaw(port, request(port, '/V1/probe', closing))
  expect(paths.filter((path) => path !== '/V1/probe')).toEqual(['/V1/held'])
  held[0]?.end('at last')
  const text = await sent
  expect(statusesOf(text)).toEqual([200, 200, 200])
  expect(text).toMatch(/at last.*at \/V1\/b.*at \/V1\/c/s)
  await logged(1)
})

test('a connection with more than a few requests in its pipeline is closed', async () => {
  const { paths, port } = await openHolding()
  expect(await sendRaw(port, request(port, '/V1/held').repeat(1000))).toBe('')
  expect(paths.length).toBeLessThanOrEqual(1)
  expect(await sendRaw(port, request(port, '/V1/a', closing))).toContain('at /V1/a')
})

test('nothing is forwarded behind a request whose refusal closes the connection', async () => {
  const { paths, port } = await openHolding()
  const refused = `PUT /V1/a HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 5\r\n\r\nhello`
  expect(statusesOf(await sendRaw(port, refused + request(port, '/V1/b')))).toEqual([403])
  await sendRaw(port, request(port, '/V1/c', closing))
  expect(paths).toEqual(['/V1/c'])
})

test('a request that was forwarded has its response, whatever follows it', async () => {
  const { held, port } = await openHolding()
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (data: string) => (text += data))
  socket.write(`${request(port, '/V1/held')}no HTTP at all\r\n\r\n`)
  while (held.length === 0) await sendRaw(port, request(port, '/V1/probe', closing))
  socket.write('more of it\r\n\r\n')
  await sendRaw(port, request(port, '/V1/probe', closing))
  held[0]?.end('at last')
  await once(socket, 'close')
  expect(statusesOf(text)).toEqual([200])
  expect(text).toContain('at last')
})
