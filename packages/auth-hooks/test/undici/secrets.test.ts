import { authInterceptor } from '@svc/auth-hooks/undici'
import { describe, expect, test } from 'vitest'
import { findText } from '../../../../tests/support/find-text.ts'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { agentOf, builtInFetch, forBuiltInFetch, gate, majors } from './majors.ts'

const outcome = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    (value) => value,
    (error: unknown) => error,
  )

/** Of a `Response`, or of what `request` gives. */
async function readText(response: unknown): Promise<string> {
  if ('text' in (response as object)) return (response as Response).text()
  return (response as { body: Body }).body.text()
}

describe.each(majors)('%s', (_name, undici) => {
  test('no error, response or option of the caller shows a credential', async () => {
    const server = await serve(({ path }, response) => {
      if (path === '/destroyed') response.destroy()
      else if (path === '/slow') response.writeHead(200, { 'content-length': 9 }).write('half')
      else if (path === '/refused') response.writeHead(401).end('no')
      else if (path === '/broken') response.socket?.end('HTTP/1.1 what?\r\n\r\n')
      else if (path === '/unavailable') response.writeHead(503).end('later')
      else if (path !== '/silent') response.end('yes')
    })
    const scheme = recordingScheme([server.origin, 'http://127.0.0.1:1'], () => ({
      review: rejects401,
    }))
    const { interceptors } = undici
    const dispatcher = agentOf(undici, scheme)
    const hasty = agentOf(undici, scheme, { agent: { headersTimeout: 1 } })
    const throwing = forBuiltInFetch(
      undici,
      agentOf(undici, scheme, { outside: [interceptors.responseError()] }),
    )
    const retrying = forBuiltInFetch(
      undici,
      agentOf(undici, scheme, {
        outside: [interceptors.retry({ minTimeout: 1, maxTimeout: 1, maxRetries: 1 })],
      }),
    )
    const cases = [
      [dispatcher, '/', {}],
      [dispatcher, '/refused', {}],
      [dispatcher, '/destroyed', {}],
      [dispatcher, '/broken', {}],
      [hasty, '/silent', {}],
      [dispatcher, '/silent', { signal: AbortSignal.timeout(20) }],
      [dispatcher, '/', { headers: { 'transfer-encoding': 'chunked' } }],
      [dispatcher, '/', { method: 'PUT', body: 'x', headers: { 'content-length': '5' } }],
      [throwing, '/refused', {}],
      [throwing, '/unavailable', {}],
      [retrying, '/unavailable', {}],
      [retrying, '/destroyed', {}],
    ] as const
    const clients = [undici.request, undici.fetch, builtInFetch] as (typeof builtInFetch)[]
    const calls = cases.flatMap(([agent, path, more]) =>
      clients.map(async (send) => {
        const options = { dispatcher: agent, ...more }
        const result = await outcome(send(server.origin + path, { ...options }))
        const body = result instanceof Error ? undefined : await outcome(readText(result))
        return [path, result, body, options]
      }),
    )
    const readSlowly = async (): Promise<string> => {
      const options = { dispatcher, bodyTimeout: 1 }
      const { body } = await undici.request(`${server.origin}/slow`, options)
      return body.text()
    }
    const unreachable = undici.request('http://127.0.0.1:1', { dispatcher })
    const results = await Promise.all([...calls, outcome(readSlowly()), outcome(unreachable)])

    expect(scheme.seen.length).toBeGreaterThan(cases.length)
    for (const result of results) expect(findText(result, credential)).toEqual([])
  })

  test('no handler of a caller sees a credential, whatever it is given', async () => {
    const server = await serve((_request, response) => response.end('yes'))
    const dispatcher = agentOf(undici, recordingScheme([server.origin]))
    const given: unknown[] = []
    await new Promise<void>((resolve, reject) => {
      const keep =
        (done?: () => void) =>
        (...values: unknown[]): void => {
          given.push(values)
          done?.()
        }
      const options = { origin: server.origin, path: '/', method: 'PUT', body: 'x' } as const
      dispatcher.dispatch(options, {
        onRequestStart: keep(),
        onResponseStart: keep(),
        onResponseData: keep(),
        onResponseEnd: keep(resolve),
        onResponseError: (_controller, error) => reject(error),
      })
    })
    expect(given.length).toBeGreaterThan(3)
    expect(findText(given, credential)).toEqual([])
  })

  test('the agent shows none once a request is over', async () => {
    const arrived = gate()
    const server = await serve(({ path }, response) => {
      if (path === '/end') response.end('yes')
      else arrived.open()
    })
    const agent = new undici.Agent()
    const scheme = recordingScheme([server.origin])
    const dispatcher = agent.compose(authInterceptor(scheme))
    const ended = await undici.request(`${server.origin}/end`, { dispatcher })
    expect(await ended.body.text()).toBe('yes')
    const controller = new AbortController()
    const aborted = undici.request(server.origin, { dispatcher, signal: controller.signal })
    await arrived.opened
    // undici's own queue holds what is under way.
    expect(findText(agent, credential)).not.toEqual([])
    controller.abort()
    await outcome(aborted)
    await (await undici.request(`${server.origin}/end`, { dispatcher })).body.text()

    for (const value of [agent, dispatcher, ended]) expect(findText(value, credential)).toEqual([])
    await agent.close()
  })
})
