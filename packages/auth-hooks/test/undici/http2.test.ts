import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  makeTlsCertificate,
  type TlsCertificate,
} from '../../../../tests/support/tls-certificate.ts'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { agentOf, builtInFetch, gate, majors } from './majors.ts'

let certificate: TlsCertificate
beforeAll(async () => {
  certificate = await makeTlsCertificate()
})

interface Arrived {
  readonly version: string
  readonly credential: unknown
  readonly body: string
}

/** Refuses every other request. */
async function serveHttp2(): Promise<{
  origin: string
  arrived: Arrived[]
  sessions: () => number
}> {
  const arrived: Arrived[] = []
  let sessions = 0
  const server: Http2SecureServer = createSecureServer(
    { ...certificate, allowHTTP1: true },
    async (request, response) => {
      const body = (await buffer(request)).toString()
      const { 'x-test-credential': given } = request.headers
      arrived.push({ version: request.httpVersion, credential: given, body })
      response.writeHead(arrived.length % 2 ? 401 : 200, { 'x-count': `${arrived.length}` })
      response.end('x'.repeat(200_000))
    },
  )
  server.on('session', () => {
    sessions += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { origin: `https://127.0.0.1:${port}`, arrived, sessions: () => sessions }
}

describe.each(majors)('%s', (_name, undici) => {
  test('a refused request is sent once more over the same HTTP/2 session', async () => {
    const server = await serveHttp2()
    const scheme = recordingScheme([server.origin], () => ({
      review: async (head) => rejects401(head),
    }))
    const agent = { allowH2: true, connections: 1, connect: { ca: certificate.cert } }
    const dispatcher = agentOf(undici, scheme, { agent })
    const options = { dispatcher, method: 'PUT', body: 'body' } as const

    const { statusCode, headers, body } = await undici.request(server.origin, options)
    expect([statusCode, headers['x-count']]).toEqual([200, '2'])
    expect((await body.arrayBuffer()).byteLength).toBe(200_000)
    const response = await undici.fetch(server.origin, options)
    expect([response.status, response.headers.get('x-count')]).toEqual([200, '4'])
    expect((await response.arrayBuffer()).byteLength).toBe(200_000)

    expect(server.arrived).toEqual(
      [1, 2, 3, 4].map((count) => ({
        version: '2.0',
        credential: `${credential}-${count}`,
        body: 'body',
      })),
    )
    expect(server.sessions()).toBe(1)
  })

  test('the fetch of Node works with such an agent', async () => {
    const server = await serveHttp2()
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const agent = { allowH2: true, connections: 1, connect: { ca: certificate.cert } }
    const dispatcher = agentOf(undici, scheme, { agent })
    const response = await builtInFetch(server.origin, { dispatcher, method: 'PUT', body: 'body' })
    expect([response.status, response.headers.get('x-count')]).toEqual([200, '2'])
    expect((await response.arrayBuffer()).byteLength).toBe(200_000)
    expect(server.arrived.map(({ version, body }) => [version, body])).toEqual([
      ['2.0', 'body'],
      ['2.0', 'body'],
    ])
  })

  test('every call settles where a session drops under a retry inside', async () => {
    const server: Http2SecureServer = createSecureServer(certificate, () => {})
    server.on('stream', (stream) => {
      stream.on('error', () => {}).once('data', () => stream.session?.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const retry = undici.interceptors.retry({ minTimeout: 1, maxTimeout: 1, maxRetries: 2 })
    const agent = { allowH2: true, connections: 1, connect: { ca: certificate.cert } }
    const dispatcher = agentOf(undici, recordingScheme([origin]), { agent, inside: [retry] })
    const send = (): Promise<unknown> => {
      const body = Readable.from([Buffer.from('bo'), Buffer.from('dy')])
      return undici.request(origin, { dispatcher, method: 'PUT', body })
    }
    // One after the other: undici itself fails assertions where a session drops under several.
    for (let count = 0; count < 3; count += 1) await expect(send()).rejects.toBeInstanceOf(Error)
  })

  test('an abort ends its stream and not the session', async () => {
    const server = await serveHttp2()
    const controller = new AbortController()
    const { signal } = controller
    const reviewed = gate()
    const scheme = recordingScheme([server.origin], () => ({
      review() {
        reviewed.open()
        return signal.aborted ? undefined : new Promise<never>(() => {})
      },
    }))
    const agent = { allowH2: true, connections: 1, connect: { ca: certificate.cert } }
    const dispatcher = agentOf(undici, scheme, { agent })
    const sent = undici.request(server.origin, { dispatcher, signal })
    await reviewed.opened
    controller.abort(new Error('enough'))
    await expect(sent).rejects.toThrow('enough')
    const { statusCode, body } = await undici.request(server.origin, { dispatcher })
    expect([statusCode, (await body.arrayBuffer()).byteLength]).toEqual([200, 200_000])
    expect(server.sessions()).toBe(1)
  })
})
