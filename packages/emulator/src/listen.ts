import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import { checksOf } from './checks.ts'
import type { Exchange } from './exchange.ts'
import { receive } from './http/arrival.ts'
import type { PendingBytes, PendingRequest } from './http/pending.ts'

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
  /** The same as a text without the last slash, to which paths are added: `http://127.0.0.1:40123`. */
  readonly baseUrl: string
  /** Stops listening and closes every connection, idle or not. */
  close(): Promise<void>
}

/** Serves an exchange over HTTP. */
export async function listen(
  exchange: Exchange,
  maxBodyBytes: number,
  pendingBytes: PendingBytes,
  options: ListenOptions,
): Promise<ListeningEmulator> {
  const checks = checksOf('listen')
  checks.that(typeof options !== 'number', 'options', 'must be an object, such as { port: 8080 }')
  checks.names(options, 'options', { port: 1, host: 1 })
  const { port = 0, host = '127.0.0.1' } = options
  checks.that(
    Number.isInteger(port) && port >= 0 && port <= 65_535,
    'port',
    'must be an integer from 0 to 65535',
  )
  checks.text(host, 'host')
  // The line and the headers of a request with a thousand parameters do not fit into 16 KiB.
  const server = createServer({ maxHeaderSize: 256 * 1024 }, (incoming, outgoing) => {
    respond(exchange, maxBodyBytes, pendingBytes.open(), incoming, outgoing).catch(() =>
      incoming.socket.destroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  // A connection that cannot be accepted, for want of descriptors, is its client's to try again.
  server.on('error', () => undefined)
  const address = server.address()
  const boundPort = typeof address === 'object' && address !== null ? address.port : port
  const baseUrl = `http://${reachableHost(host)}:${boundPort}`
  let closed: Promise<void> | undefined
  return {
    url: new URL(`${baseUrl}/`),
    baseUrl,
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
  pending: PendingRequest,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const signal = signalOfEnd(incoming, outgoing, pending)
  const head = {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    rawHeaders: headerPairs(incoming.rawHeaders),
  }
  const arrival = await receive(head, incoming, maxBodyBytes, pending)
  const response = await exchange(arrival, signal)
  // Behind others in a pipeline, responses that say that there is no room would take room.
  if (response === undefined || (arrival.refusal === 'no-room' && outgoing.socket === null)) {
    // Destroying the response is not enough: Bun, a tick later, ends it as a 200.
    incoming.socket.destroy()
    return
  }
  // The rest of a body that was refused is still coming; the connection is good for nothing else.
  if (arrival.refusal !== undefined) outgoing.setHeader('connection', 'close')
  outgoing.writeHead(response.status, { ...response.headers })
  outgoing.end(response.body)
}

// A response that waits behind others in a pipeline never closes if its connection does.
function signalOfEnd(
  { socket }: IncomingMessage,
  outgoing: ServerResponse,
  pending: PendingRequest,
): AbortSignal {
  const controller = new AbortController()
  const end = () => {
    socket.off('close', end)
    pending.close()
    controller.abort()
  }
  socket.setMaxListeners(0)
  socket.once('close', end)
  outgoing.once('finish', end)
  outgoing.once('close', end)
  return controller.signal
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
