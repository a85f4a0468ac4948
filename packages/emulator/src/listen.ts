import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Exchange } from './exchange.ts'
import { collectBody } from './http/request.ts'
import { assertOption } from './options.ts'

/** Options of `listen`: the address of an emulator. */
export interface ListenOptions {
  /**
   * The port; 0 takes a free one.
   * @default `0`
   */
  readonly port?: number
  /**
   * The address to bind.
   * @default `'127.0.0.1'`
   */
  readonly host?: string
}

/** An emulator that listens on a socket. */
export interface ListeningEmulator {
  /** The address, such as `http://127.0.0.1:40123/`. */
  readonly url: URL
  /** Stops listening and closes every connection, idle or not. */
  close(): Promise<void>
}

/** Serves an exchange over HTTP. */
export async function listen(
  exchange: Exchange,
  maxBodyBytes: number,
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<ListeningEmulator> {
  assertOption(
    Number.isInteger(port) && port >= 0 && port <= 65_535,
    'port',
    'must be an integer from 0 to 65535',
  )
  assertOption(typeof host === 'string' && host !== '', 'host', 'must be a non-empty string')
  // The line and the headers of a request with a thousand parameters do not fit into 16 KiB.
  const server = createServer({ maxHeaderSize: 256 * 1024 }, (incoming, outgoing) => {
    respond(exchange, maxBodyBytes, incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const boundPort = typeof address === 'object' && address !== null ? address.port : port
  let closed: Promise<void> | undefined
  return {
    url: new URL(`http://${reachableHost(host)}:${boundPort}/`),
    close() {
      closed ??= new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      return closed
    },
  }
}

async function respond(
  exchange: Exchange,
  maxBodyBytes: number,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const connection = new AbortController()
  outgoing.once('close', () => connection.abort())
  const body = await collectBody(incoming, maxBodyBytes)
  const request = {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    rawHeaders: headerPairs(incoming.rawHeaders),
    body: body ?? new Uint8Array(),
  }
  const response = await exchange({ request, isTooLarge: body === undefined }, connection.signal)
  if (response === undefined) {
    // Destroying the response is not enough: Bun, a tick later, ends it as a 200.
    incoming.socket.destroy()
    return
  }
  // The rest of a body that is too large is still coming; the connection is good for nothing else.
  if (body === undefined) outgoing.setHeader('connection', 'close')
  outgoing.writeHead(response.status, { ...response.headers })
  outgoing.end(response.body)
}

function headerPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [name: string, value: string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  )
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}
