import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { listenOnLoopback } from './loopback.ts'

/** An MCP server that asks for a sign-in, together with its authorization server. */
export interface McpService {
  readonly origin: string
  /** The number of sign-ins so far. */
  readonly signIns: () => number
  /** Has it fail from now on, or no more. */
  fail(isFailing: boolean): void
  close(): Promise<void>
}

/** Starts a stand-in for the MCP server of the documents: whoever opens its pages has signed in. */
export async function startMcpService(): Promise<McpService> {
  const tokens = new Set<string>()
  let signIns = 0
  let isFailing = false
  const server = createServer((request, response) => void handle(request, response))
  const { url, close } = await listenOnLoopback(server)
  const { origin } = url
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`

  /** Returns what the authorization server responds to a path, and its status. */
  const authorize = async (
    request: IncomingMessage,
    path: string,
  ): Promise<readonly [status: number, body: object] | undefined> => {
    switch (path) {
      case '/.well-known/oauth-protected-resource/mcp': {
        const scopes = { scopes_supported: ['tools', 'offline_access'] }
        return [200, { resource: `${origin}/mcp`, authorization_servers: [origin], ...scopes }]
      }
      case '/.well-known/openid-configuration':
        return [
          200,
          {
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            device_authorization_endpoint: `${origin}/device`,
            registration_endpoint: `${origin}/clients`,
            token_endpoint: `${origin}/token`,
          },
        ]
      case '/clients':
        return [201, { client_id: crypto.randomUUID(), token_endpoint_auth_method: 'none' }]
      case '/device': {
        const user = { user_code: 'WDJB-MJHT', verification_uri: `${origin}/activate` }
        return [200, { device_code: crypto.randomUUID(), ...user, expires_in: 600, interval: 1 }]
      }
      case '/token': {
        const token = crypto.randomUUID()
        tokens.add(token)
        signIns += Number(!new URLSearchParams(await text(request)).has('refresh_token'))
        const next = { refresh_token: crypto.randomUUID() }
        return [200, { access_token: token, token_type: 'Bearer', expires_in: 600, ...next }]
      }
      default:
        return undefined
    }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', origin)
    if (pathname === '/authorize') {
      // As if the user had signed in at once.
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('code', crypto.randomUUID())
      back.searchParams.set('state', searchParams.get('state') ?? '')
      return void response.writeHead(302, { location: back.href }).end()
    }
    const own = await authorize(request, pathname)
    if (own) {
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
      return void response.writeHead(own[0], headers).end(JSON.stringify(own[1]))
    }
    if (pathname !== '/mcp') return void response.writeHead(404).end()
    if (!tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? '')) {
      const challenge = `Bearer resource_metadata="${metadata}"`
      return void response.writeHead(401, { 'www-authenticate': challenge }).end()
    }
    if (isFailing) return void response.writeHead(500).end()
    // Without sessions: each request has a server of its own.
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    await tools().connect(transport)
    await transport.handleRequest(request, response)
  }

  const fail = (given: boolean): void => void (isFailing = given)
  return { origin, signIns: () => signIns, fail, close }
}

function tools(): McpServer {
  const server = new McpServer({ name: 'reports', version: '1.0.0' })
  server.registerTool('latest_report', { description: 'The latest report' }, () => ({
    content: [{ type: 'text', text: 'all is well' }],
  }))
  return server
}
