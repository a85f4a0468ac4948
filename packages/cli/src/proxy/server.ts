import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import type { ProxyExchange } from './exchange.ts'
import { invalid, ProxyRefusal, refusalBody } from './refusal.ts'

/** Bounds of what clients may take up. */
export interface ServerLimits {
  readonly maxHeaderBytes: number
  readonly maxConnections: number
  /** The time for a head to arrive. */
  readonly headTimeoutMs: number
  /** The time that a connection may be silent while a request is under way. A slow body is never too slow. */
  readonly idleTimeoutMs: number
}

/** Limits of the command. */
export const defaultLimits: ServerLimits = {
  maxHeaderBytes: 64 * 1024,
  maxConnections: 1024,
  headTimeoutMs: 30_000,
  idleTimeoutMs: 10 * 60_000,
}

/** A server, and the way to end it. */
export interface ProxyServer {
  readonly server: Server
  /** Takes no more requests, lets those under way finish for a while, then breaks them off. */
  close(graceMs: number): Promise<void>
}

/** The requests under way on a connection. */
interface Connection {
  /** In the order of their requests, of which the first is served and the others wait. */
  readonly responses: Set<ServerResponse>
  /** Its bytes are no HTTP any more: it ends with the last of the responses. */
  isBroken: boolean
}

/** The most requests that a client may send before it has the response to the first of them. */
const maxPipelined = 16

/** Creates the server of the proxy. It does not listen yet. */
export function createProxyServer(exchange: ProxyExchange, limits: ServerLimits): ProxyServer {
  const connections = new Map<Socket, Connection>()
  let isClosing = false

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const connection = connections.get(socket)
    const { responses } = connection ?? { responses: new Set() }
    const before = Array.from(responses).at(-1)
    responses.add(response)
    // Thousands fit into what is read at once, and each would take memory, however long it waits.
    if (responses.size > maxPipelined) {
      socket.destroy()
      return
    }
    if (isClosing) response.setHeader('connection', 'close')
    response.once('close', () => {
      responses.delete(response)
      if (responses.size === 0 && connection?.isBroken) socket.destroySoon()
      // A connection is idle a moment after its response.
      if (isClosing) setImmediate(() => server.closeIdleConnections())
    })
    const begin = (): void => {
      // Behind a response that closes the connection, nobody would learn what became of it.
      if (!socket.writable) return
      // Whatever goes wrong in there ends one connection, and not the proxy.
      exchange(request, response).catch(() => socket.destroy())
    }
    if (before) before.once('close', begin)
    else begin()
  }
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headTimeoutMs,
    requestTimeout: 0,
    keepAliveTimeout: 60_000,
    connectionsCheckingInterval: Math.min(5000, limits.headTimeoutMs),
    // Whatever NODE_OPTIONS say.
    insecureHTTPParser: false,
    // Its absence is refused in words of our own.
    requireHostHeader: false,
  })
  // Otherwise headers beyond a number would be left out unseen.
  server.maxHeadersCount = 0
  server.maxConnections = limits.maxConnections
  server.timeout = limits.idleTimeoutMs
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { responses: new Set(), isBroken: false })
    socket.once('close', () => connections.delete(socket))
  })
  server.on('request', handle)
  server.on('checkContinue', handle)
  server.on('checkExpectation', handle)
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {}).resume()
    // Behind others in a pipeline, it would be taken for the response of the first.
    if (connections.get(socket)?.responses.size !== 0) socket.destroy()
    else refuseRaw(socket, new ProxyRefusal(405, 'MethodNotAllowed', 'CONNECT is not forwarded'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = connections.get(socket)
    const [first, second] = connection?.responses ?? []
    const last = Array.from(connection?.responses ?? []).at(-1)
    // The requests before it are good, and have their responses.
    if (connection && last?.req.complete && error.code !== 'ECONNRESET') {
      connection.isBroken = true
      return
    }
    // Nothing must be written into a response that has begun, nor before one that comes first.
    const isTooLate = second !== undefined || first?.headersSent === true
    if (isTooLate || error.code === 'ECONNRESET') socket.destroySoon()
    // Whatever else arrives is an error too, and is read away.
    else if (socket.writable) refuseRaw(socket, parserRefusal(error.code))
  })
  return {
    server,
    close(graceMs) {
      isClosing = true
      return new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMs)
        server.close(() => {
          clearTimeout(timer)
          resolve()
        })
        // Those without a whole request would last until the time is over.
        for (const [socket, { responses }] of connections) {
          if (responses.size === 0) socket.destroy()
        }
      })
    },
  }
}

function parserRefusal(code: string | undefined): ProxyRefusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ProxyRefusal(431, 'RequestHeaderFieldsTooLarge', 'the head is larger than 64 KiB')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ProxyRefusal(408, 'RequestTimeout', 'the head did not arrive in time')
  }
  return invalid('the request is not valid HTTP/1.1')
}

/** Writes a refusal where there is no response to write it with, and closes the connection a little later. */
function refuseRaw(socket: Socket, refusal: ProxyRefusal): void {
  const { contentType, body } = refusalBody(refusal, 'json')
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n` +
      `content-type: ${contentType}\r\ncontent-length: ${body.byteLength}\r\n` +
      `x-svc-proxy: refused\r\nconnection: close\r\n\r\n${body.toString()}`,
  )
  // One that is closed with bytes unread is reset, and its client would not see the refusal.
  const timer = setTimeout(() => socket.destroy(), maxLingerMs)
  socket.once('close', () => clearTimeout(timer))
}

const maxLingerMs = 1000
