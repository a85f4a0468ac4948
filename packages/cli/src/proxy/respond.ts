import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RawRequestHead } from '@svc/emulator/verify'
import { isSigned } from './admission.ts'
import { type ProxyRefusal, refusalBody } from './refusal.ts'

/** Sends a refusal, or breaks off a response that has begun: it must not look like a whole one. */
export async function respondRefused(
  request: IncomingMessage,
  response: ServerResponse,
  head: RawRequestHead,
  refusal: ProxyRefusal,
): Promise<void> {
  // Its parser has refused the rest of the request already.
  if (!request.socket.writable) return
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const { contentType, body } = refusalBody(refusal, isSigned(head) ? 'xml' : 'json')
  const isUnread = hasBody(request) && !request.complete
  response.statusCode = refusal.status
  response.setHeader('x-svc-proxy', 'refused')
  response.setHeader('content-type', contentType)
  response.setHeader('content-length', body.byteLength)
  if (isUnread || refusal.status === 400) response.setHeader('connection', 'close')
  if (head.method !== 'HEAD') response.write(body)
  // Who waits to be told to go on sends nothing more.
  if (isUnread && request.headers.expect === undefined) await discardRest(request)
  response.end()
}

/** Tells if a response is a refusal, all of which is written at once. */
export function isRefused(response: ServerResponse): boolean {
  return response.getHeader('x-svc-proxy') === 'refused'
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

const maxDiscardedBytes = 256 * 1024
const maxDiscardMs = 1000

/**
 * Reads a little more of a body that nobody wants. A connection that is closed with bytes unread is reset, and a
 * client that is still sending would never see the response.
 */
export async function discardRest(request: IncomingMessage): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, maxDiscardMs)
  })
  await Promise.race([discard(request), timeout])
  clearTimeout(timer)
}

async function discard(request: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const { byteLength }: Uint8Array = chunk
      bytes += byteLength
      if (bytes > maxDiscardedBytes) return
    }
  } catch {
    // The client has left.
  }
}
