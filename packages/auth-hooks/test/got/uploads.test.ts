import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { authGot } from '@svc/auth-hooks/got'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type LoopbackServer, listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { recordingScheme } from '../support/schemes.ts'
import { type CommonGot, majors } from './majors.ts'

/** A server that counts the uploads that came whole, and responds to each as soon as its head is there, in pieces. */
async function serveAtOnce(afterMs = 0): Promise<{ origin: string; executed: () => number }> {
  let executed = 0
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      response.write('the ')
      response.write('whole ')
      await buffer(request)
      executed += 1
      response.end('response')
    }
    if (afterMs > 0) setTimeout(() => void respond(), afterMs)
    else void respond()
  })
  const { url, close }: LoopbackServer = await listenOnLoopback(server)
  onTestFinished(close)
  return { origin: url.origin, executed: () => executed }
}

const bodies: [name: string, body: () => unknown][] = [
  ['a text', () => 'x'.repeat(500_000)],
  ['a Buffer', () => Buffer.alloc(500_000)],
  ['a typed array', () => new Uint16Array(250_000)],
]

describe.each(majors)('%s', (_name, client: CommonGot) => {
  test.each(bodies)(
    '%s over 64 KB is executed once where the response begins before it was read',
    async (_what, body) => {
      const { origin, executed } = await serveAtOnce()
      const api = client.extend(authGot(recordingScheme([origin])))
      for (let count = 1; count <= 10; count += 1) {
        const response = await api(`${origin}/put`, { method: 'PUT', body: body() })
        expect([response.statusCode, response.body, response.retryCount]).toEqual([
          200,
          'the whole response',
          0,
        ])
        expect(executed()).toBe(count)
      }
    },
  )

  test('30 uploads at once are each executed once', async () => {
    const { origin, executed } = await serveAtOnce(20)
    const api = client.extend(authGot(recordingScheme([origin])))
    const options = { method: 'PUT', body: 'x'.repeat(500_000) }
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => api(`${origin}/put`, options)),
    )
    expect(responses.map(({ statusCode, retryCount }) => [statusCode, retryCount])).toEqual(
      responses.map(() => [200, 0]),
    )
    expect(executed()).toBe(30)
  })

  test('no phase of a request takes less than no time', async () => {
    const { origin } = await serveAtOnce()
    const api = client.extend(authGot(recordingScheme([origin])))
    for (const body of ['a', 'x'.repeat(500_000)]) {
      const { timings } = await api(`${origin}/put`, { method: 'PUT', body })
      const phases = Object.entries(timings.phases)
      expect(phases.filter(([, ms = 0]) => !(ms >= 0))).toEqual([])
    }
  })
})
