import type { Authorization } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { agentOf, builtInFetch, gate, majors } from './majors.ts'

const reviews: [string, NonNullable<Authorization['review']>][] = [
  ['at once', rejects401],
  [
    'after a while',
    async (head) => {
      await new Promise((resolve) => setImmediate(resolve))
      return rejects401(head)
    },
  ],
]

describe.each(majors)('%s', (_name, undici) => {
  test.each<[what: string, headers: unknown]>([
    ['a name without a value', ['x-one', '1', 'x-two']],
    ['a pair of three', new Set([['x-one', '1', '2']])],
    ['a pair that is none', [['x-one', '1'], 'x-two']],
    ['a value that is no text', { 'x-one': {} }],
  ])('a header that has %s is refused before anything is sent', async (_what, headers) => {
    const server = await serve()
    const dispatcher = agentOf(undici, recordingScheme([server.origin]))
    const options = {
      dispatcher,
      // What a caller without types may give.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      headers: headers as Record<string, string>,
    }
    await expect(undici.request(server.origin, options)).rejects.toMatchObject({
      code: 'ERR_AUTH_HEADER',
    })
    expect(server.arrived).toEqual([])
  })

  test.each([undefined, null, '', 0, false])(
    'a scheme that rejects with %s is a request that rejects',
    async (nothing) => {
      const scheme = { ...recordingScheme([]), covers: () => true }
      // oxlint-disable-next-line promise/prefer-promise-reject-errors, typescript/prefer-promise-reject-errors -- what a foreign promise may do
      const authorize = () => Promise.reject(nothing)
      const dispatcher = agentOf(undici, { ...scheme, authorize })
      await expect(undici.request('https://a.example', { dispatcher })).rejects.toBeInstanceOf(
        Error,
      )
    },
  )

  describe.each(reviews)('a review that returns %s', (_when, review) => {
    test('asks for one more attempt, and the caller sees the last response alone', async () => {
      const server = await serve(({ count }, response) => {
        response.writeHead(count % 2 ? 401 : 200, { 'x-count': count }).end(`response ${count}`)
      })
      const scheme = recordingScheme([server.origin], () => ({ review }))
      const dispatcher = agentOf(undici, scheme)
      const options = { dispatcher, method: 'POST', body: 'body' } as const

      const { statusCode, headers, body } = await undici.request(server.origin, options)
      expect([statusCode, headers['x-count'], await body.text()]).toEqual([200, '2', 'response 2'])
      const fetched = await undici.fetch(server.origin, options)
      expect([fetched.status, await fetched.text()]).toEqual([200, 'response 4'])
      const builtIn = await builtInFetch(server.origin, options)
      expect([builtIn.status, await builtIn.text()]).toEqual([200, 'response 6'])

      expect(server.arrived.map((arrived) => arrived.body.toString())).toEqual(
        Array.from({ length: 6 }, () => 'body'),
      )
      expect(server.arrived.map((arrived) => arrived.headers['x-test-credential'])).toEqual(
        [1, 2, 3, 4, 5, 6].map((count) => `${credential}-${count}`),
      )
      expect(scheme.seen.map(({ attempt, reason }) => [attempt, reason])).toEqual(
        [1, 2, 3].flatMap(() => [
          [1, 'initial'],
          [2, 'rejected'],
        ]),
      )
    })

    test('what was refused is read away, and its connection serves on', async () => {
      const server = await serve(({ count }, response) => {
        response.writeHead(count % 2 ? 401 : 200).end('response')
      })
      const scheme = recordingScheme([server.origin], () => ({ review }))
      const dispatcher = agentOf(undici, scheme)
      for (let count = 0; count < 5; count += 1) {
        const { body } = await undici.request(server.origin, { dispatcher })
        await body.dump()
      }
      expect(server.arrived).toHaveLength(10)
      // The second attempt does not wait for the first response to be read away.
      expect(server.sockets()).toBeLessThanOrEqual(2)
    })

    test('a second refusal for the same reason is the response', async () => {
      const server = await serve((_request, response) => response.writeHead(401).end('no'))
      const scheme = recordingScheme([server.origin], () => ({ review }))
      const dispatcher = agentOf(undici, scheme)
      const { statusCode, body } = await undici.request(server.origin, { dispatcher })
      expect([statusCode, await body.text()]).toEqual([401, 'no'])
      expect(server.arrived).toHaveLength(2)
    })

    test.each([
      ['a HEAD', 'HEAD', ''],
      ['an empty response', 'GET', ''],
      ['a response that ends with its connection', 'GET', 'until the end'],
    ])('%s is delivered whole', async (_what, method, text) => {
      const server = await serve((_request, response) => {
        response.writeHead(200, { connection: 'close' })
        response.end(text)
      })
      const scheme = recordingScheme([server.origin], () => ({ review }))
      const dispatcher = agentOf(undici, scheme)
      const { body } = await undici.request(server.origin, { dispatcher, method: method as 'GET' })
      expect(await body.text()).toBe(text)
    })

    test('a large response is held up by who reads it, and comes whole', async () => {
      const size = 4 * 1024 * 1024
      const server = await serve((_request, response) => response.end(Buffer.alloc(size, 'x')))
      const scheme = recordingScheme([server.origin], () => ({ review }))
      const dispatcher = agentOf(undici, scheme)
      const { body } = await undici.request(server.origin, { dispatcher, highWaterMark: 1024 })
      let received = 0
      for await (const chunk of body) {
        received += (chunk as Buffer).byteLength
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(received).toBe(size)
      const response = await builtInFetch(server.origin, { dispatcher })
      expect((await response.arrayBuffer()).byteLength).toBe(size)
    })

    test('trailers arrive', async () => {
      const server = await serve((_request, response) => {
        response.writeHead(200, { trailer: 'x-sum' })
        response.write('text')
        response.addTrailers({ 'x-sum': '1' })
        response.end()
      })
      const scheme = recordingScheme([server.origin], () => ({ review }))
      const dispatcher = agentOf(undici, scheme)
      const { body, trailers } = await undici.request(server.origin, { dispatcher })
      expect(await body.text()).toBe('text')
      expect(trailers).toEqual({ 'x-sum': '1' })
    })
  })

  test.each([
    ['large', Infinity],
    ['slow', 1],
  ])('a refused response that is %s and does not end is cut off', async (_what, chunks) => {
    const closed = gate()
    let written = 0
    const server = await serve(({ count }, response) => {
      if (count === 2) {
        response.end('yes')
        return
      }
      response.on('close', () => closed.open())
      response.writeHead(401)
      const write = (): void => {
        for (let chunk = 0, goesOn = true; goesOn && chunk < chunks; chunk += 1) {
          written += 1024
          goesOn = !response.destroyed && response.write(Buffer.alloc(1024))
        }
      }
      response.on('drain', write)
      write()
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const dispatcher = agentOf(undici, scheme)
    const { body } = await undici.request(server.origin, { dispatcher })
    expect(await body.text()).toBe('yes')
    await closed.opened
    // What the sockets' buffers hold is more than what is read.
    expect(written).toBeLessThan(16 * 1024 * 1024)
  })

  test('a response is held up while its review is at work', async () => {
    const size = 64 * 1024 * 1024
    let written = 0
    const server = await serve((_request, response) => {
      const write = (): void => {
        while (written < size) {
          written += 64 * 1024
          if (!response.write(Buffer.alloc(64 * 1024))) return
        }
        response.end()
      }
      response.on('drain', write)
      write()
    })
    const scheme = recordingScheme([server.origin], () => ({
      async review() {
        // Until the server, which has this very event loop, does not get on any more.
        for (let before = -1, turns = 0; turns < 100; turns += 1) {
          if (written !== before) turns = 0
          before = written
          await new Promise((resolve) => setImmediate(resolve))
        }
        expect(written).toBeLessThan(size / 2)
        return undefined
      },
    }))
    const dispatcher = agentOf(undici, scheme)
    const { body } = await undici.request(server.origin, { dispatcher })
    let received = 0
    for await (const chunk of body) received += (chunk as Buffer).byteLength
    expect(received).toBe(size)
  })

  test('a review sees every header of the response', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, [
        ['X-Several', '1'],
        ['X-Several', '2'],
      ] as never)
      response.end()
    })
    const heads: unknown[] = []
    const scheme = recordingScheme([server.origin], () => ({
      review({ status, headers }) {
        const { 'x-several': listed } = Object.fromEntries(headers)
        const absent = headers.get('x-none')
        heads.push([status, headers.get('X-SEVERAL'), headers.has('x-several'), listed, absent])
        return undefined
      },
    }))
    await undici.request(server.origin, { dispatcher: agentOf(undici, scheme) })
    expect(heads).toEqual([[200, '1, 2', true, '1, 2', null]])
  })

  test('a review that fails fails the request, and lets go of the connection', async () => {
    const closed = gate()
    const failure = new Error('no review')
    const server = await serve((_request, response) => {
      response.on('close', () => closed.open())
      response.write('never ends')
    })
    const scheme = recordingScheme([server.origin], () => ({
      review() {
        throw failure
      },
    }))
    const dispatcher = agentOf(undici, scheme)
    await expect(undici.request(server.origin, { dispatcher })).rejects.toBe(failure)
    await closed.opened
  })

  test('a connection that breaks off abandons the authorization', async () => {
    let abandoned = 0
    const server = await serve((_request, response) => response.destroy())
    const scheme = recordingScheme([server.origin], () => ({
      abandon: () => void (abandoned += 1),
    }))
    const dispatcher = agentOf(undici, scheme)
    const sent = undici.request(server.origin, { dispatcher })
    await expect(sent).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
    expect(abandoned).toBe(1)
  })

  test('a body that breaks off after its head is an error of the body', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('half', () => response.destroy())
    })
    const dispatcher = agentOf(undici, recordingScheme([server.origin]))
    const { statusCode, body } = await undici.request(server.origin, { dispatcher })
    expect(statusCode).toBe(200)
    await expect(body.text()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
  })

  test('a handler that throws at the head ends the request with what it threw', async () => {
    const closed = gate()
    const server = await serve((_request, response) => {
      response.on('close', () => closed.open())
      response.write('never ends')
    })
    const dispatcher = agentOf(undici, recordingScheme([server.origin]))
    // A response where an upgrade was asked for is such an error of undici's own.
    const sent = undici.upgrade(server.origin, { dispatcher, protocol: 'echo' })
    await expect(sent).rejects.toMatchObject({ code: 'UND_ERR_SOCKET', message: 'bad upgrade' })
    await closed.opened
  })
})
