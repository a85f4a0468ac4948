import { Readable } from 'node:stream'
import type { BodyVerifier } from '@svc/emulator/verify'
import { ProxyRefusal } from './refusal.ts'

/** The most of a body that is held back until all of it was verified. */
const heldBytes = 64 * 1024

/** A body on its way to the service: whole if it is so small that all of it was held back. */
export type Upload =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'stream'; readonly stream: Readable }

/**
 * Reads the beginning of a body, and all of one of at most 64 KiB. A longer one becomes a stream that ends only
 * once the verifier agrees: it fails with a `ProxyRefusal` before its last 64 KiB, and the request with it.
 * `onBytes` counts what is passed on.
 */
export async function openUpload(
  source: Readable,
  verifier: BodyVerifier | undefined,
  onBytes: (bytes: number) => void,
): Promise<Upload> {
  const pieces = verifiedPieces(source, verifier)
  const hold = createHold(heldBytes)
  for (;;) {
    const next = await pieces.next()
    if (next.done) {
      const bytes = hold.take()
      onBytes(bytes.byteLength)
      return { kind: 'whole', bytes }
    }
    const released = hold.push(next.value)
    if (released.length > 0) {
      // Without these, a stream of an iterator counts its pieces, and reads sixteen of them ahead.
      const stream = Readable.from(holdBack(released, pieces, hold, onBytes), {
        objectMode: false,
        highWaterMark: heldBytes,
      })
      return { kind: 'stream', stream }
    }
  }
}

/**
 * Returns a body as it can be sent. Over HTTP/2, undici sends bytes with three methods alone: any other request
 * with bytes fails, and the next one would wait in vain.
 */
export function sendable(upload: Upload, method: string): Upload {
  if (upload.kind === 'stream' || upload.bytes.byteLength === 0) return upload
  if (/^(?:PATCH|POST|PUT)$/.test(method)) return upload
  return { kind: 'stream', stream: Readable.from([upload.bytes], { objectMode: false }) }
}

async function* holdBack(
  first: readonly Uint8Array[],
  pieces: AsyncIterable<Uint8Array>,
  hold: Hold,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const pass = function* (passed: readonly Uint8Array[]): Generator<Uint8Array> {
    for (const piece of passed) {
      onBytes(piece.byteLength)
      yield piece
    }
  }
  yield* pass(first)
  for await (const piece of pieces) yield* pass(hold.push(piece))
  yield* pass([hold.take()])
}

// Throws in place of ending where the body is not as signed.
async function* verifiedPieces(
  source: Readable,
  verifier: BodyVerifier | undefined,
): AsyncGenerator<Uint8Array> {
  // Its end is not that of the connection, which still takes the response.
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    const bytes: Uint8Array = chunk
    if (!verifier) yield bytes
    else {
      const pieces = verifier.write(bytes)
      assertBody(verifier.rejected)
      yield* pieces
    }
  }
  assertBody(verifier?.end())
}

function assertBody(rejected: BodyVerifier['rejected']): void {
  if (rejected) throw new ProxyRefusal(rejected.status, rejected.code, rejected.message)
}

/** Keeps the last bytes of a stream. */
interface Hold {
  /** Takes bytes in; returns those that are no longer among the last. */
  push(bytes: Uint8Array): Uint8Array[]
  /** Returns what is held, and holds nothing. */
  take(): Buffer
}

// A ring, since chunks may be a byte each, and every chunk kept is an object.
function createHold(size: number): Hold {
  let ring: Buffer | undefined
  let start = 0
  let used = 0
  const takeFirst = (count: number): Buffer => {
    const taken = Buffer.allocUnsafe(count)
    if (ring) {
      const untilEnd = ring.copy(taken, 0, start, Math.min(size, start + count))
      ring.copy(taken, untilEnd, 0, count - untilEnd)
    }
    start = (start + count) % size
    used -= count
    return taken
  }
  return {
    push(bytes) {
      const excess = Math.max(0, used + bytes.byteLength - size)
      const ofRing = Math.min(excess, used)
      const released: Uint8Array[] = ofRing > 0 ? [takeFirst(ofRing)] : []
      const passed = bytes.subarray(0, excess - ofRing)
      if (passed.byteLength > 0) released.push(passed)
      ring ??= Buffer.allocUnsafe(size)
      const kept = bytes.subarray(excess - ofRing)
      const at = (start + used) % size
      const untilEnd = kept.subarray(0, size - at)
      ring.set(untilEnd, at)
      ring.set(kept.subarray(untilEnd.byteLength), 0)
      used += kept.byteLength
      return released
    },
    take: () => takeFirst(used),
  }
}
