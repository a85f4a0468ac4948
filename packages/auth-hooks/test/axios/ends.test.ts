import { createServer, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { clients, failure, listen, readStream } from './clients.ts'

describe.each(clients)('%s ends early', (_name, client) => {
  const silent = () => serve(() => {})

  test('at an abort, at a token’s cancel', async () => {
    const server = await silent()
    const api = client.create(recordingScheme([server.origin]))
    const controller = new AbortController()
    const aborted = failure(api.get(server.origin, { signal: controller.signal }))
    const { token, cancel } = client.axios.CancelToken.source()
    const cancelled = failure(api.get(server.origin, { cancelToken: token }))
    setImmediate(() => {
      controller.abort()
      cancel('enough')
    })
    expect(client.axios.isCancel(await aborted)).toBe(true)
    expect(await aborted).toMatchObject({ code: 'ERR_CANCELED', name: 'CanceledError' })
    expect(await cancelled).toMatchObject({ code: 'ERR_CANCELED', message: 'enough' })
  })

  test('though the scheme is still waiting for its login', async () => {
    const controller = new AbortController()
    const scheme = {
      ...recordingScheme(['http://127.0.0.1:1']),
      authorize: () => new Promise<never>(() => {}),
    }
    const failed = failure(
      client.create(scheme).get('http://127.0.0.1:1', { signal: controller.signal }),
    )
    controller.abort()
    expect(client.axios.isCancel(await failed)).toBe(true)
  })

  test('at its timeout, which a login is charged to', async () => {
    const server = await silent()
    const api = client.create(recordingScheme([server.origin]))
    const error = await failure(api.get(server.origin, { timeout: 20 }))
    expect(error).toMatchObject({ code: 'ECONNABORTED', message: 'timeout of 20ms exceeded' })
    expect(error).toBeInstanceOf(client.axios.AxiosError)

    const slow = {
      ...recordingScheme([server.origin]),
      authorize: () => new Promise<never>(() => {}),
    }
    const transitional = { clarifyTimeoutError: true }
    const timeoutErrorMessage = 'too late'
    const late = client.create(slow).get(server.origin, {
      timeout: 20,
      transitional,
      timeoutErrorMessage,
    })
    expect(await failure(late)).toMatchObject({ code: 'ETIMEDOUT', message: 'too late' })
  })

  test('and lets go of a cancel token, after attempts that were refused too', async () => {
    const server = await serve(({ count }, response) => {
      response.writeHead(count === 1 ? 401 : 200).end()
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const { token } = client.axios.CancelToken.source()
    const listeners = new Set()
    const subscribe = (listener: () => void): void => void listeners.add(listener)
    const unsubscribe = (listener: () => void): void => void listeners.delete(listener)
    const cancelToken = Object.assign(token, { subscribe, unsubscribe })
    await client.create(scheme).get(server.origin, { cancelToken })
    expect(server.arrived).toHaveLength(2)
    expect(listeners.size).toBe(0)
  })

  test('in the middle of a stream, and lets go of the signal after its end', async () => {
    const server = await serve(({ path }, response) => {
      if (path === '/endless') response.write('part')
      else response.end('whole')
    })
    const api = client.create(recordingScheme([server.origin]))
    const controller = new AbortController()
    const { signal } = controller
    const options = { responseType: 'stream', signal } as const
    const listeners = new Set()
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    Object.assign(signal, {
      addEventListener: (...given: Parameters<typeof add>) => {
        listeners.add(given[1])
        add(...given)
      },
      removeEventListener: (...given: Parameters<typeof remove>) => {
        listeners.delete(given[1])
        remove(...given)
      },
    })
    const whole = await api.get(`${server.origin}/whole`, options)
    expect(await readStream(whole.data)).toBe('whole')
    await new Promise((resolve) => setImmediate(resolve))
    expect(listeners.size).toBe(0)

    const endless = await api.get(`${server.origin}/endless`, options)
    const read = readStream(endless.data)
    controller.abort()
    expect(await failure(read)).toMatchObject({ code: 'ERR_CANCELED' })
  })

  test('after a response that came before the upload was over, with its source', async () => {
    const origin = await listen(createServer((_request, response) => response.end('early')))
    let cancel: () => void
    const cancelled = new Promise<void>((resolve) => (cancel = resolve))
    const source = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1000)),
      cancel: () => cancel(),
    })
    const controller = new AbortController()
    const api = client.create(recordingScheme([origin]))
    const { signal } = controller
    const { data } = await api.put(origin, source, { signal, responseType: 'stream' })
    expect(source.locked).toBe(true)
    controller.abort()
    await cancelled
    await readStream(data).catch(() => {})
  })

  test('where nobody is there', async () => {
    const server = createServer()
    const origin = await listen(server)
    server.close()
    const error = await failure(client.create(recordingScheme([origin])).get(origin))
    expect(error).toBeInstanceOf(client.axios.AxiosError)
    const code = client.adapter === 'http' ? 'ECONNREFUSED' : 'ERR_NETWORK'
    expect(error).toMatchObject({ code, config: { url: origin } })
  })
})

// The fetch adapter’s own timeout is for all of the body.
describe.each(clients.filter(([, { adapter }]) => adapter === 'http'))('%s', (_name, client) => {
  test('does not end where a stream goes on for longer than the timeout', async () => {
    const server = await serve((_request, response) => {
      response.write('part, ')
      setTimeout(() => response.end('end'), 1200)
    })
    const api = client.create(recordingScheme([server.origin]))
    const { data } = await api.get(server.origin, { timeout: 1000, responseType: 'stream' })
    expect(await readStream(data)).toBe('part, end')
  })

  test('sends no more of a body whose attempt was refused', async () => {
    const size = 20_000_000
    const refusing = createServer()
    let refused: IncomingMessage | undefined
    refusing.on('request', (request, response) => {
      if (refused) {
        request.resume().on('end', () => response.end('done'))
        return
      }
      refused = request
      // Node's server would read the request away after a response of its own.
      request.socket.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno')
    })
    const origin = await listen(refusing)
    const api = client.create(recordingScheme([origin], () => ({ review: rejects401 })))
    expect((await api.put(origin, Buffer.alloc(size))).data).toBe('done')

    if (!refused) throw new Error('nobody has asked')
    let received = 0
    const closed = new Promise((resolve) => refused?.on('close', resolve))
    refused.on('error', () => {})
    refused.on('data', ({ byteLength }: Buffer) => (received += byteLength))
    await closed
    expect(received).toBeLessThan(size)
  })
})
