/**
 * The head of a request as it arrived on the socket, before anything parsed, decoded or merged it.
 *
 * Every string is a byte string: each character is one byte (Latin-1), as `node:http` provides them.
 */
export interface RawRequestHead {
  /** The method of the request line. */
  readonly method: string
  /** The path and query exactly as on the request line. */
  readonly target: string
  /** Every header line in order, with repeated names and their case kept. */
  readonly rawHeaders: readonly (readonly [name: string, value: string])[]
}

/** A request as it arrived on the socket, its head before anything parsed, decoded or merged it. */
export interface RawRequest extends RawRequestHead {
  /** The body, without transfer coding. */
  readonly body: Uint8Array
}

/** Splits a request target into its path and its query, without the `?`. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  // A proxy is sent the absolute form (RFC 9112, section 3.2.2), of which the path is signed.
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(target)?.[0] ?? ''
  const local = target.slice(origin.length)
  const mark = local.indexOf('?')
  if (mark === -1) return { path: local, query: '' }
  return { path: local.slice(0, mark), query: local.slice(mark + 1) }
}

/** Returns the values of one header in the order of the wire; `name` in lower case. */
export function headerValues(request: RawRequestHead, name: string): string[] {
  return request.rawHeaders
    .filter(([candidate]) => candidate.toLowerCase() === name)
    .map(([, value]) => value)
}

/** Returns one header, its values joined by `, `, or `undefined`; `name` in lower case. */
export function headerValue(request: RawRequestHead, name: string): string | undefined {
  const values = headerValues(request, name)
  return values.length === 0 ? undefined : values.join(', ')
}

/** Estimates the memory that a request without its body takes, in bytes. */
export function headBytes({ target, rawHeaders }: RawRequestHead): number {
  // Each header line is kept as it came and by its name.
  const lines = rawHeaders.reduce((sum, [name, value]) => sum + name.length + value.length + 100, 0)
  return 1024 + 2 * (target.length + lines)
}
