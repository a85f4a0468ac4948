/* oxlint-disable typescript/no-unsafe-type-assertion -- undici takes headers in more forms than its types say */

import type { ReadonlyHeaders } from '@svc/types'
import type { Dispatcher } from 'undici'
import { headerError } from '../kernel/errors.ts'
import { OutgoingHeaders } from '../kernel/headers.ts'

/** Reads headers as undici takes them: a record, pairs, or names and values in turn. */
export function readDispatchHeaders(
  source: Dispatcher.DispatchOptions['headers'],
): OutgoingHeaders {
  if (!source) return OutgoingHeaders.read(undefined)
  const lines: [name: string, value: string][] = []
  for (const [name, value] of headerEntries(source)) {
    // As undici has it: undefined is left out, and an array is a line for each value.
    if (value === undefined) continue
    const values = Array.isArray(value) ? value : [value]
    for (const one of values) lines.push([headerText(name), headerText(one)])
  }
  return OutgoingHeaders.read(lines)
}

/** The headers of a response, which undici gives with their names in lower case. */
// A class: few schemes read any header, and each function of an object would be made for every response.
export class ResponseHeaders implements ReadonlyHeaders {
  readonly #lines: Readonly<Record<string, string | string[] | undefined>>

  constructor(lines: Readonly<Record<string, string | string[] | undefined>>) {
    this.#lines = lines
  }

  get(name: string): string | null {
    const value = this.#lines[name.toLowerCase()]
    return (Array.isArray(value) ? value.join(', ') : value) ?? null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const names = Object.keys(this.#lines)
    return names.map((name): [string, string] => [name, this.get(name) ?? ''])[Symbol.iterator]()
  }
}

type HeaderEntry = readonly [name: unknown, value: unknown]

function headerEntries(source: object): Iterable<HeaderEntry> {
  if (!isIterable(source)) return Object.entries(source)
  const items = [...source]
  if (Array.isArray(source) && !Array.isArray(source[0])) {
    if (items.length % 2 === 0) {
      return items.flatMap((name, index) => (index % 2 ? [] : [[name, items[index + 1]] as const]))
    }
  } else if (items.every((item) => Array.isArray(item) && item.length === 2)) {
    return items as HeaderEntry[]
  }
  throw headerError('a header has no name or no value')
}

function isIterable(source: object): source is Iterable<unknown> {
  return Symbol.iterator in source
}

function headerText(value: unknown): string {
  if (typeof value === 'string') return value
  if (['number', 'boolean', 'bigint'].includes(typeof value)) return String(value)
  if (value === null) return ''
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  throw headerError('a header has a value that is not text')
}
