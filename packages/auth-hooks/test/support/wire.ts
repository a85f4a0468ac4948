import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** A server that reads requests by their `content-length`, as one connection brings them. */
export interface WireServer {
  readonly origin: string
  /** The first line of whatever follows a request on its connection, as of a request. */
  readonly lines: string[]
  /** The whole head of each request. */
  readonly heads: string[]
}

/** Starts a server that takes the bytes after a body for the next request, as every server does. */
export async function serveWire(): Promise<WireServer> {
  const lines: string[] = []
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      for (;;) {
        const end = text.indexOf('\r\n\r\n')
        // What is no request has no such end.
        if (end < 0) {
          if (text && !/^[A-Z]+ \//.test(text)) lines.push(text)
          return
        }
        const head = text.slice(0, end)
        const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
        const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head)
        const last = isChunked ? text.indexOf('0\r\n\r\n', end) : end + 4 + length - 5
        if (last < 0 || text.length < last + 5) return
        heads.push(head)
        lines.push(head.slice(0, head.indexOf('\r\n')))
        text = text.slice(last + 5)
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
      }
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  // A TCP server that listens has an address object.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lines, heads }
}

/** Bytes that a server would take for a request of its own. */
export const smuggled = 'DELETE /smuggled HTTP/1.1\r\nhost: h\r\n\r\n'

/** Returns chunks that come a moment after each other, as a surplus may after the length announced. */
export function late(...texts: string[]): AsyncIterable<Buffer> {
  return (async function* () {
    for (const text of texts) {
      yield Buffer.from(text)
      await sleep(5)
    }
  })()
}
