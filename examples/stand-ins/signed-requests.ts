import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** A request as it came. */
export interface SignedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

/** Starts a service on loopback that responds with what it verified, or a 401 with what is wrong. */
export async function startVerifier(
  check: (request: SignedRequest) => string,
): Promise<{ readonly origin: string; close(): void }> {
  const server = createServer(async (incoming, response) => {
    const { method = '', url: target = '', headers } = incoming
    const body = await buffer(incoming)
    try {
      const url = new URL(target, `http://${headers.host}`)
      response.end(check({ method, url, headers, body }))
    } catch (error) {
      response.writeHead(401).end(String(error))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { origin: `http://127.0.0.1:${port}`, close }
}
