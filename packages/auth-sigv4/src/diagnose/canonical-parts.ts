/** A canonical request, taken apart again. */
export interface CanonicalParts {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: ReadonlyMap<string, string>
  readonly signedHeaders: string
  readonly payloadHash: string
}

/** Takes a canonical request apart, ours or a server's; `undefined` where it is none. */
export function canonicalParts(canonicalRequest: string): CanonicalParts | undefined {
  const lines = canonicalRequest.trimEnd().split('\n')
  const [method = '', path = '', query = '', ...rest] = lines
  const payloadHash = rest.pop()
  const signedHeaders = rest.pop()
  if (payloadHash === undefined || signedHeaders === undefined) return undefined
  const headers = new Map<string, string>()
  for (const line of rest) {
    if (line === '') continue
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1)
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before},${value}`)
  }
  return { method, path, query, headers, signedHeaders, payloadHash }
}
