import type { ReadonlyHeaders, ResponseHead } from '@svc/types'

/**
 * The head of a response of a client of Node's, and its headers, of which several values are in an array. A class that
 * reads nothing ahead: few schemes ask for any header. What is not sent is not checked.
 */
export class NodeHead implements ResponseHead, ReadonlyHeaders {
  readonly status: number
  readonly headers: ReadonlyHeaders = this
  readonly #given: object

  constructor(status: number, headers: object) {
    this.status = status
    this.#given = headers
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase()
    return [...this].find(([own]) => own === wanted)?.[1] ?? null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  *[Symbol.iterator](): Generator<[name: string, value: string], undefined> {
    for (const [name, value] of headerEntries(this.#given)) {
      yield [name.toLowerCase(), [value].flat().join(', ')]
    }
  }
}

/** Returns each line of headers of which several values are in an array. */
export function headerLines(
  headers: readonly (readonly [name: string, value: unknown])[],
): [name: string, value: string][] {
  return headers.flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  )
}

/** Returns the headers of a record of Node's: in HTTP/2, names that begin with a colon are none. */
export function headerEntries(headers: object = {}): [name: string, value: unknown][] {
  return Object.entries(headers).filter(
    ([name, value]: [string, unknown]) => value !== undefined && !name.startsWith(':'),
  )
}
