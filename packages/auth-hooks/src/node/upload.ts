import type { ClientRequest } from 'node:http'
import { Readable } from 'node:stream'
import type { OutgoingBody } from '@svc/types'

/**
 * Writes a body into a request as fast as its connection takes it, and ends the request. Not by `pipeline`, which
 * destroys a request whose connection ends, and with it a response that nobody has read yet.
 */
export async function uploadBody(
  request: ClientRequest,
  body: OutgoingBody | undefined,
): Promise<void> {
  if (!body || body.inMemory) {
    request.end(await body?.bytes())
    return
  }
  const source = Readable.from(body.chunks(), { objectMode: false })
  source.on('error', (error) => request.destroy(error))
  request.once('close', () => source.destroy())
  if (request.destroyed) source.destroy()
  else source.pipe(request)
}
