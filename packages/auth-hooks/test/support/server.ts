import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A request as it came over the wire. */
export interface Arrived {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  /** The number of this request: 1, 2 … */
  readonly count: number
}

/** A server on loopback that records what arrives; closed when the test ends. */
export interface RecordingServer {
  readonly origin: string
  readonly arrived: Arrived[]
  readonly sockets: () => number
}

/** Starts a server. `respond` makes its responses, else they are an empty 200. */
export async function serve(
  respond: (request: Arrived, response: ServerResponse) => void = (_, response) => response.end(),
): Promise<RecordingServer> {
  const arrived: Arrived[] = []
  let sockets = 0
  const server = createServer(async (message, response) => {
    try {
      const { method = '', url = '', headers, rawHeaders } = message
      const body = await buffer(message)
      const request = {
        method,
        path: url,
        headers,
        rawHeaders,
        body,
        count: arrived.length + 1,
      }
      arrived.push(request)
      respond(request, response)
    } catch {
      response.destroy()
    }
  })
  server.on('connection', () => {
    sockets += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  // A TCP server that listens has an address object.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, arrived, sockets: () => sockets }
}

/** Responds with a status and a location. */
export function redirectTo(response: ServerResponse, status: number, location: string): void {
  response.writeHead(status, { location }).end()
}
