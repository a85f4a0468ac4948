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
  if (lines.length < 5) return undefined
  const headers = new Map<string, string>()
  for (const line of lines.slice(3, -2)) {
    if (line === '') continue
    const [name = ''] = line.split(':', 1)
    const value = line.slice(name.length + 1)
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before},${value}`)
  }
  const line = (index: number): string => lines.at(index) ?? ''
  return {
    method: line(0),
    path: line(1),
    query: line(2),
    headers,
    signedHeaders: line(-2),
    payloadHash: line(-1),
  }
}
