import { once } from 'node:events'
import { Agent } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { authGot } from '@svc/auth-hooks/got'
import { describe, expect, onTestFinished, test } from 'vitest'
import { recordingScheme } from '../support/schemes.ts'
import { oddFramings } from '../support/framing.ts'
import { late, serveWire, smuggled } from '../support/wire.ts'
import { type CommonGot, failure, majors, retry } from './majors.ts'

const longer: [kind: string, body: () => unknown][] = [
  ['in one piece', () => Readable.from([Buffer.from(`abc${smuggled}`)])],
  ['in two pieces', () => Readable.from([Buffer.from('abc'), Buffer.from(smuggled)])],
  ['late', () => Readable.from(late('abc', smuggled))],
  ['from a generator', () => late('abc', smuggled)],
]

describe.each(majors)('%s', (_name, client: CommonGot) => {
  const setUp = async () => {
    const server = await serveWire()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const options = { retry, agent: { http: agent }, timeout: { request: 5000 } }
    return { server, api: client.extend(options, authGot(recordingScheme([server.origin]))) }
  }

  test.each(longer)('a stream longer than its length is no request: %s', async (kind, body) => {
    const { server, api } = await setUp()
    const options = { method: 'PUT', headers: { 'content-length': '3' }, body: body() }
    const outcome = await api(`${server.origin}/put`, options).then(
      ({ statusCode }) => statusCode,
      ({ code }) => code,
    )
    // A server may respond before the surplus is read, and then the connection ends.
    const isLate = kind === 'late' || kind === 'from a generator'
    expect(isLate ? ['ERR_AUTH_BODY', 200] : ['ERR_AUTH_BODY']).toContain(outcome)
    await api(`${server.origin}/next`)
    await sleep(20)
    expect(server.lines.filter((line) => !line.startsWith('PUT /put '))).toEqual([
      'GET /next HTTP/1.1',
    ])
  })

  test.each(['abc', `abcde${smuggled}`])(
    'a stream that the caller writes is counted: %j',
    async (written) => {
      const { server, api } = await setUp()
      const options = { method: 'PUT', headers: { 'content-length': '5' } }
      const stream = api.stream(`${server.origin}/put`, options)
      const failed = once(stream, 'error')
      await pipeline(Readable.from([Buffer.from(written)]), stream).catch(() => {})
      expect(await failed).toMatchObject([{ code: 'ERR_AUTH_BODY' }])
      await api(`${server.origin}/next`)
      expect(server.lines).toEqual(['GET /next HTTP/1.1'])
    },
  )

  test('a length without a body is not sent', async () => {
    const { server, api } = await setUp()
    await api(`${server.origin}/get`, { headers: { 'content-length': '5' } })
    await api(`${server.origin}/next`)
    expect(server.lines).toEqual(['GET /get HTTP/1.1', 'GET /next HTTP/1.1'])
  })

  // Of two frames, got 15 and 16 themselves drop the length.
  const odd = oddFramings.filter(([headers]) => Object.keys(headers).length === 1)
  test.each(odd)('a stream with %j is an error, and nothing is sent', async (headers, code) => {
    const { server, api } = await setUp()
    const body = Readable.from([Buffer.from('abc')])
    const sent = api(`${server.origin}/put`, { method: 'PUT', headers, body })
    expect(await failure(sent)).toMatchObject({ code })
    await api(`${server.origin}/next`)
    expect(server.lines).toEqual(['GET /next HTTP/1.1'])
  })
})
