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
  for (const key of Reflect.ownKeys(request)) {
    const name = typeof key === 'symbol' ? key.description : key
    // The head as text, the headers by name, and what waits for a connection.
    if (name === '_header') conceal(request, key, (head) => (isSent() ? firstLine(head) : head))
    if (name === 'kOutHeaders') conceal(request, key, (headers) => (isSent() ? null : headers))
    if (name === 'outputData') conceal(request, key)
  }
  // Where a connection fails, its socket keeps what it was to send first.
  request.once('socket', (socket) => conceal(socket, '_pendingData'))
}

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
