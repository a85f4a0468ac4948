import type { ResponseHead } from '@svc/types'
import type { Dispatcher } from 'undici'
import { drain } from '../kernel/drain.ts'
import { bodyError } from '../kit/errors.ts'
import { NodeHead } from '../node/response.ts'
import type { Controller, DispatchCall } from './dispatch-call.ts'

/** A response whose head is there, and whose rest waits until it is delivered or discarded. */
export interface DispatchResponse {
  readonly head: ResponseHead
  /** Gives it to the handler of the call. */
  deliver(): void
  /** Reads it away, so that its connection can serve later requests, or ends it. */
  discard(): void
}

type Handler = Required<Dispatcher.DispatchHandler>
/** The headers or the trailers of a response. */
type Lines = Parameters<Handler['onResponseEnd']>[1]

/** A reader of the rest of a response. */
interface Reader {
  readonly isPaused: () => boolean
  data(chunk: Buffer): void
  end(trailers: Lines): void
  error(error: unknown): void
}

/** The most that is queued of a body: one read of a socket gives as much, and to pause it costs more. */
const maxQueuedBytes = 64 * 1024

/**
 * The handler of one attempt. Informational responses and upgrades go to the call's own handler at once; the
 * rest of a response is queued until it is delivered or discarded.
 */
export class AttemptHandler implements Dispatcher.DispatchHandler {
  readonly #call: DispatchCall
  readonly #isOnce: boolean
  readonly #resolve: (response: DispatchResponse) => void
  readonly #reject: (error: unknown) => void
  #controller: Controller | undefined
  #isOver = false
  #queue: ((reader: Reader) => void)[] = []
  #queuedBytes = 0
  #reader: Reader | undefined

  /**
   * @param isOnce - `true` if the body is a stream, which can be sent once.
   * @param resolve - Called with the response, once its head is there.
   */
  constructor(
    call: DispatchCall,
    isOnce: boolean,
    resolve: (response: DispatchResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#call = call
    this.#isOnce = isOnce
    this.#resolve = resolve
    this.#reject = reject
    call.onEnd(() => {
      const { reason } = call.signal
      this.#controller?.abort(reason)
      // undici does not tell while it waits for a connection, or once the whole response is queued.
      if (!this.#isOver || this.#queue.length > 0) this.#fail(reason)
    })
  }

  onRequestStart(given: Controller): void {
    // A second start is that of a retry inside. A stream would be sent without its beginning, or hang over HTTP/2.
    if (this.#controller && this.#isOnce) {
      given.abort(
        bodyError(
          'authInterceptor: the connection broke off, and a retry inside of it cannot send a stream again; ' +
            'compose authInterceptor before interceptors.retry',
        ),
      )
    }
    this.#controller = given
    // While it waited for a connection, the caller may have given up.
    const { signal } = this.#call
    if (signal.aborted) given.abort(signal.reason)
  }

  onRequestUpgrade(
    ...[given, status, headers, socket]: Parameters<Handler['onRequestUpgrade']>
  ): void {
    this.#isOver = true
    this.#call.rawHeaders = given.rawHeaders ?? null
    this.#call.handler.onRequestUpgrade?.(this.#call, status, headers, socket)
    const head = new NodeHead(status, headers)
    this.#resolve({ head, deliver: () => {}, discard: () => {} })
  }

  onResponseStart(
    ...[given, status, headers, message]: Parameters<Handler['onResponseStart']>
  ): void {
    const start = (): void => {
      this.#call.rawHeaders = given.rawHeaders ?? null
      this.#call.handler.onResponseStart?.(this.#call, status, headers, message)
    }
    if (status < 200) {
      start()
      return
    }
    this.#resolve({
      head: new NodeHead(status, headers),
      deliver: () => {
        start()
        this.#deliver(given)
      },
      discard: () => this.#discard(given),
    })
  }

  onResponseData(given: Controller, chunk: Buffer): void {
    if (!this.#reader) {
      this.#queuedBytes += chunk.byteLength
      if (this.#queuedBytes >= maxQueuedBytes) given.pause()
    }
    this.#pass((reader) => reader.data(chunk))
  }

  onResponseEnd(_given: Controller, trailers: Lines): void {
    this.#isOver = true
    this.#pass((reader) => reader.end(trailers))
  }

  onResponseError(_given: Controller, error: Error): void {
    this.#fail(error)
  }

  onResponseStarted(): void {
    this.#call.handler.onResponseStarted?.()
  }

  onBodySent(chunk: Buffer): void {
    this.#call.handler.onBodySent?.(chunk)
  }

  onRequestSent(): void {
    this.#call.handler.onRequestSent?.()
  }

  /** Gives the rest of the response to the handler of the call, at the pace of its controller. */
  #deliver(given: Controller): void {
    const call = this.#call
    const reader: Reader = {
      isPaused: () => call.paused,
      data: (chunk) => call.handler.onResponseData?.(call, chunk),
      end: (trailers) => {
        call.rawTrailers = given.rawTrailers ?? null
        // A caller that keeps the controller keeps no attempt.
        call.onEnd(undefined)
        call.follow(undefined)
        call.handler.onResponseEnd?.(call, trailers)
      },
      error: (error) => call.fail(error),
    }
    this.#reader = reader
    call.follow({ pause: () => given.pause(), resume: () => this.#flush(reader) })
  }

  #discard(given: Controller): void {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.#reader = {
          isPaused: () => false,
          data: (chunk) => stream.enqueue(chunk),
          end: () => stream.close(),
          error: (error) => stream.error(error),
        }
        this.#flush(this.#reader)
      },
      cancel: () => given.abort(new Error('[@svc/auth-hooks] this response is not needed')),
    })
    void drain({ body })
  }

  #pass(event: (reader: Reader) => void): void {
    const reader = this.#reader
    if (reader && this.#queue.length === 0 && !reader.isPaused()) event(reader)
    else this.#queue.push(event)
  }

  /** Passes the queue on, and lets the rest come. */
  #flush(reader: Reader): void {
    while (this.#queue.length > 0 && !reader.isPaused()) this.#queue.shift()?.(reader)
    if (!this.#isOver && !reader.isPaused()) this.#controller?.resume()
  }

  #fail(error: unknown): void {
    this.#isOver = true
    this.#reject(error)
    // Even if the reader has paused, and whatever it has not seen.
    this.#queue = this.#reader ? [] : [(reader) => reader.error(error)]
    this.#reader?.error(error)
  }
}
