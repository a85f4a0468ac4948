import { getEventListeners } from 'node:events'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { agentOf, builtInFetch, gate, majors, type Undici } from './majors.ts'

const never = new Promise<never>(() => {})
const reason = new Error('enough')

function clients({ request, fetch }: Undici) {
  return {
    request: (url: string, options: object): Promise<unknown> => request(url, options),
    'undici.fetch': (url: string, options: object): Promise<unknown> => fetch(url, options),
    'the fetch of Node': (url: string, options: object): Promise<unknown> =>
      builtInFetch(url, options as Parameters<typeof builtInFetch>[1]),
  }
}

const cases = majors.flatMap(([name, undici]) =>
  Object.entries(clients(undici)).map(([client, send]) => [name, client, undici, send] as const),
)

describe.each(cases)('%s, %s', (_name, _client, undici, send) => {
  test('a signal aborted before the call rejects with its reason, and nothing happens', async () => {
    const scheme = recordingScheme(['https://a.example'])
    const dispatcher = agentOf(undici, scheme)
    const signal = AbortSignal.abort(reason)
    await expect(send('https://a.example', { dispatcher, signal })).rejects.toBe(reason)
    expect(scheme.seen).toEqual([])
  })

  test('an abort while the scheme is at work rejects at once', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    let received: AbortSignal | undefined
    const dispatcher = agentOf(undici, {
      ...scheme,
      authorize(request) {
        received = request.signal
        setImmediate(() => controller.abort(reason))
        return never
      },
    })
    await expect(send(server.origin, { dispatcher, signal })).rejects.toBe(reason)
    expect(received?.aborted).toBe(true)
    expect(server.sockets()).toBe(0)
  })

  test('an abort in flight rejects at once, abandons, and ends the connection', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const closed = gate()
    let abandoned = 0
    const server = await serve((_request, response) => {
      response.on('close', () => closed.open())
      controller.abort(reason)
    })
    const scheme = recordingScheme([server.origin], () => ({
      abandon: () => void (abandoned += 1),
    }))
    const dispatcher = agentOf(undici, scheme)
    await expect(send(server.origin, { dispatcher, signal })).rejects.toBe(reason)
    await closed.opened
    expect(abandoned).toBe(1)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('an abort while the review is at work rejects at once, and ends the connection', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const closed = gate()
    const server = await serve((_request, response) => {
      response.on('close', () => closed.open())
      response.write('never ends')
    })
    const scheme = recordingScheme([server.origin], () => ({
      review() {
        setImmediate(() => controller.abort(reason))
        return never
      },
    }))
    const dispatcher = agentOf(undici, scheme)
    await expect(send(server.origin, { dispatcher, signal })).rejects.toBe(reason)
    await closed.opened
  })

  test('an abort between two attempts asks the scheme no more', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const server = await serve((_request, response) => response.writeHead(401).end())
    const scheme = recordingScheme([server.origin], () => ({
      review(head) {
        controller.abort(reason)
        return rejects401(head)
      },
    }))
    const dispatcher = agentOf(undici, scheme)
    await expect(send(server.origin, { dispatcher, signal })).rejects.toBe(reason)
    expect(scheme.seen).toHaveLength(1)
    expect(server.arrived).toHaveLength(1)
  })

  test('an abort of the second attempt ends it', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const closed = gate()
    const server = await serve(({ count }, response) => {
      if (count === 1) {
        response.writeHead(401).end()
        return
      }
      response.on('close', () => closed.open())
      controller.abort(reason)
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const dispatcher = agentOf(undici, scheme)
    await expect(send(server.origin, { dispatcher, signal })).rejects.toBe(reason)
    await closed.opened
  })

  test('an abort while the response is read ends it', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const closed = gate()
    const server = await serve((_request, response) => {
      response.on('close', () => closed.open())
      response.write('never ends')
    })
    const dispatcher = agentOf(undici, recordingScheme([server.origin]))
    const response = (await send(server.origin, { dispatcher, signal })) as Response
    const body = 'text' in response ? response : (response as unknown as { body: Body }).body
    setImmediate(() => controller.abort(reason))
    await expect(body.text()).rejects.toBe(reason)
    await closed.opened
  })
})

