import type { OutgoingBody } from '@svc/types'

/**
 * Returns the `Blob` of the runtime, which its `fetch` takes: that of a package may stand in the global place, as in
 * tests with a DOM.
 */
export function platformBlob(): typeof Blob {
  // Not imported, which would take a third of a millisecond each time that the package is loaded.
  const native: unknown = process.getBuiltinModule?.('node:buffer').Blob
  // The types of Node have it as a class of its own. Before Node 20.16 only the global one can be asked for.
  return (native as typeof Blob | undefined) ?? Blob
}

/** The size up to which a body may be held whole, or twice: 1 MiB. */
const maxKeptBytes = 1024 * 1024

/** Bun and Deno load this file too, and their `fetch` keeps nothing that it has sent. */
const isNode = !('Bun' in globalThis || 'Deno' in globalThis)

/**
 * Returns a `Blob` that is better sent as a stream with a length, since Node's `fetch` would hold all of it:
 * up to Node 24 as any body, in a tee of it; from Node 26 on in one array.
 */
export function streamLargeBlob(body: OutgoingBody | undefined): OutgoingBody | undefined {
  if (!isNode || !body?.replayable || body.inMemory) return undefined
  return Number(body.size) > maxKeptBytes ? body : undefined
}

/**
 * Returns the stream of a body with a `tee` that holds little. Up to Node 24 `fetch` tees every body for
 * a replay of its own, which without redirects never comes, and would hold all that it sent.
 *
 * A body that can be read again is read again; of a stream, a branch without a reader is given up.
 */
export function boundTee(
  stream: ReadableStream<Uint8Array>,
  again: (() => ReadableStream<Uint8Array>) | undefined,
): ReadableStream<Uint8Array> {
  if (!isNode) return stream
  const tee = (): Branches => (again ? [again(), stream] : teeWithBound(stream))
  return Object.defineProperty(stream, 'tee', { value: tee })
}

type Branches = [ReadableStream<Uint8Array>, ReadableStream<Uint8Array>]

function teeWithBound(stream: ReadableStream<Uint8Array>): Branches {
  let given = 0
  const bound = new TransformStream<Uint8Array, Uint8Array>(
    {
      transform(chunk, controller) {
        given += chunk.byteLength
        // A tee reads ahead once, before there is a reader.
        if (given > maxKeptBytes && branches.some(({ locked }) => locked)) {
          for (const branch of branches) {
            // It settles only when the other branch is done.
            if (!branch.locked) branch.cancel().catch(() => {})
          }
        }
        controller.enqueue(chunk)
      },
    },
    undefined,
    { highWaterMark: 0 },
  )
  const branches = stream.pipeThrough(bound).tee()
  return branches
}
