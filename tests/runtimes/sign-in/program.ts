// Signs in by a code and in the browser, and calls an MCP server: whoever starts it does what a user would.
import process from 'node:process'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createSessionAuth } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { authMcp } from '@svc/auth-token/mcp'
import { refreshToken } from '@svc/auth-token/oauth2'
import { deviceCode, loopback } from '@svc/auth-token/sign-in'

const [issuer = '', address = '', path = ''] = process.argv.slice(2)
const url = new URL(address)
const tell = (report: object): void => console.log(JSON.stringify(report))

let ahead = 0
const auth = createSessionAuth({
  baseUrl: url.origin,
  ...refreshToken(
    deviceCode({
      issuer,
      clientId: 'app',
      scope: 'openid offline_access',
      show: ({ verificationUri, userCode }) => tell({ verificationUri, userCode }),
    }),
  ),
  store: fileTokenStore({ path: `${path}/device` }),
  clock: () => Date.now() + ahead,
})
const first = await auth.getToken()
// As if it had run out.
ahead = 600_000
tell({ renewed: (await auth.getToken()) !== first })

const signIn = loopback({ open: (opened) => tell({ opened }) })
const { fetch, getToken } = authMcp({ url, store: fileTokenStore({ path: `${path}/mcp` }), signIn })
await getToken()
const client = new Client({ name: 'tests', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(url, { fetch }))
const calls = Array.from({ length: 10 }, () => client.callTool({ name: 'echo', arguments: {} }))
tell({ succeeded: (await Promise.all(calls)).length })
await client.close()
// The stream of the client goes on in Deno, whose own fetch forgets the signal of a request at the next garbage collection.
process.exit()
