import type { OutgoingBody, ReadonlyHeaders } from '@svc/types'
import { isHttpToken } from '../kit/checks.ts'
import { AuthError } from '../kit/errors.ts'

/** Headers to set; `null` removes one. */
type HeaderChanges = readonly (readonly [name: string, value: string | null])[]

/**
 * A record that inherits no name. V8 copies it ten times faster than one of `Object.create(null)`,
 * which it keeps as a dictionary.
 */
const HeaderRecord = /* @__PURE__ */ (() => {
  class EmptyRecord {
    [name: string]: string
  }
  Object.setPrototypeOf(EmptyRecord.prototype, null)
  Reflect.deleteProperty(EmptyRecord.prototype, 'constructor')
  return EmptyRecord
})()

/** Those of most requests; nothing changes them. Made when first needed, so that bundles leave out what nobody uses. */
let none: OutgoingHeaders | undefined

/**
 * Headers as a plain record with names in lower case: a `Headers` costs a fifth of a signed request.
 * Names, values and repeated headers are read by the rules of the fetch standard.
 *
 * @see https://fetch.spec.whatwg.org/#concept-headers-fill
 */
export class OutgoingHeaders implements ReadonlyHeaders {
  readonly #values: Record<string, string>

  private constructor(values: Record<string, string>) {
    this.#values = values
  }

  /** Reads headers as `fetch` takes them. Throws `ERR_AUTH_HEADER` for those that cannot be sent. */
  static read(source: RequestInit['headers'] | ReadonlyHeaders): OutgoingHeaders {
    if (!source) return (none ??= new OutgoingHeaders(new HeaderRecord()))
    const headers = new OutgoingHeaders(new HeaderRecord())
    if (typeof source !== 'object')
      throw headerError('headers must be a Headers, a record or pairs')
    if (isIterable(source)) {
      for (const pair of source) {
        const [name, value] = assertPair(pair)
        headers.#append(name, value)
      }
    } else {
      for (const name in source) {
        // A record of the caller's: an inherited property was not meant as a header.
        if (Object.hasOwn(source, name)) headers.#append(name, source[name])
      }
    }
    return headers
  }

  get(name: string): string | null {
    if (this === none) return null
    return this.#values[name] ?? this.#values[name.toLowerCase()] ?? null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return Object.entries(this.#values)[Symbol.iterator]()
  }

  /** Returns a copy with some headers set, and those removed whose value is `null`. */
  with(changes: HeaderChanges): OutgoingHeaders {
    return new OutgoingHeaders(this.toRecord(changes))
  }

  /** Returns a copy without the headers that a test picks out. */
  without(unwanted: (name: string) => boolean): OutgoingHeaders {
    const names = Object.keys(this.#values).filter(unwanted)
    return this.with(names.map((name) => [name, null]))
  }

  /** Returns a plain record of its own, as `fetch` takes it, with some headers set or removed. */
  toRecord(changes: HeaderChanges = []): Record<string, string> {
    const values: Record<string, string> = new HeaderRecord()
    if (this !== none) Object.assign(values, this.#values)
    for (const [name, value] of checkedChanges(changes)) {
      if (value === null) delete values[name]
      else values[name] = value
    }
    return values
  }

  #append(name: string, value: unknown): void {
    const key = checkedName(name)
    const text = checkedValue(name, value)
    // Node's `fetch` drops it from a record, so that it must not be signed either.
    if (key === '__proto__') return
    const earlier = this.#values[key]
    const separator = key === 'cookie' ? ';' : ','
    // Not trimmed as a whole, which would read all that came before with each that is added.
    const more = text === '' ? separator : `${separator} ${text}`
    this.#values[key] = earlier === undefined ? text : earlier + more
  }
}

function isIterable(
  source: Exclude<RequestInit['headers'], undefined> | ReadonlyHeaders,
): source is Extract<typeof source, Iterable<unknown>> {
  return Symbol.iterator in source
}

function trim(text: string): string {
  // Hardly any value begins or ends with a blank.
  if (text.charCodeAt(0) > 0x20 && text.charCodeAt(text.length - 1) > 0x20) return text
  // Not by one pattern, which takes the square of the length for blanks in the middle.
  let end = text.length
  while (/[\t\n\r ]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end).replace(/^[\t\n\r ]+/, '')
}

function assertPair(pair: unknown): [name: string, value: unknown] {
  if (Array.isArray(pair) && pair.length === 2) return pair as [string, unknown]
  throw headerError('each pair of headers must be an array of a name and a value')
}

/** Changes that nobody can change any more, as those of a token are, with what was made of them. */
const frozenChanges = new WeakMap<HeaderChanges, HeaderChanges>()

/** Tells if a value is headers to set or remove, as a scheme gives them. */
export function areHeaderChanges(value: unknown): value is HeaderChanges {
  return Array.isArray(value) && (frozenChanges.has(value) || value.every(isHeaderChange))
}

function isHeaderChange(header: unknown): boolean {
  return (
    Array.isArray(header) &&
    typeof header[0] === 'string' &&
    (typeof header[1] === 'string' || header[1] === null)
  )
}

/** Returns changes with their names in lower case and their values trimmed. */
function checkedChanges(changes: HeaderChanges): HeaderChanges {
  if (changes.length === 0) return changes
  const known = frozenChanges.get(changes)
  if (known) return known
  const checked = changes.map(checkedChange)
  if (Object.isFrozen(changes) && changes.every((change) => Object.isFrozen(change)))
    frozenChanges.set(changes, checked)
  return checked
}

function checkedChange([name, value]: HeaderChanges[number]): HeaderChanges[number] {
  return value === null
    ? [name.toLowerCase(), null]
    : [checkedName(name), checkedValue(name, value)]
}

function checkedName(name: string): string {
  if (isHttpToken(name)) return name.toLowerCase()
  // What follows may be a value.
  const token = /^[\w-]*/.exec(String(name))?.[0]
  throw headerError(`a header name that begins with "${token}" is not valid`)
}

function checkedValue(name: string, value: unknown): string {
  const text = trim(typeof value === 'string' ? value : textOf(name, value))
  // Header values are bytes, and not every transport takes a control character: some throw late.
  const isSendable = /^[\x20-\x7e]*$/.test(text) || !/[^\t\x20-\x7e\x80-\xff]/.test(text)
  if (!isSendable) {
    throw headerError(
      `the value of the header ${name} cannot be sent: use only Latin-1 characters and no control characters`,
    )
  }
  return text
}

function textOf(name: string, value: unknown): string {
  try {
    if (typeof value !== 'symbol') return String(value)
  } catch {
    // Its own error may show the value.
  }
  throw headerError(`the value of the header ${name} is not text`)
}

function headerError(description: string): AuthError {
  return new AuthError('ERR_AUTH_HEADER', `[@svc/auth-hooks] ${description}`)
}

/** Returns the length of a body as a header to set; one whose length is not known has none. */
export function contentLength({
  size,
}: Pick<OutgoingBody, 'size'>): readonly [name: string, value: string | null] {
  return ['content-length', size === undefined ? null : `${size}`]
}

/** Returns headers with the content type that a body brings, if the caller named none. */
export function withContentType(
  headers: OutgoingHeaders,
  body: Pick<OutgoingBody, 'contentType'> | undefined,
): OutgoingHeaders {
  if (!body?.contentType || headers.has('content-type')) return headers
  return headers.with([['content-type', body.contentType]])
}
