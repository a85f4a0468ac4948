// Ten parallel calls of an MCP client whose token has ended: by the SDK's own OAuth, and by authMcp.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { authMcp } from '@svc/auth-token/mcp'
import { refreshToken } from '@svc/auth-token/oauth2'
import { startMcpService } from './stand-ins/mcp-service.ts'
import { ownOAuth } from './stand-ins/own-oauth.ts'

// The stand-in warns that it is none for users, and the SDK about its own OAuth.
console.info = console.warn = () => {}
// Stands in for an MCP server and its authorization server, where a user has signed in.
const service = await startMcpService()
let prompts = 0

/** Connects, lets the token end, and makes ten calls at once. */
async function measure(
  name: string,
  options: ConstructorParameters<typeof StreamableHTTPClientTransport>[1],
): Promise<void> {
  const revoked = service.revoked()
  const client = new Client({ name: 'example', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(service.url, options))
  prompts = 0
  await service.endTokens()
  const calls = Array.from({ length: 10 }, () => client.callTool({ name: 'latest' }))
  const results = await Promise.allSettled(calls)
  const succeeded = results.filter(({ status }) => status === 'fulfilled').length
  const end = service.revoked() > revoked ? 'was ended' : 'goes on'
  console.log(`${name}: ${succeeded} of 10 succeed, ${prompts} ask to sign in, the sign-in ${end}`)
  await client.close()
}

const authProvider = ownOAuth(await service.signIn(), () => (prompts += 1))
await measure('its own OAuth', { authProvider })

const path = await mkdtemp(join(tmpdir(), 'sign-in-'))
const first = await service.signIn()
const { fetch } = authMcp({
  url: service.url,
  store: fileTokenStore({ path }),
  signIn: (server) => refreshToken({ ...server, clientId: 'app', refreshToken: first }),
})
await measure('authMcp', { fetch })

await rm(path, { recursive: true })
service.close()
