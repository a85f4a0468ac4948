import type { OutgoingBody } from '@svc/types'
import { bodyError } from '../kernel/errors.ts'
import { guardStream, releaseStream } from '../kernel/stream.ts'

type Source = string | Uint8Array<ArrayBuffer> | Blob

/** A body that is in memory or in a `Blob`, and can be sent any number of times. */
export class LightBody implements OutgoingBody {
  readonly replayable = true
  readonly source: Source
  readonly text?: string
  readonly inMemory: boolean
  readonly contentType?: string
  #bytes: Uint8Array | undefined

  constructor(source: Source, contentType?: string) {
    this.source = source
    if (typeof source === 'string') this.text = source
    this.inMemory = !(source instanceof Blob)
    if (contentType) this.contentType = contentType
  }

  get size(): number {
    const { source } = this
    return source instanceof Blob ? source.size : this.#inMemory(source).length
  }

  readonly bytes = (): Uint8Array | Promise<Uint8Array> => {
    const { source } = this
    return source instanceof Blob
      ? source.arrayBuffer().then((buffer) => new Uint8Array(buffer))
      : this.#inMemory(source)
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    yield await this.bytes()
  }

  #inMemory(source: string | Uint8Array): Uint8Array {
    return typeof source === 'string' ? (this.#bytes ??= new TextEncoder().encode(source)) : source
  }
}

/** Copies a body. `fullOne` says in the message what takes any other. */
export function readLightBody(source: unknown, fullOne: string): LightBody | undefined {
  if (source === undefined || source === null) return undefined
  if (typeof source === 'string') return new LightBody(source, 'text/plain;charset=UTF-8')
  if (source instanceof URLSearchParams) {
    return new LightBody(String(source), 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  if (ArrayBuffer.isView(source)) {
    return new LightBody(
      new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice(),
    )
  }
  if (source instanceof ArrayBuffer) return new LightBody(new Uint8Array(source.slice()))
  if (source instanceof Blob) return new LightBody(source, source.type)
  // It will not be sent, and its failure must not end the process.
  guardStream(source)
  releaseStream(source)
  throw bodyError(`the body must be text, bytes, URLSearchParams or a Blob; ${fullOne} takes more`)
}
