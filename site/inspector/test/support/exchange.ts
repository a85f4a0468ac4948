import { once } from 'node:events'
import { createServer, connect, type Socket } from 'node:net'
import { createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { defaultApiKeys } from '@svc/emulator'

/** The key that the emulator knows. */
export const [apiKey] = defaultApiKeys

/** Writes a request as our packages sign it, as it goes over the wire. */
export async function signedText(
  origin: string,
  path: string,
  init: RequestInit & { body?: string } = {},
  options: Partial<SigV4AuthOptions> = {},
): Promise<string> {
  const auth = createSigV4Auth({
    baseUrl: origin,
    region: 'us-east-1',
    credentials: apiKey,
    ...options,
  })
  const { url, headers } = await explain(auth, new URL(path, origin), init)
  const { body = '', method = 'GET' } = init
  return rawText(method, url.pathname + url.search, [['host', url.host], ...headers], body)
}

/** Writes a request as it goes over the wire. */
export function rawText(
  method: string,
  target: string,
  headers: Iterable<readonly [name: string, value: string]>,
  body: string,
): string {
  const length = Buffer.byteLength(body)
  const lines = [...headers, ['content-length', String(length)], ['connection', 'close']]
  return `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

/** Sends a request as it stands in a text, and returns the whole response as a text. */
export async function exchange(origin: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.end(text)
  return readAll(socket)
}

async function readAll(socket: Socket): Promise<string> {
  socket.setEncoding('utf8')
  let text = ''
  socket.on('data', (piece: string) => (text += piece))
  await once(socket, 'close')
  return text
}

/** A server that keeps each request as it came over the wire, and accepts it. */
export async function recordingServer(): Promise<{
  readonly origin: string
  readonly texts: string[]
  readonly close: () => void
}> {
  const texts: string[] = []
  const server = createServer((socket) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (piece: string) => {
      text += piece
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0)
      if (/\r\nexpect: *100/i.test(text)) socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      if (Buffer.byteLength(text.slice(end + 4)) < length) return
      texts.push(text)
      text = ''
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\netag: "a"\r\nconnection: close\r\n\r\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no address')
  return { origin: `http://127.0.0.1:${address.port}`, texts, close: () => server.close() }
}
