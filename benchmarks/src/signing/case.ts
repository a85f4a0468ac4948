/** A request that every contender signs. */
export interface SigningCase {
  readonly name: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** The origin of these requests; nothing is sent there. */
export const origin = 'https://search.example.com'

/** The requests of the page. */
export const signingCases: readonly SigningCase[] = [
  {
    name: 'GET with a query',
    method: 'GET',
    url: `${origin}/V1/objects/report?prefix=abc&limit=10`,
    headers: {},
  },
  {
    name: 'POST of 1 KB',
    method: 'POST',
    url: `${origin}/V1/objects/search`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'q'.repeat(1012) }),
  },
  {
    name: 'PUT of 1 MiB',
    method: 'PUT',
    url: `${origin}/V1/reports/large.bin`,
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(1024 ** 2).fill(97),
  },
]
