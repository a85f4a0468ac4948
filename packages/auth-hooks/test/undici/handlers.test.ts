import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type { Dispatcher } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { credential, recordingScheme } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { agentOf, builtInFetch, gate, majors } from './majors.ts'

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A function that is there only where V8 is asked for it. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
}

/** The events of a handler, however often it is told of data. */
function recording(events: unknown[], done: () => void): Dispatcher.DispatchHandler {
  const tell = (...event: unknown[]): void => void events.push(event)
  const raw = (lines: unknown): string[] => (lines as Buffer[]).map(String)
  return {
    onRequestStart: (controller) => tell('request', controller.paused, controller.aborted),
    onBodySent: (chunk) => tell('sent', String(chunk)),
    onRequestSent: () => tell('request sent'),
    onResponseStarted: () => tell('response'),
    onResponseStart(controller, status, headers, message) {
      const { date: _date, ...others } = headers
      const names = raw(controller.rawHeaders).filter((_line, index) => index % 2 === 0)
      tell('head', status, others, message, names)
    },
    onResponseData: (_controller, chunk) => tell('data', String(chunk)),
    onResponseEnd(controller, trailers) {
      tell('end', trailers, raw(controller.rawTrailers))
      done()
    },
    onResponseError: (_controller, error) => tell('error', error),
  }
}

