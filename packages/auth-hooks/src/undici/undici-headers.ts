import type { ReadonlyHeaders } from '@svc/types'
import type { Dispatcher } from 'undici'
import { AuthError } from '../kit/errors.ts'
import { OutgoingHeaders } from '../kernel/headers.ts'

/**
 * Reads what undici takes as headers: a record, pairs, or names and values in turn.
 *
 * @throws AuthError `ERR_AUTH_HEADER`
 */
export function readHeaders(source: Dispatcher.DispatchOptions['headers']): OutgoingHeaders {
  const lines: [name: string, value: string][] = []
  for (const [name, value] of source ? entries(source) : []) {
    // As undici has it: what is undefined is left out, and an array is a line for each value.
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) lines.push([text(name), text(one)])
  }
  return OutgoingHeaders.read(lines)
}

/** The headers of a response, which undici gives with their names in lower case. */
export function responseHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ReadonlyHeaders {
  const get = (name: string): string | null => {
    const value = headers[name.toLowerCase()]
    return (Array.isArray(value) ? value.join(', ') : value) ?? null
  }
  const all = (): [string, string][] => Object.keys(headers).map((name) => [name, get(name) ?? ''])
  return {
    get,
    has: (name) => get(name) !== null,
    [Symbol.iterator]: () => all()[Symbol.iterator](),
  }
}

type Entry = readonly [name: unknown, value: unknown]

function entries(source: object): Iterable<Entry> {
  if (!isIterable(source)) return Object.entries(source)
  const items = [...source]
  if (Array.isArray(source) && !Array.isArray(source[0])) {
    if (items.length % 2 === 0) {
      return items.flatMap((name, index) => (index % 2 ? [] : [[name, items[index + 1]] as const]))
    }
  } else if (items.every((item) => Array.isArray(item) && item.length === 2)) {
    return items as Entry[]
  }
  throw new AuthError('ERR_AUTH_HEADER', '[@svc/auth-hooks] a header has no name or no value')
}

function isIterable(source: object): source is Iterable<unknown> {
  return Symbol.iterator in source
}

function text(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
    case 'bigint':
      return `${value}`
  }
  if (value === null) return ''
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  throw new AuthError('ERR_AUTH_HEADER', '[@svc/auth-hooks] a header has a value that is not text')
}
