import { ClientRequest, type OutgoingHttpHeader } from 'node:http'
import type { OutgoingBody } from '@svc/types'
import { framingOf, isFramingHeader } from '../kernel/framing.ts'
import { canRedact, redactClientRequest, redactHttp2Request } from './redaction.ts'

/**
 * Takes over a request that a function of Node's or of the caller's has opened: listens to its failure before anything
 * else, sets its headers and its framing, and destroys it if anything of that throws. A request without a listener
 * ends the process, even long after its call was rejected.
 *
 * The headers are no options of the request, which Node keeps on the sockets of a connection.
 *
 * @param body - The one that will be written, which decides how it is framed.
 * @throws TypeError if it is no request.
 */
export function adoptRequest(
  opened: unknown,
  headers: Iterable<readonly [name: string, value: OutgoingHttpHeader | undefined]>,
  body: Pick<OutgoingBody, 'size'> | undefined,
  caller: string,
): ClientRequest {
  if (!isRequest(opened)) {
    throw new TypeError(`${caller}: the function that sends must return a ClientRequest`)
  }
  let isOver = false
  const end = (): void => {
    isOver = true
  }
  opened.on('error', end).on('response', end)
  opened.on('close', () => {
    // Node ends a request without a word where a server switches protocols.
    if (!isOver) opened.emit('error', hangUpError())
  })
  try {
    // Only those of got over HTTP/2 are none of Node's.
    if (!(opened instanceof ClientRequest)) redactHttp2Request(opened)
    else if (canRedact()) redactClientRequest(opened)
    for (const [name, value] of headers) {
      if (value !== undefined && !isFramingHeader(name)) opened.setHeader(name, value)
    }
    frameRequest(opened, body)
    if (opened.getHeader('expect') !== undefined) opened.flushHeaders()
    return opened
  } catch (error) {
    opened.destroy()
    throw error
  }
}

/** Sets the one header that frames the body of a request. HTTP/2 has frames of its own, and rejects a coding. */
function frameRequest(request: ClientRequest, body: Pick<OutgoingBody, 'size'> | undefined): void {
  for (const name of ['content-length', 'transfer-encoding']) {
    // A header that is removed, even if it was not there, keeps Node from adding the length 0 where a method asks for it.
    if (request.getHeader(name) !== undefined) request.removeHeader(name)
  }
  const framing = framingOf(body)
  if (framing && (isHttp1(request) || framing[0] === 'content-length')) {
    request.setHeader(...framing)
  }
}

/** Tells if a request is one of HTTP/1.1: Node's own, or one of follow-redirects around it. */
function isHttp1(request: ClientRequest): boolean {
  return request instanceof ClientRequest || '_currentRequest' in request
}

function isRequest(opened: unknown): opened is ClientRequest {
  return typeof opened === 'object' && opened !== null && 'setHeader' in opened
}

/**
 * Returns what was thrown as an error that every client takes: got reads properties of it, and axios 1.7
 * copies those of its class, which throws for a `DOMException`.
 */
export function plainError(thrown: unknown): Error {
  const isError = thrown instanceof Error
  if (isError && !(thrown instanceof DOMException)) return thrown
  const message = isError ? thrown.message : '[@svc/auth-hooks] what was thrown is no Error'
  const error = new Error(message, { cause: thrown })
  return isError ? Object.assign(error, { name: thrown.name }) : error
}

/** Returns the error for a connection that ended, in the words of Node, since clients retry by them. */
export function hangUpError(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
}
