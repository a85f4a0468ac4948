import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Another origin, which records what reaches it. */
export interface Strays {
  readonly url: URL
  readonly arrived: readonly Stray[]
  close(): Promise<void>
}

/** A request that reached the other origin. */
export interface Stray {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Starts an origin that is covered by no scheme. */
export async function startStrays(): Promise<Strays> {
  const arrived: Stray[] = []
  const server = createServer(async (message, response) => {
    const { method = '', headers } = message
    arrived.push({ method, headers, body: await text(message) })
    response.setHeader('content-type', 'application/json')
    response.end('{"data":{"echo":"from elsewhere"}}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address object.
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    arrived,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
