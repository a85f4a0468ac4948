import { createServer, type IncomingMessage, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'

/** A request on its way through a proxy. */
export interface PassedOn {
  method: string
  /** Path and query of the request line. */
  target: string
  headers: [name: string, value: string][]
  body: Buffer
}

/** The ways in which a proxy behaves. */
export interface ProxyOptions {
  /** Changes what is passed on. */
  readonly rewrite?: (passed: PassedOn) => void
  /** The headers of its own that a refusal gets, which has no other words. */
  readonly refusal?: Readonly<Record<string, string>>
}

/** Starts a proxy before a service that says nothing but 403, and when, where the service says why it refuses. */
export async function startTerseProxy(upstream: URL, { rewrite, refusal = {} }: ProxyOptions = {}) {
  const server = createServer(async (incoming, outgoing) => {
    const passed: PassedOn = {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      headers: pairs(incoming),
      body: await buffer(incoming),
    }
    rewrite?.(passed)
    const { method, target, body } = passed
    const headers = passed.headers.filter(([name]) => name !== 'content-length')
    headers.push(['content-length', String(body.byteLength)])
    const { hostname: host, port } = upstream
    const options = { host, port, method, path: target, setHost: false, headers: headers.flat() }
    send(options, (response) => {
      const { statusCode = 502, headers: given, rawHeaders } = response
      if (statusCode === 400 || statusCode === 403) {
        response.resume()
        outgoing.writeHead(403, { date: given.date ?? '', ...refusal }).end()
        return
      }
      outgoing.writeHead(statusCode, rawHeaders)
      response.pipe(outgoing)
    })
      .on('error', () => outgoing.destroy())
      .end(body)
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { url, baseUrl: url.origin }
}

function pairs({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? '']] : [],
  )
}