describe.each(majors)('%s', (_name, undici) => {
  test('an abort before a stream is sent destroys it', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const scheme = recordingScheme(['https://a.example'])
    const dispatcher = agentOf(undici, {
      ...scheme,
      authorize() {
        setImmediate(() => controller.abort(reason))
        return never
      },
    })
    const body = new Readable({ read() {} })
    const options = { dispatcher, signal, method: 'PUT', body } as const
    await expect(undici.request('https://a.example', options)).rejects.toBe(reason)
    expect(body.destroyed).toBe(true)
  })

  test('an abort before the call reads no body, and while it is read rejects at once', async () => {
    const scheme = recordingScheme(['https://a.example'])
    const dispatcher = agentOf(undici, scheme)
    const controller = new AbortController()
    let reads = 0
    const body = {
      [Symbol.asyncIterator]: () => ({
        next() {
          reads += 1
          setImmediate(() => controller.abort(reason))
          return never
        },
      }),
    } as never
    const options = { dispatcher, method: 'PUT', headers: { 'content-length': '4' }, body } as const
    const early = undici.request('https://a.example', {
      ...options,
      signal: AbortSignal.abort(reason),
    })
    await expect(early).rejects.toBe(reason)
    expect(reads).toBe(0)
    const { signal } = controller
    const late = undici.request('https://a.example', { ...options, signal })
    await expect(late).rejects.toBe(reason)
    expect(reads).toBe(1)
  })

  test('an abort just before the response is given rejects, and gives none', async () => {
    const controller = new AbortController()
    const server = await serve((_request, response) => response.end('response'))
    const scheme = recordingScheme([server.origin], () => ({
      review() {
        controller.abort(reason)
        return undefined
      },
    }))
    const dispatcher = agentOf(undici, scheme)
    const sent = undici.request(server.origin, { dispatcher, signal: controller.signal })
    await expect(sent).rejects.toBe(reason)
  })

  test('an abort ends the source of a body that a scheme wraps', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const source = new Readable({ read() {} })
    source.push('first')
    const server = await serve()
    const scheme = recordingScheme([server.origin], ({ body }) => ({
      body: {
        replayable: false,
        bytes: () => Promise.reject(new Error('not asked for')),
        chunks() {
          setImmediate(() => controller.abort(reason))
          return body!.chunks()
        },
      },
    }))
    const dispatcher = agentOf(undici, scheme)
    const options = { dispatcher, signal, method: 'PUT', body: source } as const
    await expect(undici.request(server.origin, options)).rejects.toBe(reason)
    expect(source.destroyed).toBe(true)
  })

  test('an abort while it waits for a connection sends nothing', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const blocked = gate()
    const release = gate()
    const server = await serve(async ({ count }, response) => {
      if (count === 1) {
        blocked.open()
        await release.opened
      }
      response.end()
    })
    const scheme = recordingScheme([server.origin])
    const dispatcher = agentOf(undici, scheme, { agent: { connections: 1, pipelining: 1 } })
    const first = undici.request(`${server.origin}/1`, { dispatcher })
    await blocked.opened
    const second = undici.request(`${server.origin}/2`, { dispatcher, signal })
    setImmediate(() => controller.abort(reason))
    await expect(second).rejects.toBe(reason)
    release.open()
    await (await first).body.dump()
    await (await undici.request(`${server.origin}/3`, { dispatcher })).body.dump()
    expect(server.arrived.map(({ path }) => path)).toEqual(['/1', '/3'])
  })

  test('an agent that is destroyed while the scheme is at work fails the request', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const dispatcher = agentOf(undici, {
      ...scheme,
      async authorize(request) {
        await dispatcher.destroy()
        return scheme.authorize(request)
      },
    })
    const sent = undici.request(server.origin, { dispatcher })
    await expect(sent).rejects.toMatchObject({ code: 'UND_ERR_DESTROYED' })
  })
})
