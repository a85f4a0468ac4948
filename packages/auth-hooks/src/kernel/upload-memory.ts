import type { OutgoingBody } from '@svc/types'

/** Returns nothing: outside Node `fetch` reads a `Blob` piece by piece itself. */
export function streamLargeBlob(_body: OutgoingBody | undefined): OutgoingBody | undefined {
  return undefined
}

/** Returns the stream itself: outside Node `fetch` keeps nothing that it has sent. */
export function boundTee(
  stream: ReadableStream<Uint8Array>,
  _again: (() => ReadableStream<Uint8Array>) | undefined,
): ReadableStream<Uint8Array> {
  return stream
}

/** Returns the `Blob` of the runtime. */
export function platformBlob(): typeof Blob {
  return Blob
}
