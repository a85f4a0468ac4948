/**
 * The emulator behind the pages of a browser that Playwright drives. Imports nothing of Playwright.
 *
 * @module @svc/emulator/playwright
 */
import { checksOf } from './checks.ts'
import type { Emulator } from './emulator.ts'
import { interceptedOrigin, type InterceptOptions } from './intercepted.ts'

export type { InterceptOptions }

/** A request of a page, as Playwright tells of it. */
export interface PageRequest {
  /** Returns the method, such as `GET`. */
  method(): string
  /** Returns the address. */
  url(): string
  /** Returns the headers, with names in lower case. */
  headers(): Readonly<Record<string, string>>
  /** Returns the body. */
  postDataBuffer(): Uint8Array | null
}

/** A request of a page that waits for a response. */
export interface PageRoute {
  /** Returns the request. */
  request(): PageRequest
  /** Responds. */
  fulfill(response: {
    readonly status: number
    readonly headers: Record<string, string>
    readonly body: Buffer
  }): Promise<void>
  /** Ends the request with a network error. */
  abort(errorCode: 'connectionreset'): Promise<void>
}

/** A page, or a context of pages: what `routeToEmulator` needs of either, whichever package of Playwright's it is of. */
export interface RoutedPages {
  /** Hands over the requests to some addresses. */
  route(url: (url: URL) => boolean, handler: (route: PageRoute) => Promise<void>): Promise<unknown>
  /** Tells of each request that failed or was aborted. */
  on(event: 'requestfailed', listener: (request: PageRequest) => void): unknown
  /** Tells when it is closed. */
  once(event: 'close', listener: () => void): unknown
}

/**
 * Lets an emulator respond, in process, to every request of a page, or of the pages of a context, to an origin. Other
 * requests go where they went. A fault that drops the connection is a network error; a latency ends with its
 * request or page.
 *
 * @param pages - A `Page` or a `BrowserContext`.
 * @param emulator - The emulator that responds.
 * @param options - The address of the service.
 * @throws TypeError if an argument is wrong; the message names it.
 * @example
 * import { createEmulator } from '@svc/emulator'
 * import { routeToEmulator, type RoutedPages } from '@svc/emulator/playwright'
 *
 * export async function beforeEach({ page }: { page: RoutedPages }) {
 *   await routeToEmulator(page, createEmulator(), { baseUrl: 'https://search.example.com' })
 * }
 * @see https://playwright.dev/docs/mock
 */
export async function routeToEmulator(
  pages: RoutedPages,
  emulator: Emulator,
  options: InterceptOptions,
): Promise<void> {
  const origin = interceptedOrigin('routeToEmulator', emulator, options)
  const checks = checksOf('routeToEmulator')
  checks.object(pages, 'pages')
  const methods = ['route', 'on', 'once']
  const isRoutable = methods.every((name) => typeof Reflect.get(pages, name) === 'function')
  checks.that(isRoutable, 'pages', 'must be a Page or a BrowserContext of Playwright')
  const pending = new Map<PageRequest, AbortController>()
  pages.on('requestfailed', (request) => pending.get(request)?.abort())
  pages.once('close', () => {
    for (const controller of pending.values()) controller.abort()
  })
  await pages.route(
    (url) => url.origin === origin,
    async (route) => {
      const request = route.request()
      const controller = new AbortController()
      pending.set(request, controller)
      const response = await send(emulator, request, controller.signal).catch(() => undefined)
      pending.delete(request)
      const sent = response ? route.fulfill(response) : route.abort('connectionreset')
      // Nobody waits for it where the page was left.
      await sent.catch(() => undefined)
    },
  )
}

async function send(
  emulator: Emulator,
  request: PageRequest,
  signal: AbortSignal,
): Promise<Parameters<PageRoute['fulfill']>[0]> {
  const data = request.postDataBuffer()
  const response = await emulator.fetch(request.url(), {
    method: request.method(),
    headers: request.headers(),
    body: data && new Uint8Array(data),
    signal,
  })
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  }
}
