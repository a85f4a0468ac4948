/** What is needed of a `ClientRequest` of `node:http`. */
export interface HeaderHolder {
  once(event: 'socket', listener: (socket: object) => void): unknown
}

/**
 * Hides the headers of a request of `node:http` from whoever prints it or walks it: errors and
 * responses of clients lead to it, and so does the socket of an agent. The request itself still
 * reads and writes them, by accessors that neither `util.inspect` nor a walk over values calls.
 *
 * @see https://github.com/nodejs/node/blob/main/lib/_http_outgoing.js
 */
export function concealHeaders(request: HeaderHolder): void {
  for (const key of Reflect.ownKeys(request)) {
    // The head as text, what waits for a connection, and the headers by name.
    const name = typeof key === 'symbol' ? key.description : key
    if (name === '_header' || name === 'outputData' || name === 'kOutHeaders') conceal(request, key)
  }
  // Where a connection fails, its socket keeps what it was to send first.
  request.once('socket', (socket) => conceal(socket, '_pendingData'))
}

/** Replaces what an object holds by that key with an accessor. */
export function conceal(holder: object, key: string | symbol): void {
  const property = Object.getOwnPropertyDescriptor(holder, key)
  if (!property || !('value' in property)) return
  let value: unknown = property.value
  Object.defineProperty(holder, key, {
    configurable: true,
    enumerable: false,
    get: () => value,
    set(next: unknown) {
      value = next
    },
  })
}
