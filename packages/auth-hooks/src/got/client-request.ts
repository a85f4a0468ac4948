import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type PassThrough, Writable } from 'node:stream'
import type { OutgoingBody } from '@svc/types'
import type { OutgoingHeaders } from '../kernel/headers.ts'
import { adoptRequest, hangUpError, plainError } from '../node/client-request.ts'
import { discardResponse } from '../node/response.ts'
import { uploadBody } from '../node/upload.ts'

const caller = '[@svc/auth-hooks] authGot'

/**
 * Events that got listens for beside the response, from every attempt. Not an upgrade: got always
 * listens, and Node ends the connection only without a listener.
 */
const relayedEvents = ['socket', 'connect', 'continue', 'information', 'timeout']

/**
 * A `ClientRequest` as got sees it, whose response is that of the last attempt. It never leads to the attempts
 * themselves, or the credentials in them.
 *
 * got writes every body. A stream goes on into `written`, and is uploaded from there. A body that is held whole is
 * uploaded from memory, by each attempt anew: got's pieces of it are taken no faster than the upload goes.
 */
export class ReplayableClientRequest extends Writable {
  /** The response that got was given; got asks for it by this name. */
  res: IncomingMessage | undefined
  readonly #written: PassThrough | undefined
  /** All that are under way: a rejected one may still upload beside the next. */
  readonly #attempts = new Set<ClientRequest>()
  #attempt: ClientRequest | undefined
  #fail: ((error: Error) => void) | undefined
  #timeoutMs = 0
  /** A response that got must not see yet. */
  #held: IncomingMessage | undefined
  #writtenBytes = 0
  /** The most that an attempt has uploaded. */
  #uploadedBytes = 0
  /** Takes got's last piece. */
  #takePiece: (() => void) | undefined
  /** Takes got's end of the body. */
  #takeEnd: (() => void) | undefined

  constructor(written: PassThrough | undefined) {
    // Like a ClientRequest it is over with the response, and not with the upload.
    super({ autoDestroy: false })
    this.#written = written
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
    const opened = await open()
    // After an early end, a request without the credential is ended.
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
    let attemptBytes = 0
    const onPiece = (bytes: number): void => {
      attemptBytes += bytes
      this.#onUploaded(attemptBytes)
    }
    attempt.once('finish', () => this.#onUploaded(Infinity))
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
      uploadBody(attempt, body, onPiece).catch((error: unknown) => {
        attempt.destroy(plainError(error))
      })
    })
  }

  /** Reads and discards the response of the last attempt, and ends the attempt. */
  discard(response: IncomingMessage): void {
    if (this.#attempt) void discardResponse(this.#attempt, response)
  }

  /**
   * Gives got the response, once got has written a body that is sent from memory: it ends a request whose response is
   * there before the last piece, and the upload with it.
   */
  emitResponse(response: IncomingMessage): void {
    this.#held = response
    this.#takeUploaded()
    if (this.#written || this.writableFinished || this.#takeEnd) this.#release()
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

  /** Passes an event on; a listener that throws ends this request, and not the process. */
  #relay(event: string, values: unknown[]): void {
    try {
      this.emit(event, ...values)
    } catch (error) {
      this.destroy(plainError(error))
    }
  }

  #onUploaded(bytes: number): void {
    this.#uploadedBytes = Math.max(this.#uploadedBytes, bytes)
    this.#takeUploaded()
  }

  /** Takes from got what was uploaded, and all there is once the server has responded. */
  #takeUploaded(): void {
    if (this.#held || this.#uploadedBytes >= this.#writtenBytes) {
      const takePiece = this.#takePiece
      this.#takePiece = undefined
      takePiece?.()
    }
    if (this.#uploadedBytes === Infinity) {
      const takeEnd = this.#takeEnd
      this.#takeEnd = undefined
      takeEnd?.()
    }
  }

  override _write(
    chunk: Uint8Array,
    encoding: BufferEncoding,
    callback: (error?: Error | null) => void,
  ): void {
    if (this.#written) {
      if (this.#written.destroyed) callback()
      else this.#written.write(chunk, encoding, callback)
      return
    }
    this.#writtenBytes += chunk.byteLength
    this.#takePiece = callback
    this.#takeUploaded()
  }

  override _final(callback: () => void): void {
    this.#written?.end()
    this.#takeEnd = callback
    // A server may respond before it has read everything.
    if (this.#uploadedBytes < Infinity) this.#release()
    this.#takeUploaded()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#written?.destroy()
    this.#takePiece?.()
    // Without the error: a connection that is on its way back to the agent has no listener for one.
    for (const attempt of this.#attempts) attempt.destroy()
    this.#fail?.(error ?? hangUpError())
    callback(error)
  }
}
