import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AuthError } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import { createServiceAuth } from '@svc/service-auth'
import type { AuthEvent } from '@svc/types'
import axios from 'axios'
import { expect, onTestFinished, test } from 'vitest'
import { findText } from '../support/find-text.ts'

const cookie = 'session=of-the-visitor'

/** Pipes an upload of a visitor to the service, and gives what that throws and the events. */
async function pipeUpload(
  path: string,
  password: string,
  upload: (
    send: (incoming: IncomingMessage) => Promise<unknown>,
    incoming: IncomingMessage,
  ) => Promise<unknown>,
): Promise<{ error: unknown; events: AuthEvent[] }> {
  const emulator = createEmulator()
  emulator.fault({ path: '/V1/away', status: 503 })
  const service = await emulator.listen()
  const events: AuthEvent[] = []
  const auth = createServiceAuth({
    baseUrl: service.baseUrl,
    region: 'us-east-1',
    user: { ...defaultUsers[0], password },
    apiKey: defaultApiKeys[0],
    onEvent: (event) => void events.push(event),
  })
  const api = axios.create({ baseURL: service.baseUrl, ...authAxios(auth) })
  let resolve: (error: unknown) => void = () => {}
  const ended = new Promise<unknown>((given) => {
    resolve = given
  })
  const server = createServer(async (incoming, response) => {
    const headers = { 'content-length': incoming.headers['content-length'] }
    await upload((body) => api.put(path, body, { headers }), incoming).then(
      () => resolve(undefined),
      (error: unknown) => resolve(error),
    )
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.close()
    await service.close()
  })
  const { port } = server.address() as AddressInfo
  const init = { method: 'PUT', headers: { cookie }, body: 'abc' }
  // An upload that is not sent on is ended, and with it the connection of the visitor.
  await fetch(`http://127.0.0.1:${port}`, init).catch(() => {})
  return { error: await ended, events }
}

const asItCame = (
  send: (incoming: IncomingMessage) => Promise<unknown>,
  incoming: IncomingMessage,
) => send(incoming)

test('an error of axios shows the cookie of an upload that is piped, so that it must not be logged', async () => {
  const { error, events } = await pipeUpload('/V1/away', defaultUsers[0].password, asItCame)
  expect(error).toMatchObject({ name: 'AxiosError', status: 503 })
  expect(findText(error, cookie).join()).toContain('config.data')
  expect(findText(events, cookie)).toEqual([])
})

test.each<[what: string, path: string, upload: typeof asItCame, code: string]>([
  ['of a login that is refused', '/user/avatar', asItCame, 'ERR_AUTH_LOGIN_REFUSED'],
  [
    'of a stream that was used',
    '/V1/there',
    async (send, incoming) => {
      await send(incoming)
      return send(incoming)
    },
    'ERR_AUTH_BODY',
  ],
])('an AuthError %s shows none, nor does an event', async (_what, path, upload, code) => {
  const { error, events } = await pipeUpload(path, 'another one', upload)
  expect(AuthError.is(error)).toBe(true)
  expect(error).toMatchObject({ code })
  expect(events.length).toBeGreaterThan(0)
  expect(findText([error, events], cookie)).toEqual([])
})
