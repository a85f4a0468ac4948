import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { ListeningEmulator } from '@svc/emulator'
import type { OddCase } from './plan.ts'
import { readRequests, type RequestReader } from './read-requests.ts'

/** A request as it arrived, complete or not. */
export interface Arrival {
  readonly method: string
  readonly target: string
  readonly head: string
  /** The values of a header, in order. */
  readonly values: (name: string) => string[]
  readonly isLogin: boolean
  /** The first bytes of the body. */
  readonly bodyStart: string
  readonly bodyBytes: number
  readonly isWhole: boolean
  /** The code of the emulator's refusal, if it refused. */
  readonly refusal?: string
}

/** A service on loopback that serves one case, with another origin beside it. */
export interface OddService {
  readonly origin: string
  readonly strayOrigin: string
  readonly arrivals: readonly Arrival[]
  /** The requests that reached the other origin. */
  readonly strays: readonly Arrival[]
  /** Bytes that are no request. */
  readonly garbage: readonly string[]
  /** The tokens that logins were given. */
  readonly tokens: ReadonlySet<string>
  /** The connections on which a request is under way. */
  readonly busy: () => number
  /** Closes every connection, and listens no more. */
  close(): Promise<void>
}

/** Starts the service of a case. Logins, and what the case does not make odd, are the emulator's. */
export async function openService(
  plan: OddCase,
  listening: ListeningEmulator,
): Promise<OddService> {
  const arrivals: Exchange[] = []
  const strays: Exchange[] = []
  const garbage: string[] = []
  const tokens = new Set<string>()
  const sockets = new Map<Socket, Exchange | undefined>()

  const serve = (list: Exchange[], respond: (exchange: Exchange) => void): Server =>
    createServer((socket) => {
      sockets.set(socket, undefined)
      // Clients that hang up are what many of these cases are about.
      socket.on('error', () => {})
      socket.once('close', () => sockets.delete(socket))
      if (plan.service === 'accept-close' && list === arrivals) {
        socket.destroy()
        return
      }
      const reader: RequestReader = readRequests({
        onHead(head) {
          const exchange = new Exchange(socket, head)
          sockets.set(socket, exchange)
          list.push(exchange)
          respond(exchange)
        },
        onBody: (bytes, raw) => sockets.get(socket)?.receive(bytes, raw),
        onEnd: () => sockets.get(socket)?.receiveEnd(),
        onGarbage: (bytes) => {
          garbage.push(bytes)
          socket.destroy()
        },
      })
      socket.on('data', (chunk: Buffer) => reader.read(chunk))
    })

  const service = serve(arrivals, (exchange) => {
    if (exchange.isLogin) void login(plan, exchange, listening, tokens)
    else
      responders[plan.service](exchange, { plan, count: arrivals.length, listening, strayOrigin })
  })
  const stray = serve(strays, (exchange) => {
    void exchange.received.then(() => exchange.respond(200, {}, 'stray'))
  })
  const [origin, strayOrigin] = await Promise.all([listenOn(service), listenOn(stray)])
  return {
    origin,
    strayOrigin,
    arrivals,
    strays,
    garbage,
    tokens,
    busy: () => [...sockets].filter(([, exchange]) => exchange && !exchange.isDone).length,
    async close() {
      for (const socket of sockets.keys()) socket.destroy()
      await Promise.all([service, stray].map((server) => new Promise((end) => server.close(end))))
    },
  }
}

