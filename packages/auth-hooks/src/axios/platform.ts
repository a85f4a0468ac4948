import type { AuthScheme, OutgoingBody, ResponseHead } from '@svc/types'
import type { SerializedBody } from '../kernel/body.ts'
import type { ExchangeSettings } from '../kernel/options.ts'
import type { UploadStream } from '../kernel/upload.ts'

/** A stream of Node's, of whatever age. */
export interface NodeStream {
  pipe(destination: object): unknown
  on(event: 'close' | 'error', listener: (error: Error) => void): unknown
}

/** A place between axios and what it sends with. */
export interface Interception {
  /** The options of axios that lead through it. */
  readonly changes: object
  /** Hands on a response that is held until it is known to be wanted. */
  accept?(): void
  /** Ends the request, unless all of it and of its response is through. */
  end(): void
}

/** Observes the data of a response on its way to the caller. */
export interface DataObserver {
  /** Makes a failure of a stream one that may be shown: the same error. */
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
    onResponse: (head: ResponseHead) => void,
  ): Interception
  /** Returns a stream as a body: it is not read ahead, and once only. */
  streamBody(source: NodeStream): SerializedBody
  /** Returns bytes as axios' http adapter takes them. */
  toBuffer(bytes: Uint8Array): Uint8Array
  /** Opens the chunks of a body as a stream that axios' http adapter takes. */
  openUpload(
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
  ): Pick<UploadStream, 'abort' | 'onResponse'> & { readonly stream: NodeStream }
  /** Returns the stream of a response as it may be shown: itself, if its request is redacted. */
  shownStream(stream: NodeStream, isRedacted: boolean, observer: DataObserver): NodeStream
  /** Tells if a request is one that {@link intercept} saw, and hides its headers. */
  isRedacted(request: unknown): boolean
  /** Tells the observer of an adapter if nothing is hidden. */
  reportRedaction(scheme: AuthScheme, settings: ExchangeSettings): void
}

/** Nothing: other runtimes have only axios' fetch adapter. */
export const platform: AxiosPlatform | undefined = undefined
