import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { ResponseHead } from '@svc/types'
import { drain } from '../kernel/drain.ts'
import { OutgoingHeaders } from '../kernel/headers.ts'

/** The parts of a response of Node's that are its head. */
export type NodeResponseHead = Pick<IncomingMessage, 'statusCode' | 'headers'>

/** Returns the head of a response. Few schemes read any of its headers. */
export function responseHead({ statusCode = 0, headers }: NodeResponseHead): ResponseHead {
  return {
    status: statusCode,
    get headers() {
      return readNodeHeaders(headers)
    },
  }
}

/** Reads headers as Node has them: several values in an array, and those of HTTP/2 with a colon. */
export function readNodeHeaders(headers: RequestOptions['headers']): OutgoingHeaders {
  const pairs: [string, string][] = []
  for (const [name, values] of Object.entries(headers ?? {})) {
    if (values === undefined || name.startsWith(':')) continue
    if (!Array.isArray(values)) pairs.push([name, `${values}`])
    else for (const value of values) pairs.push([name, value])
  }
  return OutgoingHeaders.read(pairs)
}

/** Reads and discards a response, and ends its request: a server that has responded may never read the rest of it. */
export async function discardResponse(
  request: ClientRequest,
  response: IncomingMessage,
): Promise<void> {
  // One that fails when it has been read would end the process.
  await drain({ body: response.on('error', () => {}) })
  if (!request.writableFinished) request.destroy()
}
