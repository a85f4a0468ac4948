import type { Authorization, ReadonlyHeaders } from '@svc/types'
import { headerError } from '../kernel/errors.ts'
import { isSendable } from '../kernel/headers.ts'
import { isHttpToken } from '../kit/checks.ts'

/** Headers by their names in lower case. A `Headers` for each attempt would cost a third of a call. */
export class LightHeaders implements ReadonlyHeaders {
  readonly #values: ReadonlyMap<string, string>

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.#values.entries()
  }

  /** Returns a record of its own, with some headers set or removed. */
  with(changes: Authorization['headers']): Record<string, string> {
    const record = Object.fromEntries(this.#values)
    for (const [name, value] of changes) {
      if (value === null) delete record[name.toLowerCase()]
      else record[name.toLowerCase()] = checked(name, value)
    }
    return record
  }
}

/** Copies headers as `fetch` reads them. */
export function readHeaders(given: RequestInit['headers']): Map<string, string> {
  if (!given) return new Map()
  let headers: Headers
  try {
    headers = new Headers(given)
  } catch {
    // The platform's own error would show the value.
    throw unsendable()
  }
  return new Map(Array.from(headers, ([name, value]) => [name, checked(name, value)]))
}

function checked(name: string, value: string): string {
  if (isHttpToken(name) && isSendable(value)) return value
  throw unsendable()
}

function unsendable(): Error {
  return headerError('a header has a name or a value that cannot be sent')
}
