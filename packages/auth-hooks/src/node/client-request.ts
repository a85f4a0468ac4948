import type { ClientRequest } from 'node:http'
import type { OutgoingHeaders } from '../kernel/headers.ts'
import { AuthError } from '../kit/errors.ts'

/** The part of a `ClientRequest` of `node:http` that is needed here. */
interface HeaderHolder {
  once(event: 'socket', listener: (socket: object) => void): unknown
}

/** The key under which Node keeps headers by name: one symbol for all requests, which only they tell. */
let headersKey: symbol | undefined

/**
 * Hides the headers of a request of `node:http` from whoever prints it or walks it: errors and
 * responses of clients lead to it, and so does the socket of an agent. Node still reads and writes
 * them, by accessors that neither `util.inspect` nor a walk over values calls; once they are sent,
 * `getHeader` and `_header` give them to nobody.
 *
 * @see https://github.com/nodejs/node/blob/main/lib/_http_outgoing.js
 */
export function redactClientRequest(request: HeaderHolder): void {
  const isSent = (): boolean => Reflect.get(request, '_headerSent') === true
  // The head as text, the headers by name, and the bytes that wait for a connection.
  redactProperty(request, '_header', (head) => (isSent() ? firstLine(head) : head))
  if (!headersKey || !Object.hasOwn(request, headersKey)) {
    const symbols = Object.getOwnPropertySymbols(request)
    headersKey = symbols.find(({ description }) => description === 'kOutHeaders')
  }
  if (headersKey) redactProperty(request, headersKey, (headers) => (isSent() ? null : headers))
  redactProperty(request, 'outputData')
  // If a connection fails, its socket keeps the bytes that it was to send first.
  request.once('socket', (socket) => redactProperty(socket, '_pendingData'))
}

/**
 * Hides the headers of the requests that got makes over HTTP/2, as `redactClientRequest` does those of
 * `node:http`: they have them by name, and once more on the stream that carries them.
 */
export function redactHttp2Request(request: ClientRequest): void {
  redactNamed(request, 'headers')
  request.once('socket', () => {
    for (const stream of Object.values(request)) {
      if (typeof stream === 'object' && stream !== null && 'sentHeaders' in stream) {
        redactNamed(stream, 'sent-headers')
      }
    }
  })
}

/**
 * Throws if `node:http` would send other bytes than those that were signed: a head that goes ahead of a
 * body, which waits for a 100, is written as UTF-8 and not as Latin-1.
 *
 * @throws AuthError `ERR_AUTH_HEADER`
 */
export function assertAsciiHead(headers: OutgoingHeaders): void {
  if (!headers.has('expect')) return
  for (const [name, value] of headers) {
    if (!/[\x80-\xff]/.test(value)) continue
    throw new AuthError(
      'ERR_AUTH_HEADER',
      `[@svc/auth-hooks] the value of the header ${name} cannot be sent with an expect header: ` +
        'use only ASCII characters; nothing was sent',
    )
  }
}

/** Replaces a property with an accessor, which returns the value that `shown` makes of it. */
function redactProperty(
  holder: object,
  key: string | symbol,
  shown: (value: unknown) => unknown = (value) => value,
): void {
  const property = Object.getOwnPropertyDescriptor(holder, key)
  if (!property || !('value' in property)) return
  let value: unknown = property.value
  Object.defineProperty(holder, key, {
    configurable: true,
    enumerable: false,
    get: () => shown(value),
    set(next: unknown) {
      value = next
    },
  })
}

/** Redacts by the description of a symbol: those of got 14 and 15, and of Node, are nobody else's. */
function redactNamed(holder: object, name: string): void {
  for (const key of Reflect.ownKeys(holder)) {
    if ((typeof key === 'symbol' ? key.description : key) === name) redactProperty(holder, key)
  }
}

// Node still asks if there is a head.
function firstLine(head: unknown): unknown {
  return typeof head === 'string' ? head.slice(0, head.indexOf('\r\n') + 2) : head
}