async function listenOn(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** One request, and the response to it. */
class Exchange implements Arrival {
  readonly method: string
  readonly target: string
  readonly head: string
  readonly socket: Socket
  readonly isLogin: boolean
  bodyStart = ''
  bodyBytes = 0
  isWhole = false
  hasResponded = false
  refusal?: string
  readonly received: Promise<void>
  #onReceived: () => void = () => {}
  #forward: ((raw: Buffer) => void) | undefined
  #held: Buffer[] = []

  constructor(socket: Socket, head: string) {
    const [method = '', target = ''] = head.slice(0, head.indexOf('\r\n')).split(' ')
    this.socket = socket
    this.head = head
    this.method = method
    this.target = target
    this.isLogin = method === 'POST' && target === '/user/login'
    this.received = new Promise((resolve) => (this.#onReceived = resolve))
  }

  get isDone(): boolean {
    return this.isWhole && this.hasResponded
  }

  readonly values = (name: string): string[] => {
    const lines = this.head.split('\r\n').slice(1)
    return lines.flatMap((line) => {
      const colon = line.indexOf(':')
      return line.slice(0, colon).toLowerCase() === name ? [line.slice(colon + 1).trim()] : []
    })
  }

  receive(bytes: Buffer, raw: Buffer): void {
    this.bodyBytes += bytes.byteLength
    if (this.bodyStart.length < 2000) this.bodyStart += bytes.toString('latin1')
    if (this.#forward) this.#forward(raw)
    else if (this.#held.length < 1000) this.#held.push(raw)
  }

  receiveEnd(): void {
    this.isWhole = true
    this.#onReceived()
  }

  /** Hands the bytes of the body on as they come, those that have come included. */
  forward(take: (raw: Buffer) => void): void {
    for (const raw of this.#held) take(raw)
    this.#held = []
    this.#forward = take
  }

  write(text: string): void {
    this.socket.write(text, 'latin1')
  }

  respond(status: number, headers: Readonly<Record<string, string>> = {}, body = ''): void {
    const lines = Object.entries({ 'content-length': String(body.length), ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const hasBody = this.method !== 'HEAD' && status !== 204 && status !== 304
    this.write(`HTTP/1.1 ${status} Status\r\n${head}\r\n${hasBody ? body : ''}`)
    this.hasResponded = true
  }

  /** Ends the connection after some bytes. */
  end(text = ''): void {
    this.socket.end(text, 'latin1')
  }
}

async function login(
  { scheme }: OddCase,
  exchange: Exchange,
  listening: ListeningEmulator,
  tokens: Set<string>,
): Promise<void> {
  await exchange.received
  if (scheme === 'token-hanging') return
  if (scheme === 'token-failing') {
    exchange.socket.resetAndDestroy()
    return
  }
  if (scheme === 'token-slow' || scheme === 'selector-slow') {
    await new Promise((resolve) => setTimeout(resolve, 120))
  }
  if (scheme === 'token-refused') {
    exchange.respond(401, { 'content-type': 'application/json' }, '{"message":"no"}')
  } else if (scheme === 'token-garbage') {
    exchange.respond(200, { 'content-encoding': 'gzip' }, 'no gzip')
  } else {
    toEmulator(exchange, { listening }, (received) => {
      const token = /"Token":"([^"]+)"/.exec(received)?.[1]
      if (token !== undefined) tokens.add(token)
    })
  }
}

interface Setting {
  readonly plan: OddCase
  /** The number of this request: 1, 2 … */
  readonly count: number
  readonly listening: ListeningEmulator
  readonly strayOrigin: string
}

type Respond = (exchange: Exchange, setting: Setting) => void

const head = 'HTTP/1.1 200 OK\r\n'

/** Responds once the request is there as a whole. */
const whole =
  (respond: Respond): Respond =>
  (exchange, setting) =>
    void exchange.received.then(() => respond(exchange, setting))

const text = (...response: Parameters<Exchange['respond']>): Respond =>
  whole((exchange) => exchange.respond(...response))

const raw = (bytes: string): Respond => whole((exchange) => exchange.end(bytes))

/** Writes for as long as the client takes it. */
const endless = (start: string, piece: string): Respond =>
  whole(({ socket }) => {
    const more = (): void => {
      if (socket.destroyed) return
      if (socket.write(piece, 'latin1')) setImmediate(more)
      else socket.once('drain', more)
    }
    socket.write(start)
    more()
  })

/** Redirects to a path that is the last one, or to itself. */
const redirect = (status: number, times: number): Respond =>
  whole((exchange, { count, plan }) => {
    if (count > times) exchange.respond(200, {}, 'ok')
    else exchange.respond(status, { location: `${exchange.target}${plan.detail % 2 ? 'x' : ''}` })
  })

const responders: Readonly<Record<OddCase['service'], Respond>> = {
  ok: text(200, { 'content-type': 'text/plain' }, 'ok'),
  emulator: (exchange, setting) => toEmulator(exchange, setting),
  slow: whole((exchange) => {
    const pieces = [head, 'content-length: 2\r\n', '\r\n', 'o', 'k']
    const next = (): void => {
      const piece = pieces.shift()
      if (piece !== undefined) exchange.write(piece)
      if (pieces.length > 0) setTimeout(next, 20)
      else exchange.hasResponded = true
    }
    setTimeout(next, 40)
  }),
  silent: () => {},
  'accept-close': () => {},
  'head-close': (exchange) => exchange.end(),
  'half-head': whole((exchange) => exchange.write('HTTP/1.1 200 O')),
  'head-reset': ({ socket }) => void socket.resetAndDestroy(),
  'body-reset': whole((exchange) => {
    exchange.write(`${head}content-length: 100\r\n\r\nsome`)
    setTimeout(() => exchange.socket.resetAndDestroy(), 20)
  }),
  'upload-reset': ({ socket }) => void setTimeout(() => socket.resetAndDestroy(), 15),
  'short-length': raw(`${head}content-length: 100\r\n\r\nsome`),
  'long-length': whole((exchange) => {
    exchange.write(
      `${head}content-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nsurplus`,
    )
    exchange.hasResponded = true
  }),
  'two-lengths': raw(`${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
  'no-http': raw('what?\r\n\r\n'),
  'odd-status': whole((exchange, { plan }) =>
    exchange.end(
      `HTTP/1.1 ${[999, 600, 199, 0, 99_999][plan.detail % 5]} Odd\r\ncontent-length: 0\r\n\r\n`,
    ),
  ),
  'many-headers': raw(`${head}${'a: b\r\n'.repeat(50_000)}\r\n`),
  'endless-head': endless(head, 'a: b\r\n'.repeat(1000)),
  'gzip-broken': text(200, { 'content-encoding': 'gzip' }, 'no gzip'),
  'gzip-cut': text(
    200,
    { 'content-encoding': 'gzip' },
    gzipSync('some text').toString('latin1').slice(0, -9),
  ),
  'deflate-broken': text(200, { 'content-encoding': 'deflate, br' }, 'nothing of the kind'),
  trickle: whole((exchange) => {
    exchange.write(`${head}transfer-encoding: chunked\r\n\r\n`)
    const timer = setInterval(() => exchange.write('1\r\na\r\n'), 20)
    exchange.socket.once('close', () => clearInterval(timer))
  }),
  'interim-flood': endless('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  'interim-few': whole((exchange) => {
    exchange.write('HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')
    exchange.respond(200, {}, 'ok')
  }),
  upgrade: whole((exchange) =>
    exchange.write('HTTP/1.1 101 Switch\r\nconnection: upgrade\r\nupgrade: odd\r\n\r\nodd'),
  ),
  'no-content': text(204, { 'content-length': '0' }),
  unauthorized: text(401, { 'www-authenticate': 'odd' }, 'no'),
  forbidden: text(403, {}, '<Error><Code>AccessDenied</Code></Error>'),
  skewed: text(
    403,
    { date: 'Mon, 01 Jan 2001 00:00:00 GMT' },
    '<Error><Code>RequestTimeTooSkewed</Code></Error>',
  ),
  unavailable: text(503, { 'retry-after': '120' }, 'later'),
  'redirect-loop': redirect(307, Infinity),
  'redirect-get-loop': redirect(302, Infinity),
  'redirect-moved': redirect(308, 1),
  'redirect-stray': whole((exchange, { plan, strayOrigin }) =>
    exchange.respond(plan.detail % 2 ? 307 : 303, { location: `${strayOrigin}/elsewhere` }),
  ),
  'redirect-odd': whole((exchange, { plan }) => {
    const odd = ['http://[', '', 'data:,ok', '//', 'http://user:pass@127.0.0.1/', '\xff\x80', '?#']
    exchange.respond(301 + (plan.detail % 2), { location: odd[plan.detail % odd.length] ?? '' })
  }),
  'redirect-early': (exchange) => exchange.respond(307, { location: '/V1/moved' }),
  early: (exchange) => exchange.respond(200, {}, 'early'),
  'early-close': (exchange) => {
    exchange.respond(413, { connection: 'close' }, 'too much')
    setTimeout(() => exchange.socket.destroy(), 30)
  },
}

/** Hands a request on to the emulator, which verifies it as it came, on a connection of its own. */
function toEmulator(
  exchange: Exchange,
  { listening }: Pick<Setting, 'listening'>,
  see?: (received: string) => void,
): void {
  const upstream = connect(Number(listening.url.port), '127.0.0.1')
  const lines = exchange.head.trimEnd().split('\r\n')
  const kept = lines.filter((line) => !/^(?:connection|expect):/i.test(line))
  upstream.write(`${[...kept, 'connection: close'].join('\r\n')}\r\n\r\n`, 'latin1')
  if (/^expect:/im.test(exchange.head)) exchange.write('HTTP/1.1 100 Continue\r\n\r\n')
  exchange.forward((bytes) => upstream.write(bytes))
  upstream.on('error', () => exchange.socket.destroy())
  upstream.on('data', (chunk: Buffer) => {
    const received = chunk.toString('latin1')
    see?.(received)
    const refusal = /<Code>(\w+)<\/Code>/.exec(received)?.[1]
    if (refusal !== undefined) exchange.refusal = refusal
    exchange.socket.write(chunk)
  })
  upstream.once('end', () => {
    exchange.hasResponded = true
    exchange.end()
  })
  exchange.socket.once('close', () => upstream.destroy())
}
