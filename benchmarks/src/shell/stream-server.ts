import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that sends as many bytes as the last part of a path says, and reads whatever it is sent. */
export async function startStreamServer(): Promise<{ url: string; close: () => void }> {
  const piece = Buffer.alloc(64 * 1024)
  const server = createServer((request, response) => {
    const size = request.method === 'GET' ? Number(request.url?.split('/').at(-1)) : 0
    if (!size) {
      request.resume().once('end', () => response.end())
      return
    }
    response.setHeader('content-length', size)
    let left = size
    const send = (): void => {
      while (left > 0) {
        const part = piece.subarray(0, Math.min(left, piece.byteLength))
        left -= part.byteLength
        if (!response.write(part)) {
          response.once('drain', send)
          return
        }
      }
      response.end()
    }
    send()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