describe.each(majors)('%s', (name, undici) => {
  test('a handler is told the same as without the interceptor', async () => {
    const server = await serve((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      response.writeHead(200, 'Fine', { trailer: 'X-Sum', 'X-A': '1' })
      response.write('text')
      response.addTrailers({ 'X-Sum': '1' })
      response.end()
    })
    const plain = new undici.Agent()
    onTestFinished(() => plain.close())
    const authorized = agentOf(undici, recordingScheme([server.origin]))
    const told: unknown[][] = []
    for (const dispatcher of [plain.compose([]), authorized]) {
      const events: unknown[] = []
      const ended = gate()
      const options = { origin: server.origin, path: '/', method: 'PUT', body: 'body' } as const
      dispatcher.dispatch(options, recording(events, ended.open))
      await ended.opened
      told.push(events)
    }
    expect(told[1]).toEqual(told[0])
    expect(told[1]?.length).toBeGreaterThan(4)
  })

  test('a controller holds up what comes and lets it go', async () => {
    const server = await serve((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      response.end(Buffer.alloc(8 * 1024 * 1024))
    })
    const dispatcher = agentOf(undici, recordingScheme([server.origin]))
    const ended = gate()
    let received = 0
    let given: Dispatcher.DispatchController | undefined
    dispatcher.dispatch(
      { origin: server.origin, path: '/', method: 'GET' },
      {
        onRequestStart: (controller) => void (given = controller),
        onResponseStart(controller, status) {
          controller.pause()
          if (status >= 200) return
          controller.resume()
          expect(controller.paused).toBe(false)
        },
        onResponseData(controller, chunk) {
          received += chunk.byteLength
          controller.pause()
        },
        onResponseEnd: ended.open,
        onResponseError: () => {},
      },
    )
    await expect.poll(() => given?.paused).toBe(true)
    await turns(50)
    expect(received).toBe(0)
    let releases = 0
    for (let before = -1; received !== before; releases += 1) {
      before = received
      given?.resume()
      // It stops at each piece, and goes on only when it is let go.
      await expect.poll(() => given?.paused).toBe(true)
      await turns(5)
      if (received === 8 * 1024 * 1024) break
    }
    given?.resume()
    await ended.opened
    expect(releases).toBeGreaterThan(10)
  })

  test('an abort is told although the whole response has come and is held up', async () => {
    const server = await serve((_request, response) => response.end('whole'))
    const dispatcher = agentOf(undici, recordingScheme([server.origin]))
    const told: unknown[] = []
    let given: Dispatcher.DispatchController | undefined
    dispatcher.dispatch(
      { origin: server.origin, path: '/', method: 'GET' },
      {
        onRequestStart: (controller) => void (given = controller),
        onResponseStart: (controller) => controller.pause(),
        onResponseData: () => told.push('data'),
        onResponseEnd: () => told.push('end'),
        onResponseError: (_controller, error) => told.push(error),
      },
    )
    await expect.poll(() => given?.paused).toBe(true)
    await turns(20)
    const reason = new Error('enough')
    given?.abort(reason)
    given?.resume()
    await turns(20)
    expect(told).toEqual([reason])
  })

  test('whoever keeps the controller keeps nothing of an attempt that is over', async () => {
    const server = await serve((_request, response) => response.end('text'))
    const attempts: WeakRef<object>[] = []
    const kept: Dispatcher.DispatchController[] = []
    // Sees what the agent gives to the attempt.
    const watch =
      (dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch =>
      (options, handler) => {
        attempts.push(new WeakRef(handler))
        return dispatch(options, handler)
      }
    const scheme = recordingScheme([server.origin])
    const dispatcher = agentOf(undici, scheme, { inside: [watch] })
    for (let request = 0; request < 20; request += 1) {
      const ended = gate()
      dispatcher.dispatch(
        { origin: server.origin, path: '/', method: 'GET' },
        {
          onRequestStart: (controller) => void kept.push(controller),
          onResponseEnd: ended.open,
          onResponseError: () => {},
        },
      )
      await ended.opened
    }
    await turns(5)
    collectGarbage()
    expect(kept).toHaveLength(20)
    // The agent itself may keep the last one.
    expect(attempts.filter((one) => one.deref() !== undefined).length).toBeLessThan(3)
  })

  test('an abort by the controller is told once, and the controller says so', async () => {
    const reason = new Error('enough')
    const arrived = gate()
    const server = await serve((_request, response) => {
      response.write('never ends')
      arrived.open()
    })
    const dispatcher = agentOf(undici, recordingScheme([server.origin]))
    for (const when of ['at once', 'in flight', 'at the head', 'at data'] as const) {
      const errors: unknown[] = []
      await new Promise<void>((resolve) => {
        let given: Dispatcher.DispatchController | undefined
        const abort = (now: typeof when): void => {
          if (now === when) given?.abort(reason)
        }
        dispatcher.dispatch(
          { origin: server.origin, path: '/', method: 'GET' },
          {
            onRequestStart(controller) {
              expect([controller.aborted, controller.reason]).toEqual([false, null])
              given = controller
              abort('at once')
              void arrived.opened.then(() => abort('in flight'))
            },
            onResponseStart: () => abort('at the head'),
            onResponseData: () => abort('at data'),
            onResponseEnd: () => {},
            onResponseError(controller, error) {
              errors.push([when, error, controller.aborted, controller.reason])
              setImmediate(resolve)
            },
          },
        )
      })
      expect(errors).toEqual([[when, reason, true, reason]])
    }
  })

  test('a failure that is no abort leaves the controller as it was, and is told once', async () => {
    const server = await serve()
    const failure = new Error('no review')
    const scheme = recordingScheme([server.origin], () => ({
      review() {
        throw failure
      },
    }))
    const dispatcher = agentOf(undici, scheme)
    const errors: unknown[] = []
    await new Promise<void>((resolve) => {
      dispatcher.dispatch(
        { origin: server.origin, path: '/', method: 'GET' },
        {
          onRequestStart: () => {},
          onResponseStart: () => {},
          onResponseData: () => {},
          onResponseEnd: () => {},
          onResponseError(controller, error) {
            errors.push([error, controller.aborted])
            setTimeout(resolve, 10)
          },
        },
      )
    })
    expect(errors).toEqual([[failure, false]])
  })

  test('the fetch of Node gets every header, and reads at its own pace', async () => {
    const size = 32 * 1024 * 1024
    let written = 0
    const server = await serve((_request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=\u00e9'])
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
    const dispatcher = agentOf(undici, recordingScheme([server.origin]))
    const response = await builtInFetch(server.origin, { dispatcher })
    // Node 22 joins them for every dispatcher of undici 7 that was composed.
    const isJoining = name === 'undici 7' && Number.parseInt(process.versions.node) < 24
    const cookies = isJoining ? ['a=1,b=\ufffd'] : ['a=1', 'b=\u00e9']
    expect(response.headers.getSetCookie()).toEqual(cookies)
    for (let before = -1; before !== written; await turns(100)) before = written
    expect(written).toBeLessThan(size / 2)
    expect((await response.arrayBuffer()).byteLength).toBe(size)
  })

  test('a WebSocket of Node is authorized as it opens', async () => {
    const received: unknown[] = []
    const server = createServer()
    server.on('upgrade', ({ headers }, socket) => {
      received.push(headers['x-test-credential'])
      const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
      const accept = createHash('sha1').update(key).digest('base64')
      const lines = [
        'HTTP/1.1 101 Switching Protocols',
        'connection: upgrade',
        'upgrade: websocket',
      ]
      socket.write([...lines, `sec-websocket-accept: ${accept}`, '', ''].join('\r\n'))
      socket.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const dispatcher = agentOf(undici, recordingScheme([`http://127.0.0.1:${port}`]))

    for (const Socket of [globalThis.WebSocket, undici.WebSocket]) {
      const options = { dispatcher } as never
      const socket = new Socket(`ws://127.0.0.1:${port}/`, options)
      const message = await new Promise((resolve, reject) => {
        socket.addEventListener('message', (event) => resolve((event as MessageEvent).data))
        socket.addEventListener('error', reject)
      })
      expect(message).toBe('hello')
    }
    expect(received).toEqual([`${credential}-1`, `${credential}-2`])
  })
})

test('over undici 8 an older handler is told what undici told it before', async () => {
  const server = await serve((_request, response) => {
    response.setHeader('set-cookie', ['a=1', 'b=\u00e9'])
    response.sendDate = false
    response.writeHead(200, { connection: 'close', trailer: 'x-sum' })
    response.write('text')
    response.addTrailers({ 'x-sum': '1' })
    response.end()
  })
  const [, undici] = majors[1]!
  const dispatcher = agentOf(undici, recordingScheme([server.origin]))
  const events: unknown[] = []
  const text = (lines: Buffer[]): string[] => lines.map((line) => line.toString('latin1'))
  await new Promise<void>((resolve, reject) => {
    const handler = {
      onConnect: (abort: unknown) => void events.push(['connect', typeof abort]),
      onResponseStarted: () => void events.push(['response']),
      onHeaders(status: number, headers: Buffer[], resume: () => void, message: string) {
        events.push(['head', status, text(headers).slice(0, 4), message])
        setImmediate(resume)
        return false
      },
      onData: (chunk: Buffer) => events.push(['data', chunk.toString()]) > 0,
      onComplete(trailers: Buffer[]) {
        events.push(['end', text(trailers)])
        resolve()
      },
      onError: reject,
    }
    const options = { origin: server.origin, path: '/', method: 'GET' } as const
    dispatcher.dispatch(options, handler)
  })
  expect(events).toEqual([
    ['connect', 'function'],
    ['response'],
    ['head', 200, ['set-cookie', 'a=1', 'set-cookie', 'b=\u00e9'], 'OK'],
    ['data', 'text'],
    ['end', ['x-sum', '1']],
  ])
})

describe('with a dispatcher of its own', () => {
  const options = { origin: 'https://a.example', path: '/', method: 'HEAD' } as const
  const attemptOf = (more: Partial<Dispatcher.DispatchController>) => ({
    paused: false,
    aborted: false,
    reason: null,
    pause() {},
    resume() {},
    abort() {},
    ...more,
  })

  test.each([
    ['before its head is given', (end: () => void) => end()],
    ['after that', (end: () => void) => void setImmediate(end)],
  ])(
    'an attempt that has ended %s is left alone: its connection may serve another one',
    async (_when, soon) => {
      const resumes: string[] = []
      let state = 'running'
      const attempt = attemptOf({ resume: () => void resumes.push(state) })
      const dispatchOf = (_options: unknown, handler: Dispatcher.DispatchHandler): boolean => {
        handler.onRequestStart?.(attempt, null)
        handler.onResponseStart?.(attempt, 200, {}, 'OK')
        soon(() => {
          state = 'ended'
          handler.onResponseEnd?.(attempt, {})
        })
        return true
      }
      const dispatch = authInterceptor(recordingScheme(['https://a.example']))(dispatchOf)
      await new Promise<void>((resolve) => {
        dispatch(options, {
          onRequestStart() {},
          onResponseEnd(controller) {
            controller.resume()
            setImmediate(resolve)
          },
        })
      })
      expect(resumes).not.toContain('ended')
    },
  )

  test('a handler that throws at what was held is told of its error once', async () => {
    const failure = new Error('no room')
    const dispatchOf = (_options: unknown, handler: Dispatcher.DispatchHandler): boolean => {
      const attempt = attemptOf({
        abort: (reason) => handler.onResponseError?.(attempt, reason),
      })
      handler.onRequestStart?.(attempt, null)
      handler.onResponseStart?.(attempt, 200, {}, 'OK')
      handler.onResponseData?.(attempt, Buffer.from('held'))
      return true
    }
    const dispatch = authInterceptor(recordingScheme(['https://a.example']))(dispatchOf)
    const errors: unknown[] = []
    await new Promise<void>((resolve) => {
      dispatch(options, {
        onRequestStart() {},
        onResponseData() {
          throw failure
        },
        onResponseError(_controller, error) {
          errors.push(error)
          setImmediate(resolve)
        },
      })
    })
    expect(errors).toEqual([failure])
  })
})
