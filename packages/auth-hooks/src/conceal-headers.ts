/**
 * Where Node's `ClientRequest`, its HTTP/2 streams and its sockets that are still connecting, and the
 * HTTP/2 requests of got, keep the headers that they send; symbols by what they are called.
 */
const holders: ReadonlySet<string | undefined> = new Set([
  '_header',
  'kOutHeaders',
  'outputData',
  '_pendingData',
  'headers',
  'sent-headers',
])

/**
 * Hides the headers of a request from `util.inspect`, JSON and whoever walks over its properties: a
 * response holds its request, and logs and errors hold responses. They are sent as ever.
 */
export function concealHeaders(holder: object): void {
  for (const key of Reflect.ownKeys(holder)) {
    if (!holders.has(typeof key === 'symbol' ? key.description : key)) continue
    let value: unknown = Reflect.get(holder, key)
    Object.defineProperty(holder, key, {
      configurable: true,
      enumerable: false,
      // None of them calls an accessor.
      get: () => value,
      set(next: unknown) {
        value = next
      },
    })
  }
}
