import type { OutgoingBody } from '@svc/types'
import { bodyError } from '../kernel/errors.ts'
import { guardStream, releaseStream } from '../kernel/stream.ts'

/** A body that is in memory or in a `Blob`, and can be sent any number of times. */
export interface LightBody extends OutgoingBody {
  readonly source: Uint8Array<ArrayBuffer> | Blob
}

/** Copies a body. `fullOne` says in the message what takes any other. */
export function readLightBody(source: unknown, fullOne: string): LightBody | undefined {
  if (source === undefined || source === null) return undefined
  if (typeof source === 'string') return textBody(source, 'text/plain')
  if (source instanceof URLSearchParams) {
    return textBody(String(source), 'application/x-www-form-urlencoded')
  }
  if (ArrayBuffer.isView(source)) {
    return bytesBody(new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice())
  }
  if (source instanceof ArrayBuffer) return bytesBody(new Uint8Array(source.slice()))
  if (source instanceof Blob) {
    return {
      ...lightBody(source, source.size, async () => new Uint8Array(await source.arrayBuffer())),
      ...(source.type && { contentType: source.type }),
    }
  }
  // It will not be sent, and its failure must not end the process.
  guardStream(source)
  releaseStream(source)
  throw bodyError(`the body must be text, bytes, URLSearchParams or a Blob; ${fullOne} takes more`)
}

function textBody(text: string, type: string): LightBody {
  return {
    ...bytesBody(new TextEncoder().encode(text)),
    text,
    contentType: `${type};charset=UTF-8`,
  }
}

function bytesBody(bytes: Uint8Array<ArrayBuffer>): LightBody {
  return { ...lightBody(bytes, bytes.length, () => bytes), inMemory: true }
}

function lightBody(
  source: LightBody['source'],
  size: number,
  bytes: LightBody['bytes'],
): LightBody {
  return {
    source,
    size,
    replayable: true,
    bytes,
    async *chunks() {
      yield await bytes()
    },
  }
}
