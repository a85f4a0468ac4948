import type { SerializedBody } from '../kernel/body.ts'

/** A stream of Node's, of whatever age. */
export interface NodeStream {
  pipe(destination: object): unknown
  on(event: 'close' | 'error', listener: (error: Error) => void): unknown
  destroy?(): unknown
}

/** An answer of which only the head was read. */
export interface HeldAnswer {
  readonly status: number
  readonly headers: Headers
  /** The body, for whoever reads it away. */
  readonly body: ReadableStream<Uint8Array>
  /** Gives the answer to axios. */
  deliver(): void
  /** Ends a request that still uploads a body, now that nobody wants the answer. */
  release(): void
}

/** What stands between axios and `node:http`. */
export interface Interception {
  /** The `transport` of axios' configuration. */
  readonly transport: unknown
  /** The answer, as soon as its head is there; never where axios does not use the transport. */
  readonly held: Promise<HeldAnswer>
}

/** What only Node, Bun and Deno have. */
export interface AxiosPlatform {
  /** Stands between axios and `node:http`, or the `transport` that the caller has. */
  intercept(given: unknown, url: string): Interception
  /** The body that a stream is: it is not read ahead, and once only. */
  streamBody(source: NodeStream): SerializedBody
  /** Bytes and streams, as axios' http adapter takes them. */
  toBuffer(bytes: Uint8Array): Uint8Array
  toNodeStream(stream: ReadableStream<Uint8Array>): NodeStream
  /** A stream, as the web platform has it. */
  toWebStream(stream: NodeStream): ReadableStream<Uint8Array>
  /** A stream that fails with what `mapError` makes of a failure, and leads to no other object. */
  detached(stream: NodeStream, mapError: (error: unknown) => unknown): NodeStream
  /** Whether a request is one that {@link intercept} saw, and hides its headers. */
  isRedacted(request: object): boolean
}

/** None: elsewhere axios has only its fetch adapter. */
export const platform: AxiosPlatform | undefined = undefined
