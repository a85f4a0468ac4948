import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Upload } from '../../../../tests/support/aws-chunked.ts'

/** A server on loopback that keeps what is uploaded; closed when the test ends. */
export interface UploadServer {
  readonly origin: string
  /** What arrived whole. */
  readonly uploads: readonly Upload[]
  /** Gives what arrived of an upload that broke off. */
  readonly brokenUpload: () => Promise<Buffer>
  /** How many bytes of bodies have arrived. */
  readonly received: () => number
}

/** How a server answers, or reads, in place of reading everything and an empty 200. */
export interface UploadServerOptions {
  /** Answers the upload of this number: 1, 2 … */
  readonly answer?: (response: ServerResponse, count: number) => void
  /** Is given a request before its body is read; `false` leaves it unread. */
  readonly begin?: (message: IncomingMessage, response: ServerResponse) => boolean
}

/** Starts a server that knows nothing of signatures and keeps the bytes as they came. */
export async function serveUploads({
  answer = (response) => response.end(),
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
      uploads.push({ method, target: url, headers, body })
      answer(response, uploads.length)
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
