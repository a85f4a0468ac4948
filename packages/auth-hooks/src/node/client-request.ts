/** What is needed of a `ClientRequest` of `node:http`. */
export interface HeaderHolder {
  once(event: 'socket', listener: (socket: object) => void): unknown
}

/**
 * Hides the headers of a request of `node:http` from whoever prints it or walks it: errors and
 * responses of clients lead to it, and so does the socket of an agent. Node still reads and writes
 * them, by accessors that neither `util.inspect` nor a walk over values calls; once they are sent,
 * `getHeader` and `_header` give them to nobody.
 *
 * @see https://github.com/nodejs/node/blob/main/lib/_http_outgoing.js
 */
export function concealHeaders(request: HeaderHolder): void {
  const isSent = (): boolean => Reflect.get(request, '_headerSent') === true
  // The head as text, the headers by name, and what waits for a connection.
  conceal(request, '_header', (head) => (isSent() ? firstLine(head) : head))
  if (!byName || !Object.hasOwn(request, byName)) {
    const symbols = Object.getOwnPropertySymbols(request)
    byName = symbols.find(({ description }) => description === 'kOutHeaders')
  }
  if (byName) conceal(request, byName, (headers) => (isSent() ? null : headers))
  conceal(request, 'outputData')
  // Where a connection fails, its socket keeps what it was to send first.
  request.once('socket', (socket) => conceal(socket, '_pendingData'))
}

/** Where Node keeps headers by name: one symbol for all of its requests, which only they tell. */
let byName: symbol | undefined

/** Replaces what an object holds by that key with an accessor, which gives what `shown` says. */
export function conceal(
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

// Node still asks whether there is a head.
function firstLine(head: unknown): unknown {
  return typeof head === 'string' ? head.slice(0, head.indexOf('\r\n') + 2) : head
}
