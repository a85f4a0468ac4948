import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type PassThrough, Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OutgoingBody } from '@svc/types'
import { redactClientRequest } from '../node/client-request.ts'
import { redactHttp2Request } from '../node/client-request.ts'
import { drain } from '../kernel/drain.ts'
import type { OutgoingHeaders } from '../kernel/headers.ts'

/**
 * What got asks of a request beside the response, told of by every attempt. Not an upgrade: got
 * always listens, and Node ends the connection only where nobody does.
 */
const relayed = ['socket', 'connect', 'continue', 'information', 'timeout']

/**
 * One hop as got sees it: a `ClientRequest` whose response is that of the last attempt. The attempts
 * themselves, and the credentials in them, are in nobody's reach.
 */
export class GotHop extends Writable {
  /** The response that got was given; got asks for it by this name. */
  res: IncomingMessage | undefined
  readonly #stream: PassThrough | undefined
  /** All that are under way: a refused one may still upload beside the next. */
  readonly #attempts = new Set<ClientRequest>()
  #attempt: ClientRequest | undefined
  #timeoutMs = 0
  #uploaded: (() => void) | undefined
  #isUploaded = false

  /** A body that got writes goes on into `stream`; without one, it is sent from memory. */
  constructor(stream: PassThrough | undefined) {
    // Like a ClientRequest it is over with the response, and not with the upload.
    super({ autoDestroy: false })
    this.#stream = stream
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
  async send(
    open: () => ClientRequest | PromiseLike<ClientRequest>,
    headers: OutgoingHeaders,
    body: OutgoingBody | undefined,
  ): Promise<IncomingMessage> {
    const attempt = await open()
    if (this.destroyed) {
      attempt.on('error', () => {}).destroy()
      throw hangUp()
    }
    this.#attempt = attempt
    this.#attempts.add(attempt)
    // Which only a request of `node:http` has.
    if ('_header' in attempt) redactClientRequest(attempt)
    else redactHttp2Request(attempt)
    // Not as options, which Node keeps on the sockets of a connection.
    for (const [name, value] of headers) attempt.setHeader(name, value)
    if (headers.has('expect')) attempt.flushHeaders()
    if (this.#timeoutMs > 0) attempt.setTimeout(this.#timeoutMs)
    for (const event of relayed) {
      attempt.on(event, (...values: unknown[]) => {
        if (attempt === this.#attempt) this.emit(event, ...values)
      })
    }
    attempt.once('finish', () => {
      this.#isUploaded = true
      this.#uploaded?.()
      // Another attempt sends the same body again, and got has heard of it.
      this.#uploaded = undefined
    })
    return new Promise((resolve, reject) => {
      let isAnswered = false
      // What breaks after the response is got's to see, on the response.
      attempt.on('error', reject)
      attempt.once('close', () => {
        this.#attempts.delete(attempt)
        if (!isAnswered) reject(hangUp())
      })
      attempt.once('response', (response: IncomingMessage) => {
        isAnswered = true
        resolve(response)
      })
      // A server may answer before it has read everything: then nobody hears of it.
      upload(attempt, body).catch(reject)
    })
  }

  /** Reads away the response of the last attempt, and ends the attempt. */
  async discard(response: IncomingMessage): Promise<void> {
    const attempt = this.#attempt
    // Node's own type of a web stream is another one than that of the web.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    await drain({ body: Readable.toWeb(response) as ReadableStream })
    // A server that has answered may never read the rest of an upload.
    if (!attempt?.writableFinished) attempt?.destroy()
  }

  /** Gives got the response. */
  respond(response: IncomingMessage): void {
    if (this.destroyed) return
    // It broke off while nobody listened.
    if (response.destroyed && !response.complete) {
      this.destroy(hangUp())
      return
    }
    this.res = response
    this.emit('response', response)
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
    if (this.#isUploaded) callback()
    else this.#uploaded = callback
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#stream?.destroy()
    for (const attempt of this.#attempts) attempt.destroy(error ?? undefined)
    callback(error)
  }
}

async function upload(attempt: ClientRequest, body: OutgoingBody | undefined): Promise<void> {
  if (!body) attempt.end()
  else if (body.inMemory) attempt.end(await body.bytes())
  else await pipeline(Readable.from(body.chunks(), { objectMode: false }), attempt)
}

// As Node says it, so that got's own rules about a retry hold.
function hangUp(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
}
