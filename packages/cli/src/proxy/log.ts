import type { CommandContext } from '../context.ts'

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
  const write = format === 'json' ? jsonLine : textLine
  return (request) => {
    const waiting = 'writableLength' in stdout ? Number(stdout.writableLength) : 0
    if (isOpen && waiting < maxWaitingBytes) stdout.write(`${write(request)}\n`)
  }
}

function jsonLine(request: LoggedRequest): string {
  return JSON.stringify({ ...request, path: oneWord(request.path) })
}

function textLine(request: LoggedRequest): string {
  const { method, path, scheme, status, ms, bytesUp, bytesDown, code } = request
  const line = `${method} ${oneWord(path)} ${scheme} ${status} ${ms}ms ${bytesUp}B up ${bytesDown}B down`
  return code === undefined ? line : `${line} ${code}`
}

// A path that was refused may hold anything, such as what a terminal would carry out.
function oneWord(path: string): string {
  return path
    .slice(0, 2048)
    .replace(
      /[^!-~]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    )
}
