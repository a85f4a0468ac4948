import { createServer, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** A request as a proxy passes it on. */
export interface PassedOn {
  method: string
  /** Path and query of the request line. */
  target: string
  headers: [name: string, value: string][]
  body: Buffer
}

/** A proxy on loopback that changes what it passes on, as those in the field do. */
export async function rewritingProxy(
  upstream: URL,
  rewrite: (passed: PassedOn) => void,
): Promise<{ url: URL; close: () => Promise<void> }> {
  const server = createServer(async (incoming, outgoing) => {
    const passed: PassedOn = {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      headers: pairs(incoming),
      body: await buffer(incoming),
    }
    rewrite(passed)
    const { method, target, body } = passed
    const isFraming = ([name]: [string, string]) =>
      /^(content-length|transfer-encoding)$/.test(name)
    const headers = passed.headers.filter((header) => !isFraming(header))
    if (body.byteLength > 0 || passed.headers.some(isFraming)) {
      headers.push(['content-length', String(body.byteLength)])
    }
    request(
      {
        host: upstream.hostname,
        port: upstream.port,
        method,
        path: target,
        setHost: false,
        headers: headers.flat(),
      },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
        response.pipe(outgoing)
      },
    )
      .on('error', () => outgoing.destroy())
      .end(body)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function pairs({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? '']] : [],
  )
}
