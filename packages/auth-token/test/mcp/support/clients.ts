import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Client as Client2,
  SSEClientTransport as Sse2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Fetch } from '@svc/auth-hooks'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { authMcp, type McpAuth, type McpAuthOptions } from '@svc/auth-token/mcp'
import { refreshToken } from '@svc/auth-token/oauth2'
import { onTestFinished } from 'vitest'
import { rm } from 'node:fs/promises'
import { turnedTime } from '../../support/time.ts'
import { mcpWorld } from './measure.ts'

/** What a test needs of a client, whichever SDK it is of. */
export interface AnyClient {
  connect(): Promise<void>
  call(name: string, signal?: AbortSignal): Promise<unknown>
  /** Ends the session at the server. */
  terminate(): Promise<void>
  close(): Promise<void>
  readonly errors: Error[]
}

interface AnyOptions {
  readonly fetch?: Fetch
  readonly authProvider?: McpAuth['authProvider']
}

export const sdks = ['client 2', 'sdk 1'] as const
export type Sdk = (typeof sdks)[number]

/** Returns a client of one of the SDKs, for streamable HTTP or, at a path that says so, for SSE. */
export function mcpClient(sdk: Sdk, url: URL, options: AnyOptions): AnyClient {
  const isSse = url.pathname.startsWith('/sse')
  const [Client, Transport] =
    sdk === 'sdk 1' ? [Client1, isSse ? Sse1 : Http1] : [Client2, isSse ? Sse2 : Http2]
  const client = new Client({ name: 'tests', version: '1.0.0' })
  const transport = new Transport(url, options)
  const errors: Error[] = []
  // An event of the SDK, which has no other way to listen.
  Object.assign(client, { onerror: (error: Error) => errors.push(error) })
  onTestFinished(() => client.close())
  return {
    connect: () => client.connect(transport),
    async call(name, signal) {
      const asked = { name, arguments: {} }
      const { content } = await (client instanceof Client1
        ? client.callTool(asked, undefined, { ...(signal && { signal }) })
        : client.callTool(asked, { ...(signal && { signal }) }))
      return content
    },
    terminate: () =>
      'terminateSession' in transport ? transport.terminateSession() : client.close(),
    close: () => client.close(),
    errors,
  }
}

/** A user who has signed in for an MCP server, and what any number of programs would make. */
export async function signedInForMcp(time = turnedTime()) {
  const { mcp, ...server } = await mcpWorld()
  const first = await server.signIn(mcp.url.href)
  const place = join(tmpdir(), `svc-auth-${randomUUID()}`)
  onTestFinished(() => rm(place, { recursive: true, force: true }))
  const auth = (own: Partial<McpAuthOptions> = {}): McpAuth =>
    authMcp({
      url: mcp.url,
      session: 'own',
      store: fileTokenStore({ path: place }),
      clock: time.clock,
      signIn: (found) => refreshToken({ ...found, clientId: 'app', refreshToken: first }),
      ...own,
    })
  return { ...server, mcp, first, time, auth }
}
