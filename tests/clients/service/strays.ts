import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback, type LoopbackServer } from '../../support/loopback.ts'

/** Another origin, which records what reaches it. */
export interface Strays extends LoopbackServer {
  readonly arrived: readonly Stray[]
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
  return { ...(await listenOnLoopback(server)), arrived }
}
