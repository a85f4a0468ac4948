import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createProvider, signInAt } from './provider.ts'

/** Starts an MCP server that asks for a token, its authorization server, and has a user sign in there. */
export async function startMcpService() {
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const resource = `${origin}/mcp`
  const metadata = '/.well-known/oauth-protected-resource/mcp'
  const client = {
    client_id: 'app',
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
  }
  const provider = createProvider(origin, { clients: [client] })
  const authorize = provider.callback()
  let revoked = 0
  provider.on('grant.revoked', () => (revoked += 1))
  const tokens = new Set<string>()

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const about = { resource, authorization_servers: [origin] }
    if (request.url === metadata) return void response.end(JSON.stringify(about))
    if (request.url !== '/mcp') return authorize(request, response)
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    if (!(await provider.AccessToken.find(token))) {
      const challenge = `Bearer resource_metadata="${origin}${metadata}"`
      return void response.writeHead(401, { 'www-authenticate': challenge }).end()
    }
    tokens.add(token)
    const mcp = new McpServer({ name: 'reports', version: '1.0.0' })
    mcp.registerTool('latest', {}, () => ({ content: [{ type: 'text', text: 'all is well' }] }))
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    await mcp.connect(transport)
    await transport.handleRequest(request, response)
  }

  return {
    url: new URL(resource),
    /** Returns a refresh token, as a sign-in of the user gives it. */
    signIn: (): Promise<string> => signInAt(provider, resource),
    /** Ends the access tokens that have been used, as time does. */
    async endTokens(): Promise<void> {
      for (const token of tokens) await (await provider.AccessToken.find(token))?.destroy()
    },
    /** The number of sign-ins that were ended, since a refresh token came twice. */
    revoked: (): number => revoked,
    close: (): void => server.close().closeAllConnections(),
  }
}
