import type { ClientRequest } from 'node:http'
import { conceal } from './client-request.ts'

/**
 * Hides the headers of the requests that got makes over HTTP/2, as `concealHeaders` does those of
 * `node:http`: they have them by name, and once more on the stream that carries them.
 */
export function concealHttp2(request: ClientRequest): void {
  concealNamed(request, 'headers')
  request.once('socket', () => {
    for (const stream of Object.values(request)) {
      if (typeof stream === 'object' && stream !== null && 'sentHeaders' in stream) {
        concealNamed(stream, 'sent-headers')
      }
    }
  })
}

/** Symbols go by what they are called: those of got 14 and 15, and of Node, are nobody else's. */
function concealNamed(holder: object, name: string): void {
  for (const key of Reflect.ownKeys(holder)) {
    if ((typeof key === 'symbol' ? key.description : key) === name) conceal(holder, key)
  }
}
