import type { OutgoingBody, ReadonlyHeaders } from '@svc/types'
import { isHttpToken } from '../kit/checks.ts'
import { headerError } from '../kit/errors.ts'

/** Headers to set; `null` removes one. */
type HeaderChanges = readonly (readonly [name: string, value: string | null])[]

/** Those of most requests, which wait for their response in thousands. */
let none: OutgoingHeaders | undefined

/**
 * Headers by their names in lower case: a `Headers` costs a fifth of a signed request. Names, values and repeated
 * headers are read by the rules of the fetch standard.
 *
 * @see https://fetch.spec.whatwg.org/#concept-headers-fill
 */
export class OutgoingHeaders implements ReadonlyHeaders {
  readonly #values: Map<string, string>

  private constructor(values: Map<string, string>) {
    this.#values = values
  }

  /** Reads headers as `fetch` takes them. Throws `ERR_AUTH_HEADER` for those that cannot be sent. */
  static read(source: RequestInit['headers'] | ReadonlyHeaders): OutgoingHeaders {
    if (!source) return (none ??= new OutgoingHeaders(new Map()))
    const headers = new OutgoingHeaders(new Map())
    if (typeof source !== 'object')
      throw headerError('headers must be a Headers, a record or pairs')
    // Of a record only own names: an inherited property was not meant as a header.
    const pairs: Iterable<unknown> = Symbol.iterator in source ? source : Object.entries(source)
    for (const pair of pairs) headers.#append(...assertPair(pair))
    return headers
  }

  get(name: string): string | null {
    return this.#values.get(name) ?? this.#values.get(name.toLowerCase()) ?? null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.#values[Symbol.iterator]()
  }

  /** Returns a copy with some headers set, and those removed whose value is `null`. */
  with(changes: HeaderChanges): OutgoingHeaders {
    const values = new Map(this.#values)
    for (const [name, value] of changes) {
      if (value === null) values.delete(name.toLowerCase())
      else values.set(checkedName(name), checkedValue(name, value))
    }
    return new OutgoingHeaders(values)
  }

  without(isUnwanted: (name: string) => boolean): OutgoingHeaders {
    return new OutgoingHeaders(new Map([...this].filter(([name]) => !isUnwanted(name))))
  }

  /**
   * Returns a plain record of its own, as `fetch` takes it, with some headers set or removed. `body` is sent in place of
   * the one whose length the caller named.
   */
  toRecord(changes: HeaderChanges = [], body?: Pick<OutgoingBody, 'size'>): Record<string, string> {
    const record: Record<string, string> = {}
    for (const [name, value] of this.#values) record[name] = value
    const length = body?.size === undefined ? null : `${body.size}`
    for (const [name, value] of body
      ? [...changes, ['content-length', length] as const]
      : changes) {
      if (value === null) delete record[name.toLowerCase()]
      else record[checkedName(name)] = checkedValue(name, value)
    }
    return record
  }

  #append(name: string, value: unknown): void {
    const key = checkedName(name)
    const text = checkedValue(name, value)
    // Node's `fetch` drops it from a record, so that it must not be signed either.
    if (key === '__proto__') return
    const earlier = this.#values.get(key)
    const separator = key === 'cookie' ? ';' : ','
    // Not trimmed as a whole, which would read all that came before with each that is added.
    const more = text === '' ? separator : `${separator} ${text}`
    this.#values.set(key, earlier === undefined ? text : earlier + more)
  }
}

function trim(text: string): string {
  // Hardly any value begins or ends with a blank.
  if (text.charCodeAt(0) > 0x20 && text.charCodeAt(text.length - 1) > 0x20) return text
  // In linear time, whatever blanks are in the middle.
  return /^[\t\n\r ]*(.*[^\t\n\r ])?/s.exec(text)?.[1] ?? ''
}

function assertPair(pair: unknown): [name: string, value: unknown] {
  if (Array.isArray(pair) && pair.length === 2) return pair as [string, unknown]
  throw headerError('each pair of headers must be an array of a name and a value')
}

export function areHeaderChanges(value: unknown): value is HeaderChanges {
  if (!Array.isArray(value)) return false
  return value.every((header: unknown) => {
    if (!Array.isArray(header)) return false
    const [name, given]: unknown[] = header
    return typeof name === 'string' && (typeof given === 'string' || given === null)
  })
}

function checkedName(name: string): string {
  if (isHttpToken(name)) return name.toLowerCase()
  // What follows may be a value.
  const token = /^[\w-]*/.exec(String(name))?.[0]
  throw headerError(`a header name that begins with "${token}" is not valid`)
}

function checkedValue(name: string, value: unknown): string {
  const text = trim(typeof value === 'string' ? value : textOf(name, value))
  if (!isSendable(text)) {
    throw headerError(
      `the value of the header ${name} cannot be sent: use only Latin-1 characters and no control characters`,
    )
  }
  return text
}

/** Tells if a value can be sent: header values are bytes, and some transports throw late for a control character. */
export function isSendable(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value) || !/[^\t\x20-\x7e\x80-\xff]/.test(value)
}

function textOf(name: string, value: unknown): string {
  try {
    if (typeof value !== 'symbol') return String(value)
  } catch {
    // Its own error may show the value.
  }
  throw headerError(`the value of the header ${name} is not text`)
}

/** Returns headers with the content type that a body brings, if the caller named none. */
export function withContentType(
  headers: OutgoingHeaders,
  body: Pick<OutgoingBody, 'contentType'> | undefined,
): OutgoingHeaders {
  if (!body?.contentType || headers.has('content-type')) return headers
  return headers.with([['content-type', body.contentType]])
}
