import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import sirv from 'sirv'

/** Serves a folder on loopback, as any host of static files does. */
export async function serve(
  folder: string,
  port: number,
): Promise<{ url: string; server: Server }> {
  const files = sirv(folder, { dev: true })
  const server = createServer((request, response) => {
    files(request, response, () => {
      response.writeHead(404, { 'content-type': 'text/html; charset=utf-8' })
      createReadStream(join(folder, '404.html'))
        .on('error', () => response.end('There is no such page.\n'))
        .pipe(response)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return { server, url: `http://127.0.0.1:${address.port}` }
}
