import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import type { RawRequestHead } from '@svc/emulator/verify'
import { isSigned } from './admission.ts'
import { type ProxyRefusal, refusalBody } from './refusal.ts'

/** Writes a refusal, or breaks off a response that has begun: it must not look like a whole one. */
export function writeRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  head: RawRequestHead,
  refusal: ProxyRefusal,
): void {
  // Its parser has refused the rest of the request already.
  if (!request.socket.writable) return
  if (response.headersSent || response.destroyed) {
    breakOff(request)
    return
  }
  const { contentType, body } = refusalBody(refusal, isSigned(head) ? 'xml' : 'json')
  response.statusCode = refusal.status
  response.setHeader('x-svc-proxy', 'refused')
  response.setHeader('content-type', contentType)
  response.setHeader('content-length', body.byteLength)
  if (isUnread(request) || refusal.status === 400) response.setHeader('connection', 'close')
  if (head.method !== 'HEAD') response.write(body)
}

// To a client of HTTP/1.0, the end of the connection is that of a whole response, unless it is reset.
function breakOff({ socket }: IncomingMessage): void {
  const isUnixSocket = socket.remoteAddress === undefined
  if (isUnixSocket) socket.destroy()
  else socket.resetAndDestroy()
}

/** Ends a response of which everything was written, once a client that still sends has had time to see it. */
export async function endResponse(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (isUnread(request)) await discardRest(request)
  if (request.socket.writable) response.end()
}

function isUnread({ complete, headers }: IncomingMessage): boolean {
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return hasBody && !complete
}

const maxDiscardedBytes = 256 * 1024
const maxDiscardMs = 1000

// Reads a little more of a body that nobody wants: a connection that is closed with bytes unread is reset, and
// its client would never see the response.
async function discardRest(request: IncomingMessage): Promise<void> {
  const enough = new AbortController()
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(maxDiscardMs)])
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength
    if (bytes > maxDiscardedBytes) enough.abort()
  })
  // It fails where the client leaves.
  await finished(request, { signal }).catch(() => {})
}
