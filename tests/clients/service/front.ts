import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { TlsCertificate } from '../../support/tls-certificate.ts'

/** A server between a client and the emulator, which sees what the emulator cannot. */
export interface Front {
  readonly url: URL
  /** The requests that came, in order. */
  readonly passed: readonly Passage[]
  /** The number of connections that were opened. */
  readonly connections: () => number
  /** Responds otherwise, after the emulator has verified the request and responded to it. */
  instead(response: OtherResponse): void
  close(): Promise<void>
}

/** A request on its way through the front. */
export interface Passage {
  readonly path: string
  readonly httpVersion: string
  /** The bytes of its body so far. */
  receivedBytes: number
  /** `true` if the client left before it had its response. */
  isAbandoned: boolean
}

/** A response in place of the emulator's, where that one is no refusal. */
export interface OtherResponse {
  readonly path: string
  readonly status: number
  /** @default Number.POSITIVE_INFINITY */
  readonly times?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes, or pieces that are sent when they come. */
  readonly body?: string | Uint8Array | (() => AsyncIterable<string>)
  /**
   * `connection`: it breaks, and there is no response; `body`: it breaks after a body of text.
   * @default nothing breaks
   */
  readonly breaks?: 'connection' | 'body'
}

type Incoming = IncomingMessage | Http2ServerRequest
type Outgoing = ServerResponse | Http2ServerResponse

// Headers that belong to one connection, or to HTTP/2 alone.
const ofConnection = /^(?::|(?:host|connection|keep-alive|transfer-encoding)$)/

/**
 * Passes requests on to the emulator as they came, raw line and headers; with a certificate over
 * TLS, as HTTP/2 where the client asks for it. What the emulator lets in at a path that ends in
 * `/echo` gets `{ "data": { "echo": <the body> } }`.
 */
export async function startFront(emulator: URL, certificate?: TlsCertificate): Promise<Front> {
  const passed: Passage[] = []
  const others: { response: OtherResponse; timesLeft: number }[] = []
  // An agent of its own: what is reached from the global one is searched for credentials.
  const agent = new Agent({ keepAlive: true })
  let connections = 0

  const otherResponse = (path: string): OtherResponse | undefined => {
    const other = others.find(({ response, timesLeft }) => response.path === path && timesLeft > 0)
    if (other) other.timesLeft -= 1
    return other?.response
  }
  const handle = (incoming: Incoming, outgoing: Outgoing): void => {
    pass(incoming, outgoing).catch(() => outgoing.destroy())
  }
  const pass = async (incoming: Incoming, outgoing: Outgoing): Promise<void> => {
    const path = (incoming.url ?? '').replace(/\?.*/, '')
    const { httpVersion } = incoming
    const passage: Passage = { path, httpVersion, receivedBytes: 0, isAbandoned: false }
    passed.push(passage)
    outgoing.once('close', () => {
      passage.isAbandoned = !outgoing.writableEnded
    })
    const received: Uint8Array[] = []
    incoming.on('data', (chunk: Uint8Array) => {
      passage.receivedBytes += chunk.byteLength
      received.push(chunk)
    })
    const forwarded = await forward(emulator, agent, incoming, outgoing)
    const isRefused = [401, 403].includes(forwarded.statusCode ?? 0)
    const other = isRefused ? undefined : otherResponse(path)
    const isEchoed = /\/echo$/i.test(path) && [200, 404].includes(forwarded.statusCode ?? 0)
    if (!other && !isEchoed) {
      writeHead(outgoing, forwarded.statusCode ?? 502, pairs(forwarded.rawHeaders))
      forwarded.pipe(outgoing)
      return
    }
    await buffer(forwarded)
    if (!other) {
      const echo = Buffer.concat(received).toString()
      writeHead(outgoing, 200, [['content-type', 'application/json']])
      outgoing.end(JSON.stringify({ data: { echo } }))
      return
    }
    if (other.breaks === 'connection') {
      outgoing.destroy()
      return
    }
    writeHead(outgoing, other.status, Object.entries(other.headers ?? {}))
    if (other.breaks === 'body') {
      // Both have this method, in types that TypeScript cannot join.
      const response = outgoing as ServerResponse
      response.write(other.body, () => response.destroy())
      return
    }
    if (typeof other.body === 'function') Readable.from(other.body()).pipe(outgoing)
    else outgoing.end(other.body ?? '')
  }

  const server: Server = certificate
    ? createSecureServer({ ...certificate, allowHTTP1: true }, handle)
    : createServer(handle)
  const sockets = new Set<{ destroy(): void }>()
  server.on(certificate ? 'secureConnection' : 'connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address object.
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`${certificate ? 'https' : 'http'}://127.0.0.1:${port}/`),
    passed,
    connections: () => connections,
    instead(response) {
      others.push({ response, timesLeft: response.times ?? Number.POSITIVE_INFINITY })
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      agent.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Sends a request on as it came, and gives the head of the response. */
function forward(
  { hostname, port }: URL,
  agent: Agent,
  incoming: Incoming,
  outgoing: Outgoing,
): Promise<IncomingMessage> {
  const { method = '', url: path = '' } = incoming
  const host = incoming.headers[':authority'] ?? incoming.headers.host
  const headers = ['host', String(host), ...pairs(incoming.rawHeaders).flat()]
  const onward = request({ hostname, port, agent, method, path, headers })
  outgoing.once('close', () => onward.destroy())
  incoming.pipe(onward)
  return new Promise((resolve, reject) => {
    onward.once('response', resolve)
    // Not once: a connection that breaks after the head of the response is an error too.
    onward.on('error', reject)
  })
}

function writeHead(
  outgoing: Outgoing,
  status: number,
  headers: readonly (readonly [name: string, value: string])[],
): void {
  outgoing.statusCode = status
  for (const [name, value] of headers) outgoing.setHeader(name, value)
}

/** The headers that hold beyond one connection, as they came. */
function pairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [name: string, value: string][] =>
    index % 2 === 1 || ofConnection.test(name.toLowerCase())
      ? []
      : [[name, rawHeaders[index + 1] ?? '']],
  )
}
