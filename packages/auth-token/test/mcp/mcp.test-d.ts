import type {
  OAuthClientProvider as Provider2,
  SSEClientTransportOptions as Sse2,
  StreamableHTTPClientTransportOptions as Http2,
} from '@modelcontextprotocol/client'
import type { OAuthClientProvider as Provider1 } from '@modelcontextprotocol/sdk/client/auth.js'
import type { SSEClientTransportOptions as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js'
import type { StreamableHTTPClientTransportOptions as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { McpAuth } from '@svc/auth-token/mcp'

declare const auth: McpAuth

// What it returns is what the transports of both SDKs take.
export const { fetch } = auth
export const options: [Http1, Sse1, Http2, Sse2] = [{ fetch }, { fetch }, { fetch }, { fetch }]
export const first: Provider1 = auth.authProvider
export const second: Provider2 = auth.authProvider
