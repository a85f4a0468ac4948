/**
 * Whether `fetch` sends a stream with a length here, and not with `transfer-encoding: chunked`, which
 * object stores refuse.
 *
 * workerd does it for a `FixedLengthStream`; Node and Bun do it where `content-length` is set. Deno,
 * which calls itself Node as well, and browsers drop that header.
 */
export function sendsStreamsWithLength(runtime: object = globalThis): boolean {
  // What tells them apart, each of which may be missing.
  const { Deno, FixedLengthStream, process } = runtime as {
    Deno?: unknown
    FixedLengthStream?: unknown
    process?: { type?: string; versions?: { node?: string } }
  }
  if (FixedLengthStream) return true
  // A window of Electron has Node beside the `fetch` of Chromium.
  return !Deno && process?.type !== 'renderer' && process?.versions?.node !== undefined
}
