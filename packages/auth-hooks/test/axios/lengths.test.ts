import { Agent } from 'node:http'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { recordingScheme } from '../support/schemes.ts'
import { streamFrom } from '../support/streams.ts'
import { late, serveWire, smuggled } from '../support/wire.ts'
import { oddFramings } from '../support/framing.ts'
import { clients } from './clients.ts'

interface Form {
  append(name: string, value: unknown, options: object): void
}
const { FormData: PackagedForm } = {
  FormData: createRequire(import.meta.resolve('axios'))('form-data') as new () => Form,
}

const longer: [kind: string, body: () => unknown][] = [
  ['in one piece', () => Readable.from([Buffer.from(`abc${smuggled}`)])],
  ['in two pieces', () => Readable.from([Buffer.from('abc'), Buffer.from(smuggled)])],
  ['late', () => Readable.from(late('abc', smuggled))],
  ['as text', () => Readable.from(['abc', smuggled])],
  ['as a stream of the web', () => streamFrom(Buffer.from('abc'), Buffer.from(smuggled))],
  ['with nothing announced', () => Readable.from([Buffer.from(smuggled)])],
]

describe.each(clients)('%s', (_name, client) => {
  const setUp = async () => {
    const server = await serveWire()
    const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => httpAgent.destroy())
    const api = client.create(recordingScheme([server.origin]))
    api.defaults.httpAgent = httpAgent
    api.defaults.timeout = 5000
    return { server, api }
  }

  test.each(longer)('a stream longer than its length is no request: %s', async (kind, body) => {
    const { server, api } = await setUp()
    const headers = { 'content-length': kind === 'with nothing announced' ? '0' : '3' }
    const outcome = await api.put(`${server.origin}/put`, body(), { headers }).then(
      ({ status }) => status,
      ({ code }) => code,
    )
    // A server may respond before the surplus is read, and then the connection ends.
    expect(kind === 'late' ? ['ERR_AUTH_BODY', 200] : ['ERR_AUTH_BODY']).toContain(outcome)
    await api.get(`${server.origin}/next`)
    await sleep(20)
    expect(server.lines.filter((line) => !line.startsWith('PUT /put '))).toEqual([
      'GET /next HTTP/1.1',
    ])
  })

  test.each([-20, 20])(
    'a form with a stream that is %i bytes off its known length ends',
    async (off) => {
      const { server, api } = await setUp()
      const form = new PackagedForm()
      form.append('file', Readable.from([Buffer.from(smuggled)]), {
        filename: 'file',
        knownLength: smuggled.length + off,
      })
      const call = api.put(`${server.origin}/put`, form)
      await expect(call).rejects.toMatchObject({ code: 'ERR_AUTH_BODY' })
      await api.get(`${server.origin}/next`)
      expect(server.lines).toEqual(['GET /next HTTP/1.1'])
    },
  )

  test('a length without a body is not sent', async () => {
    const { server, api } = await setUp()
    await api.post(`${server.origin}/post`, undefined, { headers: { 'content-length': '5' } })
    await api.get(`${server.origin}/next`)
    expect(server.lines).toEqual(['POST /post HTTP/1.1', 'GET /next HTTP/1.1'])
  })

  test.each(oddFramings)(
    'a stream with %j is an error, and nothing is sent',
    async (headers, code) => {
      const { server, api } = await setUp()
      const body = Readable.from([Buffer.from('abc')])
      await expect(api.put(`${server.origin}/put`, body, { headers })).rejects.toMatchObject({
        code,
      })
      await api.get(`${server.origin}/next`)
      expect(server.lines).toEqual(['GET /next HTTP/1.1'])
    },
  )

  test('maxBodyLength holds for a stream', async () => {
    const { server, api } = await setUp()
    for (const data of [
      Readable.from([Buffer.alloc(60), Buffer.alloc(60)]),
      streamFrom(new Uint8Array(60), new Uint8Array(60)),
    ]) {
      const sent = api.put(`${server.origin}/put`, data, { maxBodyLength: 100 })
      await expect(sent).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        message: 'Request body larger than maxBodyLength limit',
      })
    }
    const data = Readable.from([Buffer.alloc(60), Buffer.alloc(40)])
    await api.put(`${server.origin}/put`, data, { maxBodyLength: 100 })
    expect(server.lines).toEqual(['PUT /put HTTP/1.1'])
  })
})
