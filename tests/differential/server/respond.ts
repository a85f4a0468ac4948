import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { OriginName, Plan } from './plan.ts'
import type { RequestHead } from './read-request.ts'

/** The origins of the servers. */
export type Origins = Readonly<Record<OriginName, string>>

/** The paths of a call, below its number. */
export const paths = { start: '/start', landed: '/landed', probe: '/probe', smuggled: '/smuggled' }

/** Sends the response to one request, at the pace of its plan: `false` if the connection is over with it. */
export async function respond(
  socket: Socket,
  plan: Plan,
  path: string,
  { method }: RequestHead,
  origins: Origins,
  wholeBody: Promise<unknown>,
): Promise<boolean> {
  const send = (head: string, body: Buffer): void => {
    socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), method === 'HEAD' ? none : body]))
  }
  const { redirect, pace } = plan.one
  const isFinal = path === paths.landed || (path === paths.start && redirect === 0)
  const isSplit = pace === 'around the body' && isFinal && hasBody(plan, method)
  if (pace !== 'before the body' && !isSplit) await wholeBody
  if (path !== paths.start && path !== paths.landed) {
    const body = Buffer.from(`answer of ${path}`)
    send(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}`, body)
    return true
  }
  if (!isFinal) {
    const location = locationOf(plan, origins)
    send(`HTTP/1.1 ${redirect} Moved\r\nlocation: ${location}\r\ncontent-length: 5`, moved)
    return true
  }
  return respondFinally(socket, plan, method, send, wholeBody)
}

const none = Buffer.alloc(0)
const moved = Buffer.from('moved')

function locationOf({ id, one: { target } }: Plan, origins: Origins): string {
  const path = `/${id}${paths.landed}?of=redirect`
  if (target === 'same') return path
  return `${origins[target === 'covered' ? 'covered' : 'uncovered']}${path}`
}

async function respondFinally(
  socket: Socket,
  plan: Plan,
  method: string,
  send: (head: string, body: Buffer) => void,
  wholeBody: Promise<unknown>,
): Promise<boolean> {
  const { pace, status, encoding } = plan.one
  if (pace === 'cut before the head') return false
  if (pace === 'slow head') await pause(15)
  const text = Buffer.from(`final answer to ${method}. `.repeat(20))
  const isEmpty = status === 204
  const body = isEmpty ? none : encoding === 'gzip' ? gzipSync(text) : text
  const head = [
    `HTTP/1.1 ${status} Reason of ${status}`,
    'content-type: text/plain; charset=utf-8',
    'set-cookie: one=1',
    'x-answer: of the server',
    'set-cookie: two=2',
    ...(encoding === 'gzip' && !isEmpty ? ['content-encoding: gzip'] : []),
  ].join('\r\n')
  const isInPieces = pace === 'in pieces' || pace === 'around the body'
  if (isEmpty || !isInPieces) {
    const length = isEmpty ? '' : `\r\ncontent-length: ${body.length}`
    const isCut = pace === 'cut in the body' && hasBody(plan, method)
    send(`${head}${length}`, isCut ? body.subarray(0, 20) : body)
    // A client that saw the end first would have no head yet.
    if (isCut) await pause(10)
    return !isCut
  }
  send(`${head}\r\ntransfer-encoding: chunked`, none)
  if (method === 'HEAD') return true
  // Around the body, nothing waits but for the body.
  const [pauseMs, middle] = pace === 'in pieces' ? [3, undefined] : [0, wholeBody]
  await sendPieces(socket, body, pauseMs, middle)
  return true
}

function hasBody({ one: { status } }: Plan, method: string): boolean {
  return status !== 204 && method !== 'HEAD'
}

/** Sends a body in four pieces, and waits for something in the middle. */
async function sendPieces(
  socket: Socket,
  body: Buffer,
  pauseMs: number,
  middle: Promise<unknown> | undefined,
): Promise<void> {
  const size = Math.ceil(body.length / 4)
  for (let from = 0; from < body.length; from += size) {
    if (from === 2 * size) await middle
    if (pauseMs > 0) await pause(pauseMs)
    const piece = body.subarray(from, from + size)
    socket.write(`${piece.length.toString(16)}\r\n`)
    socket.write(Buffer.concat([piece, Buffer.from('\r\n')]))
  }
  socket.write('0\r\n\r\n')
}
