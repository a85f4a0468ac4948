import type { OutgoingBody, ReadonlyHeaders } from '@svc/types'
import { isHttpToken } from '../kit/checks.ts'
import { AuthError } from '../kit/errors.ts'

/** Headers to set; `null` removes one. */
type HeaderChanges = readonly (readonly [name: string, value: string | null])[]

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
    const headers = new OutgoingHeaders(new HeaderRecord())
    if (!source) return headers
    if (isIterable(source)) {
      for (const [name, value] of source) headers.#append(name, value)
    } else {
      for (const name in source) {
        // A record of the caller's: an inherited property was not meant as a header.
        if (Object.hasOwn(source, name)) headers.#append(name, source[name])
      }
    }
    return headers
  }

  get(name: string): string | null {
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
    const values: Record<string, string> = Object.assign(new HeaderRecord(), this.#values)
    for (const [name, value] of changes) {
      if (value === null) delete values[name.toLowerCase()]
      else values[checkedName(name)] = checkedValue(name, value)
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

/**
 * A record that inherits no name. V8 copies it ten times faster than one of `Object.create(null)`,
 * which it keeps as a dictionary.
 */
class HeaderRecord {
  [name: string]: string
}
Object.setPrototypeOf(HeaderRecord.prototype, null)
Reflect.deleteProperty(HeaderRecord.prototype, 'constructor')

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

function checkedName(name: string): string {
  if (!isHttpToken(name)) {
    throw new AuthError(
      'ERR_AUTH_HEADER',
      `[@svc/auth-hooks] ${JSON.stringify(name)} is not a valid header name`,
    )
  }
  return name.toLowerCase()
}

function checkedValue(name: string, value: unknown): string {
  const text = trim(String(value))
  // Header values are bytes: characters above Latin-1 have none, and a line break would end the header.
  if (/[\0\n\r]|[^\0-\xff]/.test(text)) {
    throw new AuthError(
      'ERR_AUTH_HEADER',
      `[@svc/auth-hooks] the value of the header ${name} cannot be sent: ` +
        'use only Latin-1 characters and no line breaks',
    )
  }
  return text
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
