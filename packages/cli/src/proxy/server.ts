import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ProxyExchange } from './exchange.ts'
import { ProxyRefusal, refusalBody } from './refusal.ts'

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
  /** Connections with a response under way, into which nothing else must be written. */
  const busy = new Map<Socket, number>()
  let isClosing = false

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    busy.set(socket, (busy.get(socket) ?? 0) + 1)
    if (isClosing) response.setHeader('connection', 'close')
    response.once('close', () => {
      const rest = (busy.get(socket) ?? 1) - 1
      if (rest > 0) busy.set(socket, rest)
      else busy.delete(socket)
      // A connection is idle a moment after its response.
      if (isClosing) setImmediate(() => server.closeIdleConnections())
    })
    void exchange(request, response)
  }
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headTimeoutMs,
    requestTimeout: 0,
    keepAliveTimeout: 60_000,
    connectionsCheckingInterval: Math.min(5000, limits.headTimeoutMs),
    // Its absence is refused in words of our own.
    requireHostHeader: false,
  })
  // Otherwise headers beyond a number would be left out unseen.
  server.maxHeadersCount = 0
  server.maxConnections = limits.maxConnections
  server.timeout = limits.idleTimeoutMs
  server.on('request', handle)
  server.on('checkContinue', handle)
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    refuseRaw(
      request.socket,
      new ProxyRefusal(417, 'ExpectationFailed', 'the only expectation is 100-continue'),
    )
    response.destroy()
  })
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {})
    refuseRaw(socket, new ProxyRefusal(405, 'MethodNotAllowed', 'CONNECT is not forwarded'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (busy.has(socket) || !socket.writable || error.code === 'ECONNRESET') socket.destroy()
    else refuseRaw(socket, parserRefusal(error.code))
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

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
}

/** Writes a refusal where there is no response to write it with, and closes the connection. */
function refuseRaw(socket: Socket, refusal: ProxyRefusal): void {
  const { contentType, body } = refusalBody(refusal, 'json')
  socket.end(
    `HTTP/1.1 ${refusal.status} ${reasons[refusal.status] ?? ''}\r\n` +
      `content-type: ${contentType}\r\ncontent-length: ${body.byteLength}\r\n` +
      `x-svc-proxy: refused\r\nconnection: close\r\n\r\n${body.toString()}`,
    () => socket.destroy(),
  )
}
