import type { AuthScheme, OutgoingBody } from '@svc/types'
import type { SerializedBody } from '../kernel/body.ts'
import type { RedirectResponse } from '../kernel/redirect.ts'
import type { ExchangeSettings } from '../kernel/options.ts'

/** A stream of Node's, of whatever age. */
export interface NodeStream {
  pipe(destination: object): unknown
  on(event: 'close' | 'error', listener: (error: Error) => void): unknown
  destroy?(): unknown
}

/** A response of which only the head was read. */
export interface PausedResponse {
  readonly head: RedirectResponse
  /** Gives the response to axios. */
  resume(): void
  /** Reads the response away, and ends a request that still uploads a body. */
  discard(): Promise<void>
}

/** A place between axios and `node:http`. */
export interface Interception {
  /** The `transport` of axios' configuration. */
  readonly transport: unknown
  /** Ends a request that axios opened and then gave up, as it does where something throws. */
  end(): void
}

/** Observes the data of a response on its way to the caller. */
export interface DataObserver {
  /** Makes a failure of a stream one that may be shown. */
  readonly mapError: (error: unknown) => unknown
  /** Called once there is nothing more to come. */
  readonly onEnd: () => void
}

/** The parts that only Node, Bun and Deno have. */
export interface AxiosPlatform {
  /**
   * Stands between axios and `node:http`, or the `transport` that the caller has. `onResponse` is called
   * as soon as the head of the response is there; never if axios does not use the transport.
   *
   * @param body - The body that axios will write.
   */
  intercept(
    given: unknown,
    url: URL,
    body: OutgoingBody | undefined,
    onResponse: (response: PausedResponse) => void,
  ): Interception
  /** Returns a stream as a body: it is not read ahead, and once only. */
  streamBody(source: NodeStream): SerializedBody
  /** Ends a stream that will not be sent. */
  release(source: unknown): void
  /** Returns bytes as axios' http adapter takes them. */
  toBuffer(bytes: Uint8Array): Uint8Array
  /** Returns a stream as axios' http adapter takes it. */
  toNodeStream(stream: ReadableStream<Uint8Array>): NodeStream
  /** Returns a stream that gives the same, and leads to no other object. */
  wrapStream(stream: NodeStream, observer: DataObserver): NodeStream
  /** Returns the request as it may be shown, if it is one that {@link intercept} saw, and hides its headers. */
  redacted(request: object): object | undefined
  /** Tells the observer of an adapter if nothing is hidden. */
  reportRedaction(scheme: AuthScheme, settings: ExchangeSettings): void
}

/** Nothing: other runtimes have only axios' fetch adapter. */
export const platform: AxiosPlatform | undefined = undefined
