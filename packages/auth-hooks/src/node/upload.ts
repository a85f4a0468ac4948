import { ClientRequest } from 'node:http'
import { Readable } from 'node:stream'
import type { OutgoingBody } from '@svc/types'
import { plainError } from './client-request.ts'

/** The size of the pieces in which got writes bytes as well. */
const pieceBytes = 65_536

/**
 * Writes a body into a request as fast as its connection takes it, and ends the request. Not by `pipeline`, which
 * destroys a request whose connection ends, and with it a response that nobody has read yet.
 *
 * @param onPiece - Called with the size of each piece.
 */
export async function uploadBody(
  request: ClientRequest,
  body: OutgoingBody | undefined,
  onPiece: (bytes: number) => void,
): Promise<void> {
  if (!body) {
    request.end()
    return
  }
  const bytes = body.inMemory ? await body.bytes() : undefined
  if (bytes && bytes.byteLength <= pieceBytes) {
    request.end(bytes)
    return
  }
  const source = Readable.from(bytes ? piecesOf(bytes) : body.chunks(), { objectMode: false })
  source.on('error', (error) => endUpload(request, plainError(error)))
  request.once('close', () => source.destroy())
  if (request.destroyed) source.destroy()
  else source.on('data', ({ length }: Buffer) => onPiece(length)).pipe(request)
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += pieceBytes) {
    yield bytes.subarray(start, start + pieceBytes)
  }
}

/** Ends a request whose body has failed: what was sent of it must not look whole. */
function endUpload(request: ClientRequest & { res?: unknown }, error: Error): void {
  // To destroy the request would empty a response that came before.
  if (request instanceof ClientRequest && request.res) request.socket?.destroy(error)
  else request.destroy(error)
}
