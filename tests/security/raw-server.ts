import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request as its bytes came, one character each. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly head: string
  readonly body: string
  /** The number of this request: 1, 2 … */
  readonly count: number
}

/** A server on loopback that responds with whatever bytes a test wants. */
export interface RawServer {
  readonly origin: string
  readonly requests: readonly ReceivedRequest[]
  /** The bytes that went out to clients, as far as the sockets took them. */
  readonly writtenBytes: () => number
  /** The connections that are open. */
  readonly open: () => number
}

/** Starts a server that speaks no HTTP of its own; closed when the test ends. */
export async function serveRaw(
  respond: (socket: Socket, request: ReceivedRequest) => void,
): Promise<RawServer> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let closedBytes = 0
  const server = createServer((socket) => {
    let received = ''
    sockets.add(socket)
    socket.setEncoding('latin1')
    // A client that hangs up is what many of these tests are about.
    socket.on('error', () => {})
    socket.once('close', () => {
      sockets.delete(socket)
      closedBytes += socket.bytesWritten
    })
    socket.on('data', (chunk: string) => {
      received += chunk
      for (let end = endOf(received); end > 0; end = endOf(received)) {
        const request = parse(received.slice(0, end), requests.length + 1)
        received = received.slice(end)
        requests.push(request)
        respond(socket, request)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  // A TCP server that listens has an address object.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    open: () => sockets.size,
    writtenBytes: () =>
      [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, closedBytes),
  }
}

/** A well-formed response; its length is that of the body where no header says one. */
export function responseText(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const isFramed = Object.keys(headers).some((name) =>
    /^(?:content-length|transfer-encoding)$/i.test(name),
  )
  const lines = Object.entries({
    ...headers,
    ...(!isFramed && { 'content-length': String(Buffer.byteLength(body, 'latin1')) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n${body}`
}

/** The index at which the first request ends, or 0 where it is not complete. */
function endOf(received: string): number {
  const head = received.indexOf('\r\n\r\n') + 4
  if (head < 4) return 0
  const text = received.slice(0, head)
  if (/^transfer-encoding:.*chunked/im.test(text)) {
    const end = received.indexOf('0\r\n\r\n', head)
    return end < 0 ? 0 : end + 5
  }
  const end = head + Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0)
  return received.length < end ? 0 : end
}

function parse(text: string, count: number): ReceivedRequest {
  const end = text.indexOf('\r\n\r\n') + 2
  const [method = '', path = ''] = text.slice(0, text.indexOf('\r\n')).split(' ')
  return { method, path, head: text.slice(0, end), body: text.slice(end + 2), count }
}
