import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'

/** A proxy that opens tunnels, as a company's would. */
export interface Proxy {
  readonly url: string
  /** The targets of the tunnels it opened, in order: `host:port`. */
  readonly tunnels: readonly string[]
  close(): void
}

/** Starts a proxy on loopback. It supports only `CONNECT`: any other request gets a 501. */
export async function startProxy(): Promise<Proxy> {
  const tunnels: string[] = []
  const server = createServer((_request, response) => response.writeHead(501).end())
  server.on('connect', ({ url: target = '' }, client, head) => {
    tunnels.push(target)
    const { hostname, port } = new URL(`http://${target}`)
    const upstream = connect(Number(port || 80), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.write(head)
      client.pipe(upstream).pipe(client)
    })
    upstream.once('error', () => client.destroy())
    client.once('error', () => upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, tunnels, close: () => void server.close() }
}
