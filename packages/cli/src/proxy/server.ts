import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import type { ProxyExchange } from './exchange.ts'
import { ProxyRefusal, refusalBody } from './refusal.ts'
import { isRefused } from './respond.ts'

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

/** Creates the server of the proxy. It does not listen yet. */
export function createProxyServer(exchange: ProxyExchange, limits: ServerLimits): ProxyServer {
  /** Responses under way. */
  const responses = new Map<Socket, Set<ServerResponse>>()
  let isClosing = false

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const ofSocket = responses.get(socket) ?? new Set()
    responses.set(socket, ofSocket.add(response))
    if (isClosing) response.setHeader('connection', 'close')
    response.once('close', () => {
      ofSocket.delete(response)
      if (ofSocket.size === 0) responses.delete(socket)
      // A connection is idle a moment after its response.
      if (isClosing) setImmediate(() => server.closeIdleConnections())
    })
    // Whatever goes wrong in there ends one connection, and not the proxy.
    exchange(request, response).catch(() => socket.destroy())
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
  server.on('request', handle)
  server.on('checkContinue', handle)
  server.on('checkExpectation', handle)
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {}).resume()
    // Behind others in a pipeline, it would be taken for the response of the first.
    if (responses.has(socket)) socket.destroy()
    else refuseRaw(socket, new ProxyRefusal(405, 'MethodNotAllowed', 'CONNECT is not forwarded'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Nothing must be written into a response that has begun, nor before one that comes first.
    const [first, second] = responses.get(socket) ?? []
    const isTooLate = second !== undefined || first?.headersSent === true
    if (first && isTooLate && (first.writableEnded || isRefused(first))) socket.destroySoon()
    else if (isTooLate || error.code === 'ECONNRESET') socket.destroy()
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
        server.closeIdleConnections()
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
  return new ProxyRefusal(400, 'InvalidRequest', 'the request is not valid HTTP/1.1')
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
