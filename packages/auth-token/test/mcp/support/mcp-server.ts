import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import {
  type EventStore,
  StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../../../../../tests/support/loopback.ts'

/** A request to the server, as it arrived. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string
  readonly session: string
  readonly lastEventId: string
  /** `0` until it is responded to. */
  readonly status: number
}

/** What a test may change about the server. */
export interface McpWorld {
  /** The issuer that its metadata name; `undefined` for a server without metadata. */
  issuer?: string | undefined
  /** Responds in place of the metadata. */
  metadata?: ((response: ServerResponse) => void) | undefined
  /** The `www-authenticate` of a 401. */
  challenge?: string | undefined
  /** The scopes that its metadata name. */
  scopes?: readonly string[] | undefined
  /** The resource that its metadata name. */
  resource?: string | undefined
  /** `true` for a server that asks for no token. */
  isOpen?: boolean
  /** Called with each request before anything else; `true` if it took the response over. */
  intercept?:
    | ((request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>)
    | undefined
}

/** Starts the server of the SDK itself, behind a check of its Bearer tokens. */
export async function mcpServer(isGood: (token: string) => Promise<boolean>) {
  const seen: SeenRequest[] = []
  const world: McpWorld = {}
  const sessions = new Map<string, StreamableHTTPServerTransport | SSEServerTransport>()
  const server = createServer((request, response) => void handle(request, response))
  const { url: origin, close } = await listenOnLoopback(server)
  onTestFinished(close)
  const url = new URL('/mcp', origin)
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', origin)

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request
    const { authorization = '' } = headers
    const one: SeenRequest = {
      method,
      path,
      authorization,
      session: String(headers['mcp-session-id'] ?? ''),
      lastEventId: String(headers['last-event-id'] ?? ''),
      get status() {
        return response.headersSent ? response.statusCode : 0
      },
    }
    seen.push(one)
    if (await world.intercept?.(request, response)) return
    if (path === metadata.pathname && world.metadata) return world.metadata(response)
    if (path === metadata.pathname && world.issuer !== undefined) {
      const { issuer, resource = url.href, scopes = ['read'] } = world
      const body = { resource, authorization_servers: [issuer], scopes_supported: scopes }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
      return
    }
    if (path.startsWith('/.well-known/')) return void response.writeHead(404).end()
    if (!world.isOpen && !(await isGood(/^Bearer (.+)$/.exec(authorization)?.[1] ?? ''))) {
      const challenge = world.challenge ?? `Bearer resource_metadata="${metadata.href}"`
      return void response.writeHead(401, { 'www-authenticate': challenge }).end()
    }
    await (path.startsWith('/sse') ? handleSse : handleHttp)(request, response)
  }

  const handleHttp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const known = sessions.get(String(request.headers['mcp-session-id'] ?? ''))
    if (known instanceof StreamableHTTPServerTransport)
      return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      eventStore: memoryEvents(),
      retryInterval: 20,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await tools().connect(transport)
    await transport.handleRequest(request, response)
  }

  const handleSse = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = new URL(request.url ?? '', origin).searchParams.get('sessionId') ?? ''
    const known = sessions.get(id)
    if (known instanceof SSEServerTransport) return known.handlePostMessage(request, response)
    const transport = new SSEServerTransport('/sse/messages', response)
    sessions.set(transport.sessionId, transport)
    await tools().connect(transport)
  }

  return { url, sse: new URL('/sse', origin), world, seen, sessions, metadata }
}

/** Returns a server with two tools: one that responds at once, and one whose stream the server closes meanwhile. */
function tools(): McpServer {
  const server = new McpServer({ name: 'tests', version: '1.0.0' })
  server.registerTool('echo', { description: 'Says it again' }, () => ({
    content: [{ type: 'text', text: 'again' }],
  }))
  server.registerTool('break', { description: 'Breaks its stream' }, (extra) => {
    extra.closeSSEStream?.()
    return { content: [{ type: 'text', text: 'after the break' }] }
  })
  return server
}

/** Keeps the events of streams, so that a client that comes back gets what it missed. */
function memoryEvents(): EventStore {
  const events: { readonly id: string; readonly stream: string; readonly message: object }[] = []
  return {
    async storeEvent(stream, message) {
      const id = `${stream}_${events.length}`
      events.push({ id, stream, message })
      return id
    },
    getStreamIdForEventId: async (id) => events.find((event) => event.id === id)?.stream,
    async replayEventsAfter(last, { send }) {
      const index = events.findIndex(({ id }) => id === last)
      const stream = events[index]?.stream ?? ''
      for (const event of events.slice(index + 1)) {
        if (event.stream === stream) await send(event.id, event.message as never)
      }
      return stream
    },
  }
}
