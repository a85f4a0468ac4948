import { get } from 'node:http'
import { openSync } from 'node:fs'
import { createConnection } from 'node:net'
import type { OddCall, OddClient, OpenClient } from './client.ts'
import { user } from '../users.ts'

/** Adapters with a fault each, by which a test sees that every demand can fail. */
export const openClients: Readonly<Record<string, OpenClient>> = {
  /** Sends without the credential. */
  'broken-bare': broken((call) => fetch(String(call.url))),
  /** Sends half of the credential. */
  'broken-half': broken((call) => fetch(String(call.url), { headers: { 'x-api-key': 'key-' } })),
  /** Sends the credential to whoever the service names. */
  'broken-redirect': broken((call) =>
    fetch(String(call.url), { headers: { 'x-api-key': 'key-1' }, redirect: 'follow' }),
  ),
  /** Sends the surplus of a body after the request. */
  'broken-surplus': broken(async (call) => {
    const { port, host } = new URL(String(call.url))
    const socket = createConnection(Number(port), '127.0.0.1')
    socket.write(`GET /V1/reports HTTP/1.1\r\nhost: ${host}\r\nx-api-key: key-1\r\n\r\n`)
    socket.write('a surplus\0\r\n\r\n')
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
  }),
  /** Sends again and again. */
  'broken-replay': broken(async (call) => {
    for (let times = 0; times < 40; times += 1) await authorized(call)
  }),
  /** Sends another body than the one that was given. */
  'broken-body': broken((call) =>
    authorized(call, { method: 'PUT', body: '[object ReadableStream]' }),
  ),
  /** Sends past the transport of the caller. */
  'broken-way': broken((call) => authorized(call)),
  /** Sends the password to a place that is no login. */
  'broken-login': broken((call) => authorized(call, { method: 'POST', body: user.password })),
  /** Rejects, and leaves the body open. */
  'broken-stream': broken(async () => {
    throw new Error('not sent')
  }),
  /** Never settles. */
  'broken-hang': broken(() => new Promise(() => {})),
  /** Never lets go of the processor. */
  'broken-loop': broken(() => {
    for (;;);
  }),
  /** Ends the process after the call. */
  'broken-death': broken(async (call) => {
    await authorized(call)
    setTimeout(() => {
      throw new Error('after the call')
    }, 300)
  }),
  /** Leaves a rejection to nobody. */
  'broken-rejection': broken(async (call) => {
    await authorized(call)
    void Promise.reject(new Error('unheard'))
  }),
  /** Leaves a file open. */
  'broken-descriptor': broken(async (call) => {
    await authorized(call)
    openSync(process.execPath, 'r')
  }),
  /** Leaves a listener on the caller's signal. */
  'broken-listener': broken(async (call) => {
    await authorized(call)
    if (call.signal instanceof AbortSignal) call.signal.addEventListener('abort', () => {})
  }),
  /** Leaves a listener on the process. */
  'broken-process-listener': broken(async (call) => {
    await authorized(call)
    process.on('SIGUSR2', () => {})
  }),
  /** Leaves a timer running. */
  'broken-timer': broken(async (call) => {
    await authorized(call)
    setTimeout(() => {}, 60_000)
  }),
  /** Rejects once the request was handed to the system, and leaves it under way. */
  'broken-request': broken(
    ({ url }) =>
      new Promise((_, reject) => {
        const request = get(String(url), { headers: { 'x-api-key': 'key-1' } })
        request.on('error', () => {}).once('finish', () => reject(new Error('given up')))
      }),
  ),
}

async function authorized({ url }: OddCall, init: RequestInit = {}): Promise<void> {
  const response = await fetch(String(url), { headers: { 'x-api-key': 'key-1' }, ...init })
  await response.text()
}

/** Returns a client that is broken with a scheme, and plain without one. */
function broken(send: OddClient['send']): OpenClient {
  return ({ scheme }) => ({
    send: scheme ? send : ({ url }) => fetch(String(url)),
    close: () => Promise.resolve(),
  })
}
