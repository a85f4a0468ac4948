import { once } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import { isIP } from 'node:net'

/** The time for a connection to be made. */
const connectMs = 10_000
/** The time after which a connection that nobody uses is closed. */
const idleMs = 60_000
/** The time in which the other side answers a ping; without an answer, the connection is over. */
const pingMs = 10_000
/** What a stream may have on its way while its reader is slow. */
const streamWindowBytes = 256 * 1024
/** What all streams may have on their way: with Node's 64 KiB, one slow reader would hold up all others. */
const sessionWindowBytes = 32 * 1024 * 1024

/** The connections to one origin. */
export interface Http2Sessions {
  /** Resolves to a session; to `undefined` if the service speaks HTTP/1.1 alone. */
  open(): Promise<ClientHttp2Session | undefined>
  /** Takes no more requests, and lets those under way finish. */
  close(): void
  destroy(): void
}

/** Keeps one session to an origin, and makes another once that is over. */
export function createHttp2Sessions(origin: string): Http2Sessions {
  let current: Promise<ClientHttp2Session | undefined> | undefined
  let session: ClientHttp2Session | undefined
  return {
    open() {
      // One that is closing takes no more requests.
      const isOver = session !== undefined && (session.closed || session.destroyed)
      if (current && !isOver) return current
      session = undefined
      const opening = connect(origin)
      current = opening
      opening.then(
        (made) => (session = made),
        () => {
          if (current === opening) current = undefined
        },
      )
      return opening
    },
    close: () => session?.close(),
    destroy: () => session?.destroy(),
  }
}

async function connect(origin: string): Promise<ClientHttp2Session | undefined> {
  const [http2, tls] = await Promise.all([import('node:http2'), import('node:tls')])
  const { hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = tls.connect({
    host,
    port: port === '' ? 443 : Number(port),
    ALPNProtocols: ['h2', 'http/1.1'],
    // An address is no name that a certificate is chosen by.
    ...(isIP(host) === 0 && { servername: host }),
  })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(connectMs) })
  } catch (error) {
    socket.destroy()
    throw error
  }
  if (socket.alpnProtocol !== 'h2') {
    socket.destroy()
    return undefined
  }
  const session = http2.connect(origin, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: streamWindowBytes },
  })
  // Every stream hears of it by itself.
  session.on('error', () => {})
  session.on('goaway', () => session.close())
  session.setTimeout(idleMs, () => session.close())
  session.once('connect', () => {
    if (!session.destroyed) session.setLocalWindowSize(sessionWindowBytes)
  })
  endIfDead(session)
  return session
}

/** Ends a session whose other side is gone without a word: its requests would wait for ever, and hold up new ones. */
function endIfDead(session: ClientHttp2Session): void {
  let isUnanswered = false
  const timer = setInterval(() => {
    if (isUnanswered) session.destroy(new Error('the service does not answer any more'))
    else if (!session.connecting) isUnanswered = session.ping(() => (isUnanswered = false))
  }, pingMs)
  timer.unref()
  session.once('close', () => clearInterval(timer))
}
