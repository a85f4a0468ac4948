import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type PassThrough, Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OutgoingBody } from '@svc/types'
import { drain } from '../kernel/drain.ts'
import type { OutgoingHeaders } from '../kernel/headers.ts'
import { adoptRequest, hangUpError, plainError } from '../node/client-request.ts'

const caller = '[@svc/auth-hooks] authGot'

/**
 * Events that got listens for beside the response, from every attempt. Not an upgrade: got always
 * listens, and Node ends the connection only if nobody does.
 */
const relayedEvents = ['socket', 'connect', 'continue', 'information', 'timeout']

/**
 * A `ClientRequest` as got sees it, whose response is that of the last attempt. The attempts
 * themselves, and the credentials in them, are in nobody's reach.
 */
export class ReplayableClientRequest extends Writable {
  /** The response that got was given; got asks for it by this name. */
  res: IncomingMessage | undefined
  readonly #stream: PassThrough | undefined
  /** All that are under way: a rejected one may still upload beside the next. */
  readonly #attempts = new Set<ClientRequest>()
  #attempt: ClientRequest | undefined
  #fail: ((error: Error) => void) | undefined
  #timeoutMs = 0
  #onUploaded: (() => void) | undefined
  #isUploaded = false
  /** A response that got must not see yet. */
  #held: IncomingMessage | undefined

  /** A body that got writes goes on into `stream`; without one, it is sent from memory. */
  constructor(stream: PassThrough | undefined) {
    // Like a ClientRequest it is over with the response, and not with the upload.
    super({ autoDestroy: false })
    this.#stream = stream
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
    // Whoever gave up meanwhile gets a request without the credential ended.
    const opened = await open()
    const parts = this.destroyed ? { headers: [], body: undefined } : { headers, body }
    const attempt = adoptRequest(opened, parts, caller)
    if (this.destroyed) {
      attempt.destroy()
      throw hangUpError()
    }
    this.#attempt = attempt
    this.#attempts.add(attempt)
    if (this.#timeoutMs > 0) attempt.setTimeout(this.#timeoutMs)
    for (const event of relayedEvents) {
      attempt.on(event, (...values: unknown[]) => {
        if (attempt === this.#attempt) this.#relay(event, values)
      })
    }
    attempt.once('finish', () => {
      this.#isUploaded = true
      this.#onUploaded?.()
      // Another attempt sends the same body again, and got has heard of it.
      this.#onUploaded = undefined
    })
    return new Promise((resolve, reject) => {
      // Node says nothing of an attempt that ends before it has a connection.
      this.#fail = reject
      // A failure after the response is got's to see, on the response.
      attempt.on('error', reject)
      attempt.once('close', () => this.#attempts.delete(attempt))
      attempt.once('response', (response) => {
        // Nobody waits for a failure any more, and an error is costly to make.
        this.#fail = undefined
        resolve(response)
      })
      // A server may respond before it has read everything: then nobody hears of it.
      sendBody(attempt, body).catch(reject)
    })
  }

  /** Reads and discards the response of the last attempt, and ends the attempt. */
  async discard(response: IncomingMessage): Promise<void> {
    const attempt = this.#attempt
    // Node's own type of a web stream is another one than that of the web.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    await drain({ body: Readable.toWeb(response) as ReadableStream })
    // A server that has responded may never read the rest of an upload.
    if (!attempt?.writableFinished) attempt?.destroy()
  }

  /**
   * Gives got the response, once got has written a body that is sent from memory: it ends a request whose response is
   * there before the last piece, and the upload with it.
   */
  emitResponse(response: IncomingMessage): void {
    this.#held = response
    if (this.#stream || this.writableFinished || this.#onUploaded) this.#release()
  }

  #release(): void {
    const response = this.#held
    this.#held = undefined
    if (!response || this.destroyed) return
    // It broke off while nobody listened.
    if (response.destroyed && !response.complete) {
      this.destroy(hangUpError())
      return
    }
    const attempt = this.#attempt
    if (String(response.statusCode).startsWith('3') && !attempt?.writableFinished) {
      // got reads a redirect to its end, and forgets the attempt.
      response.once('end', () => attempt?.destroy())
    }
    this.res = response
    this.emit('response', response)
  }

  /** Passes an event on; a listener that throws ends this request, and not the process. */
  #relay(event: string, values: unknown[]): void {
    try {
      this.emit(event, ...values)
    } catch (error) {
      this.destroy(plainError(error))
    }
  }

  override _write(
    chunk: unknown,
    encoding: BufferEncoding,
    callback: (error?: Error | null) => void,
  ): void {
    if (!this.#stream || this.#stream.destroyed) callback()
    else this.#stream.write(chunk, encoding, callback)
  }

  override _final(callback: () => void): void {
    this.#stream?.end()
    if (this.#isUploaded) {
      callback()
      return
    }
    this.#onUploaded = callback
    // The server has responded before it has read everything.
    this.#release()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#stream?.destroy()
    for (const attempt of this.#attempts) attempt.destroy(error ?? undefined)
    this.#fail?.(error ?? hangUpError())
    callback(error)
  }
}

async function sendBody(attempt: ClientRequest, body: OutgoingBody | undefined): Promise<void> {
  if (!body) attempt.end()
  else if (body.inMemory) attempt.end(await body.bytes())
  else await pipeline(Readable.from(body.chunks(), { objectMode: false }), attempt)
}
