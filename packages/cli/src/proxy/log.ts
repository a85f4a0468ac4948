import type { CommandContext } from '../context.ts'
import { printable } from '../output/text.ts'

/** A request whose response is over. */
export interface LoggedRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The credential that was added. */
  readonly scheme: 'token' | 'signature' | 'none'
  /** 0 if the client left before there was any. */
  readonly status: number
  readonly ms: number
  /** Bytes of the bodies: of the request as it was passed on, and of the response. */
  readonly bytesUp: number
  readonly bytesDown: number
  /** The code of a refusal or a failure. */
  readonly code?: string
}

/** Writes a line for each request. */
export type RequestLog = (request: LoggedRequest) => void

/** The most that may wait for a reader who has stopped reading. */
const maxWaitingBytes = 1024 * 1024

/** Creates a log on standard output that never waits for its reader, and leaves lines out instead. */
export function createRequestLog(
  stdout: CommandContext['stdout'],
  format: 'text' | 'json' | 'none',
): RequestLog {
  let isOpen = format !== 'none'
  // Nobody reads it any more, as with `| head`; the proxy goes on.
  stdout.on('error', () => (isOpen = false))
  const write = format === 'json' ? JSON.stringify : textLine
  return (request) => {
    const waiting = 'writableLength' in stdout ? Number(stdout.writableLength) : 0
    if (!isOpen || waiting >= maxWaitingBytes) return
    // A path that was refused may hold anything, such as what a terminal would carry out.
    stdout.write(`${write({ ...request, path: printable(request.path) })}\n`)
  }
}

function textLine(request: LoggedRequest): string {
  const { method, path, scheme, status, ms, bytesUp, bytesDown, code } = request
  const line = `${method} ${path} ${scheme} ${status} ${ms}ms ${bytesUp}B up ${bytesDown}B down`
  return code === undefined ? line : `${line} ${code}`
}
