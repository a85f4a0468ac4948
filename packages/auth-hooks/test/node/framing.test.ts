import { Agent } from 'node:http'
import { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { authGot } from '@svc/auth-hooks/got'
import type { AuthScheme } from '@svc/types'
import { clients as axiosClients } from '../axios/clients.ts'
import { majors } from '../got/majors.ts'
import { recordingScheme } from '../support/schemes.ts'
import { streamFrom } from '../support/streams.ts'
import { serveWire, smuggled } from '../support/wire.ts'
import { streamBody } from '../testing.ts'

interface Call {
  readonly method: string
  readonly body: unknown
  readonly headers: Record<string, string>
}

/** Sends a call through a client, over one connection that is kept alive. */
type Send = (scheme: AuthScheme, agent: Agent, url: string, call: Call) => Promise<unknown>

const overGot = majors.map(([name, client]): [string, Send] => [
  name,
  (scheme, http, url, call) => {
    const options = { retry: { limit: 0 }, agent: { http }, allowGetBody: true }
    return client.extend(options, authGot(scheme))(url, call)
  },
])
const overAxios = axiosClients
  .filter(([, { adapter }]) => adapter === 'http')
  .map(([name, client]): [string, Send] => [
    name,
    (scheme, httpAgent, url, { body, ...call }) =>
      client.create(scheme).request({ ...call, url, httpAgent, data: body }),
  ])
const nodeClients = [...overGot, ...overAxios]

const { length } = smuggled
const methods = ['DELETE', 'GET', 'OPTIONS', 'POST', 'PUT', 'PATCH']
const bodies: [kind: string, size: number | undefined, make: () => unknown][] = [
  ['bytes', length, () => Buffer.from(smuggled)],
  ['text', length, () => smuggled],
  ['a stream of Node', undefined, () => Readable.from([Buffer.from(smuggled)])],
  ['a stream of the web', undefined, () => streamFrom(Buffer.from(smuggled))],
]
const given: [headers: string, headers: Record<string, string>][] = [
  ['no header', {}],
  ['transfer-encoding', { 'transfer-encoding': 'chunked' }],
  ['content-length', { 'content-length': `${length}` }],
]

/** Returns the headers of a head that frame its body. */
function framing(head = ''): string[] {
  return head
    .toLowerCase()
    .split('\r\n')
    .filter((line) => /^(?:content-length|transfer-encoding):/.test(line))
}

function setUp() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return agent
}

describe.each(nodeClients)('%s frames every body once:', (name, send) => {
  describe.each(methods)('%s', (method) => {
    test.each(bodies)('with %s', async (_kind, size, make) => {
      const server = await serveWire()
      const scheme = recordingScheme([server.origin])
      const agent = setUp()
      for (const [, headers] of given) {
        await send(scheme, agent, `${server.origin}/body`, { method, headers, body: make() })
        await send(scheme, agent, `${server.origin}/next`, { method, headers: {}, body: undefined })
      }
      const byLength = [`content-length: ${length}`]
      const byDefault = size === undefined ? ['transfer-encoding: chunked'] : byLength
      const heads = server.heads.filter((_, index) => index % 2 === 0)
      expect(heads.map(framing)).toEqual([byDefault, byDefault, byLength])
      expect(server.lines).toEqual(
        given.flatMap(() => [`${method} /body HTTP/1.1`, `${method} /next HTTP/1.1`]),
      )
      expect(scheme.seen.map(({ headers }) => headers.get('transfer-encoding'))).toEqual(
        server.lines.map(() => null),
      )
    })

    test('without one', async () => {
      const server = await serveWire()
      const agent = setUp()
      const scheme = recordingScheme([server.origin])
      for (const headers of [{}, { 'transfer-encoding': 'chunked' }, { 'content-length': '5' }]) {
        await send(scheme, agent, `${server.origin}/none`, { method, headers, body: undefined })
      }
      const none = method.startsWith('P') ? ['content-length: 0'] : []
      expect(server.heads.map(framing)).toEqual([none, none, none])
    })

    test('whatever the scheme says of its length', async () => {
      const server = await serveWire()
      const agent = setUp()
      const wrapped = () => {
        const body = streamBody(Readable.from([Buffer.from(smuggled)]))
        return { body: { ...body, size: length } }
      }
      const scheme = recordingScheme([server.origin], ({ url }) => ({
        headers: [
          ['content-length', '3'],
          ['transfer-encoding', 'chunked'],
        ],
        ...(url.pathname === '/wrapped' && wrapped()),
      }))
      for (const path of ['/wrapped', '/plain']) {
        await send(scheme, agent, server.origin + path, { method, headers: {}, body: smuggled })
      }
      const byLength = [`content-length: ${length}`]
      expect(server.heads.map(framing)).toEqual([byLength, byLength])
      expect(server.lines).toEqual([`${method} /wrapped HTTP/1.1`, `${method} /plain HTTP/1.1`])
    })
  })

  test('except for a stream with both headers, which is refused by name', async () => {
    const server = await serveWire()
    const scheme = recordingScheme([server.origin])
    const headers = { 'content-length': `${length}`, 'transfer-encoding': 'chunked' }
    const body = Readable.from([Buffer.from(smuggled)])
    const call = { method: 'PUT', headers, body }
    const outcome = await send(scheme, setUp(), `${server.origin}/put`, call).then(
      () => server.heads.map(framing),
      ({ code, message }: { code: string; message: string }) => ({ code, message }),
    )
    // got 15 and 16 leave the length out by themselves.
    const isDropped = name === 'got 15' || name === 'got 16'
    const message =
      `[@svc/auth-hooks] PUT ${server.origin}/put: a stream cannot have both a content-length and a ` +
      'transfer-encoding; nothing was sent'
    const refusal = { code: 'ERR_AUTH_BODY', message }
    expect(outcome).toEqual(isDropped ? [['transfer-encoding: chunked']] : refusal)
    expect(body.destroyed).toBe(true)
    expect(server.heads).toHaveLength(isDropped ? 1 : 0)
  })
})
