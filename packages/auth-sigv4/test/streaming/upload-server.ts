import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RawRequest } from '@svc/emulator'
import { onTestFinished } from 'vitest'

/** An upload as it came over the wire. */
export interface Upload extends RawRequest {
  readonly headers: IncomingHttpHeaders
}

/** A server on loopback that keeps what is uploaded; closed when the test ends. */
export interface UploadServer {
  readonly origin: string
  /** The uploads that arrived whole. */
  readonly uploads: readonly Upload[]
  /** Gives the part that arrived of an upload that broke off. */
  readonly brokenUpload: () => Promise<Buffer>
  /** The number of bytes of bodies that have arrived. */
  readonly received: () => number
}

/** The ways of a server in place of reading everything and an empty 200. */
export interface UploadServerOptions {
  /** Responds to the upload of this number: 1, 2 … */
  readonly respond?: (response: ServerResponse, count: number) => void
  /** Is given a request before its body is read; `false` leaves it unread. */
  readonly begin?: (message: IncomingMessage, response: ServerResponse) => boolean
}

/** Starts a server that knows nothing of signatures and keeps the bytes as they came. */
export async function serveUploads({
  respond = (response) => response.end(),
  begin = () => true,
}: UploadServerOptions = {}): Promise<UploadServer> {
  const uploads: Upload[] = []
  let received = 0
  let breakOff = (_body: Buffer): void => {}
  const broken = new Promise<Buffer>((resolve) => {
    breakOff = resolve
  })
  const server = createServer((message, response) => {
    if (!begin(message, response)) return
    const pieces: Buffer[] = []
    message.on('data', (piece: Buffer) => {
      received += piece.byteLength
      pieces.push(piece)
    })
    // A request that breaks off says so here; `close` tells the rest.
    message.on('error', () => {})
    message.on('close', () => {
      const body = Buffer.concat(pieces)
      if (!message.complete) {
        breakOff(body)
        return
      }
      const { method = '', url = '', headers } = message
      const rawHeaders = pairs(message.rawHeaders)
      uploads.push({ method, target: url, headers, rawHeaders, body })
      respond(response, uploads.length)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  })
  // A TCP server that listens has an address object.
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  return { origin, uploads, brokenUpload: () => broken, received: () => received }
}

function pairs(flat: readonly string[]): (readonly [name: string, value: string])[] {
  return flat.flatMap((name, index) =>
    index % 2 === 0 ? [[name, flat[index + 1] ?? ''] as const] : [],
  )
}
