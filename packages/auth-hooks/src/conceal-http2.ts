import type { ClientRequest } from 'node:http'

/**
 * Hides the headers of the requests that got makes over HTTP/2, as `concealHeaders` does those of
 * `node:http`: they have them by name, and once more on the stream that carries them.
 */
export function concealHttp2(request: ClientRequest): void {
  conceal(request, 'headers')
  request.once('socket', () => {
    for (const stream of Object.values(request)) {
      if (typeof stream === 'object' && stream !== null && 'sentHeaders' in stream) {
        conceal(stream, 'sent-headers')
      }
    }
  })
}

/** Replaces what an object holds by that name, or by a symbol of it, with an accessor. */
function conceal(holder: object, name: string): void {
  for (const key of Reflect.ownKeys(holder)) {
    if ((typeof key === 'symbol' ? key.description : key) !== name) continue
    let value: unknown = Reflect.get(holder, key)
    Object.defineProperty(holder, key, {
      configurable: true,
      enumerable: false,
      get: () => value,
      set(next: unknown) {
        value = next
      },
    })
  }
}
