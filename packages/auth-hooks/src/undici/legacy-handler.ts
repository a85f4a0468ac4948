import type { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici'

/** A handler of the `fetch` of Node 20 to 24, which undici 8 does not know any more. */
interface LegacyHandler {
  onConnect?(abort: (reason: Error) => void): void
  onResponseStarted?(): void
  onHeaders?(status: number, headers: Buffer[], resume: () => void, message?: string): boolean
  onData?(chunk: Buffer): boolean
  onComplete?(trailers: Buffer[]): void
  onUpgrade?(status: number, headers: Buffer[], socket: Duplex): void
  onError?(error: Error): void
}

export function currentHandler(given: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  if (typeof given.onRequestStart === 'function') return given
  // A handler without `onRequestStart` is of the older kind: undici itself tells them so.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  const handler = given as LegacyHandler
  return {
    onRequestStart: (controller) => handler.onConnect?.((reason) => controller.abort(reason)),
    onResponseStarted: () => handler.onResponseStarted?.(),
    onResponseStart(controller, status, headers, message) {
      const resume = (): void => controller.resume()
      if (handler.onHeaders?.(status, rawHeaders(headers), resume, message) === false)
        controller.pause()
    },
    onResponseData(controller, chunk) {
      if (handler.onData?.(chunk) === false) controller.pause()
    },
    onResponseEnd: (_controller, trailers) => handler.onComplete?.(rawHeaders(trailers)),
    onRequestUpgrade(_controller, status, headers, socket) {
      handler.onUpgrade?.(status, rawHeaders(headers), socket)
    },
    onResponseError: (_controller, error) => handler.onError?.(error),
  }
}

function rawHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Buffer[] {
  // A name for each value: Node 20 and 22 would make one line of several cookies.
  return Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().flatMap((line) => [Buffer.from(name, 'latin1'), Buffer.from(line, 'latin1')]),
  )
}
