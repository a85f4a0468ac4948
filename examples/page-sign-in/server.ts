// An authorization server and an API, at which the page of docs/guides/many-tabs.md signs in, until Ctrl-C.
// The arguments are its port and the origin of the page.
import { createServer, type ServerResponse } from 'node:http'
import { createProvider } from '../stand-ins/provider.ts'

const [port = '4000', page = 'http://localhost:5173'] = process.argv.slice(2)
const origin = `http://localhost:${port}`
const provider = createProvider(origin, {
  clients: [
    {
      client_id: 'page',
      redirect_uris: [`${page}/signed-in.html`],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
  ],
  // Its pages take any name and password.
  features: { devInteractions: { enabled: true } },
  // Else no page of another origin may read what it responds.
  clientBasedCORS: (_context: unknown, asking: string) => asking === page,
})
const signIn = provider.callback()

const server = createServer((request, response) => {
  if (request.url !== '/daily') return signIn(request, response)
  response.setHeader('access-control-allow-origin', page)
  response.setHeader('access-control-allow-headers', 'authorization')
  if (request.method === 'OPTIONS') return response.writeHead(204).end()
  return report(response, request.headers.authorization)
})

async function report(response: ServerResponse, authorization = ''): Promise<void> {
  const token = await provider.AccessToken.find(authorization.replace('Bearer ', ''))
  response.writeHead(token ? 200 : 401).end(token && `The report of ${token.accountId}`)
}

server.listen(Number(port), 'localhost', () => {
  console.log(`The issuer and the API are ${origin}, for the page at ${page}`)
})
