/**
 * The emulator as a handler of Mock Service Worker. Needs `msw` 2.15 or later.
 *
 * @module @svc/emulator/msw
 */
import { http, type HttpHandler, HttpResponse } from 'msw'
import type { Emulator } from './emulator.ts'
import { interceptedOrigin, type InterceptOptions } from './intercepted.ts'

export type { InterceptOptions }

/**
 * Creates a handler that lets an emulator respond, in process, to every request to an origin. Other requests are
 * left to other handlers. A fault that drops the connection is a network error.
 *
 * A latency ends with its request. From MSW 3 on, it also ends when the server is closed or the handler removed.
 *
 * @param emulator - The emulator that responds.
 * @param options - The address of the service.
 * @throws TypeError if an argument is wrong; the message names it.
 * @example
 * import { createEmulator } from '@svc/emulator'
 * import { emulatorHandler } from '@svc/emulator/msw'
 * import { setupServer } from 'msw/node'
 *
 * const baseUrl = 'https://search.example.com'
 * const server = setupServer(emulatorHandler(createEmulator(), { baseUrl }))
 * server.listen()
 * console.log((await fetch(`${baseUrl}/user/groups`)).status) // 401
 * server.close()
 * @see https://mswjs.io/docs/api/setup-server
 */
export function emulatorHandler(emulator: Emulator, options: InterceptOptions): HttpHandler {
  const origin = interceptedOrigin('emulatorHandler', emulator, options)
  let closing = new AbortController()
  const handler = http.all(
    ({ request }) => new URL(request.url).origin === origin,
    ({ request }) => {
      const signal = AbortSignal.any([request.signal, closing.signal])
      return emulator.fetch(request, { signal }).catch(() => HttpResponse.error())
    },
  )
  // MSW 3 calls it; MSW 2 tells no handler that it closes.
  return Object.assign(handler, {
    dispose(): void {
      closing.abort()
      closing = new AbortController()
    },
  })
}
