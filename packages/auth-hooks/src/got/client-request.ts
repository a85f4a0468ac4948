import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type PassThrough, Readable, Writable } from 'node:stream'
import type { OutgoingBody } from '@svc/types'
import { drain } from '../kernel/drain.ts'
import type { OutgoingHeaders } from '../kernel/headers.ts'
import { adoptRequest, hangUpError } from '../node/client-request.ts'

/**
 * Events that got listens for beside the response, from every attempt. Not an upgrade: got always
 * listens, and Node ends the connection only without a listener.
 */
const relayedEvents = ['socket', 'connect', 'continue', 'information', 'timeout']

/** What got writes, if anything is to be read from it. */
export interface GotWriting {
  readonly written: PassThrough | undefined
  /** `true` if the body is held whole: it is sent from memory, at the pace of what got writes. */
  readonly isWhole: boolean
}

/**
 * A `ClientRequest` as got sees it, whose response is that of the last attempt. It never leads to the attempts
 * themselves, or the credentials in them.
 */
export class ReplayableClientRequest extends Writable {
  /** The response that got was given; got asks for it by this name. */
  res: IncomingMessage | undefined
  readonly #writing: GotWriting
  /** All that are under way: a rejected one may still upload beside the next. */
  readonly #attempts = new Set<ClientRequest>()
  #attempt: ClientRequest | undefined
  #fail: ((error: Error) => void) | undefined
  #timeoutMs = 0
  /** A response that got must not see yet. */
  #held: IncomingMessage | undefined
  /** Takes got's last piece, or its end. */
  #take: (() => void) | undefined

  constructor(writing: GotWriting) {
    // Like a ClientRequest it is over with the response, and not with the upload.
    super({ autoDestroy: false })
    this.#writing = writing
    const { written } = writing
    written?.once('close', () => {
      // The rest has no reader.
      if (written.readableAborted) this.#takeOne()
    })
    // Until got listens, which it may do late or never.
    this.on('error', () => {})
    this.once('finish', () => this.#release())
  }

  get socket(): Socket | undefined {
    return this.#attempt?.socket ?? undefined
  }

  get reusedSocket(): boolean | undefined {
    return this.#attempt?.reusedSocket
  }

  setTimeout(timeoutMs: number, listener?: () => void): this {
    this.#timeoutMs = timeoutMs
    this.#attempt?.setTimeout(timeoutMs)
    return listener ? this.once('timeout', listener) : this
  }

  /** Sends one attempt. */
  async sendAttempt(
    open: () => PromiseLike<unknown>,
    headers: OutgoingHeaders,
    body: OutgoingBody | undefined,
  ): Promise<IncomingMessage> {
    const attempt = adoptRequest(await open(), headers, body, '[@svc/auth-hooks] authGot')
    if (this.destroyed) {
      attempt.destroy()
      throw hangUpError()
    }
    const isFirst = !this.#attempt
    this.#attempt = attempt
    this.#attempts.add(attempt)
    if (this.#timeoutMs > 0) attempt.setTimeout(this.#timeoutMs)
    for (const event of relayedEvents) {
      attempt.on(event, (...values: unknown[]) => {
        if (attempt === this.#attempt) this.emit(event, ...values)
      })
    }
    attempt.once('finish', () => this.#takeOne())
    return new Promise((resolve, reject) => {
      // Node says nothing of an attempt that ends before it has a connection.
      this.#fail = reject
      // A failure after the response is got's to see, on the response.
      attempt.on('error', reject)
      attempt.once('close', () => this.#attempts.delete(attempt))
      attempt.once('response', (response) => {
        // An error is costly to make, and this promise is settled.
        this.#fail = undefined
        resolve(response)
      })
      const { written, isWhole } = this.#writing
      const isPaced = isFirst && isWhole && written && body?.inMemory
      uploadBody(attempt, isPaced ? atPaceOf(written, body) : body).catch((error: Error) => {
        attempt.destroy(error)
      })
    })
  }

  /** Reads and discards the response of the last attempt, and ends it: its server may never read the rest of it. */
  async discard(response: IncomingMessage): Promise<void> {
    const attempt = this.#attempt
    // One that fails when it has been read would end the process.
    await drain({ body: response.on('error', () => {}) })
    if (!attempt?.writableFinished) attempt?.destroy()
  }

  /**
   * Gives got the response, once got has written a body that is held whole: it ends a request whose response is there
   * before the last piece, and the upload with it.
   */
  emitResponse(response: IncomingMessage): void {
    const { written, isWhole } = this.#writing
    this.#held = response
    // A server that has responded may never read the rest: got writes it, and waits no more.
    if (isWhole) written?.end()
    this.#takeOne()
    if (!isWhole || this.writableFinished) this.#release()
  }

  #release(): void {
    const response = this.#held
    this.#held = undefined
    if (!response || this.destroyed) return
    const attempt = this.#attempt
    if (String(response.statusCode).startsWith('3') && !attempt?.writableFinished) {
      // got reads a redirect to its end, and forgets the attempt.
      response.once('end', () => attempt?.destroy())
    }
    this.res = response
    this.emit('response', response)
    // It broke off while it was held, so that got has not heard of it.
    if (response.destroyed && !response.complete) setImmediate(() => this.#failLate(response))
  }

  /** Tells got of a response that has failed already, by the response if got reads it. */
  #failLate(response: IncomingMessage): void {
    if (response.listenerCount('error') > 0) response.emit('error', hangUpError())
    else this.destroy(hangUpError())
  }

  #takeOne(): void {
    const take = this.#take
    this.#take = undefined
    take?.()
  }

  override _write(chunk: Uint8Array, encoding: BufferEncoding, callback: () => void): void {
    this.#take = callback
    const { written } = this.#writing
    if (written?.writable) written.write(chunk, encoding, () => this.#takeOne())
    else this.#takeOne()
  }

  override _final(callback: () => void): void {
    this.#writing.written?.end()
    this.#take = callback
    if (this.#held || this.#attempt?.writableFinished) this.#takeOne()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#writing.written?.destroy()
    // Without the error: a connection that is on its way back to the agent has no listener for one.
    for (const attempt of this.#attempts) attempt.destroy()
    this.#fail?.(error ?? hangUpError())
    callback(error)
  }
}

/** Returns a body that gives its own bytes as fast as they are written by another, who may end before. */
function atPaceOf(written: PassThrough, body: OutgoingBody): OutgoingBody {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const bytes = await body.bytes()
    let start = 0
    for await (const { length } of written as AsyncIterable<Buffer>) {
      yield bytes.subarray(start, (start += length))
    }
    yield bytes.subarray(start)
  }
  return { ...body, inMemory: false, chunks }
}

/**
 * Writes a body into a request as fast as its connection takes it, and ends the request. Not by `pipeline`, which
 * destroys a request whose connection ends, and with it a response that has not been read yet.
 */
async function uploadBody(request: ClientRequest, body: OutgoingBody | undefined): Promise<void> {
  if (!body || body.inMemory) {
    request.end(await body?.bytes())
    return
  }
  const source = Readable.from(body.chunks(), { objectMode: false })
  source.on('error', (error) => request.destroy(error))
  request.once('close', () => source.destroy())
  if (request.destroyed) source.destroy()
  else source.pipe(request)
}
