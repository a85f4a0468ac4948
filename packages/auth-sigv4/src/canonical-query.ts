/**
 * The order in which repeated values of a parameter are signed: `by-value`, sorted by value, as AWS specifies;
 * `wire-order`, in the order of the URL, as MinIO and Ceph do.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export type RepeatedParameters = 'by-value' | 'wire-order'

/** A query as it is sent, and as it stands in the canonical request; both without `?`. */
export interface CanonicalQuery {
  readonly sent: string
  readonly canonical: string
}

/**
 * Writes a query in one form: every parameter as `name=value`, strictly encoded, in order of names. Values
 * of a repeated name keep their order on the wire, since it carries meaning.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#canonical-request
 */
export function canonicalQuery(search: string, repeated: RepeatedParameters): CanonicalQuery {
  if (search.length < 2) return { sent: '', canonical: '' }
  const query = search.slice(1)
  const isEncoded = !unencodedQuery.test(query)
  const parameters: Parameter[] = []
  for (const piece of query.split('&')) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    const name = equals < 0 ? piece : piece.slice(0, equals)
    if (isEncoded && equals >= 0 && !piece.includes('=', equals + 1)) {
      parameters.push({ name, text: piece })
    } else {
      const encoded = encodeComponent(name)
      const value = equals < 0 ? '' : encodeComponent(piece.slice(equals + 1))
      parameters.push({ name: encoded, text: `${encoded}=${value}` })
    }
  }
  const sent = joinParameters(sort(parameters, byName))
  const isRepeated = parameters.some(({ name }, index) => parameters[index + 1]?.name === name)
  if (!isRepeated || repeated === 'wire-order') return { sent, canonical: sent }
  return { sent, canonical: joinParameters(sort(parameters, byNameAndValue)) }
}

interface Parameter {
  readonly name: string
  /** Name and value, as they are sent. */
  readonly text: string
}

function encodeComponent(text: string): string {
  return uriEncode(text.includes('+') ? text.replaceAll('+', '%20') : text, '')
}

function joinParameters(parameters: readonly Parameter[]): string {
  let query = ''
  for (const { text } of parameters) query += query === '' ? text : `&${text}`
  return query
}

function byName(a: Parameter, b: Parameter): number {
  return compareTexts(a.name, b.name)
}

function byNameAndValue(a: Parameter, b: Parameter): number {
  return compareTexts(a.name, b.name) || compareTexts(a.text, b.text)
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/**
 * Percent-encodes text that may be encoded already, byte for byte: what is escaped is read as its
 * byte, a `%` that begins no escape is a `%`, and every byte but the unreserved characters and those
 * of `kept` becomes `%XX` in upper case. Doing it twice changes nothing more.
 *
 * The text is a part of a parsed URL, hence ASCII.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-2.3
 */
export function uriEncode(text: string, kept: '/' | ''): string {
  if (!(kept ? unencodedPath : unencoded).test(text)) return text
  return text.replace(/%[\da-f]{2}|[^\w\-.~]/gi, (found) => {
    const byte = found.length === 3 ? Number.parseInt(found.slice(1), 16) : found.charCodeAt(0)
    return kept && byte === slash ? kept : (encodedBytes[byte] ?? found)
  })
}

const slash = 0x2f

/** Each byte as it stands in an encoded text. */
const encodedBytes = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  const isUnreserved = /[\w\-.~]/.test(character)
  return isUnreserved ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
})

/** Matches text that needs encoding: neither an unreserved character nor another byte's escape in upper case. */
const unencoded =
  /[^\w\-.~%]|%(?!(?:[01][\dA-F]|2[\dA-CF]|3[A-F]|40|5[B-E]|60|7[B-DF]|[89A-F][\dA-F]))/

/** Matches such text of a path, where a slash stands for itself. */
const unencodedPath =
  /[^\w\-.~%/]|%(?!(?:[01][\dA-F]|2[\dA-C]|3[A-F]|40|5[B-E]|60|7[B-DF]|[89A-F][\dA-F]))/

/** Matches such text of a query, where `=` and `&` stand between names and values. */
const unencodedQuery =
  /[^\w\-.~%=&]|%(?!(?:[01][\dA-F]|2[\dA-CF]|3[A-F]|40|5[B-E]|60|7[B-DF]|[89A-F][\dA-F]))/

/** Up to this number of items an insertion sort is faster than V8's own. */
const few = 16

/**
 * Sorts in place, and keeps the order of equals. Requests have few headers and parameters, and V8's own
 * sort sets aside 800 bytes for however few.
 */
export function sort<T>(items: T[], compare: (a: T, b: T) => number): T[] {
  if (items.length > few) return items.sort(compare)
  // All places are within the array.
  for (let next = 1; next < items.length; next += 1) {
    const item = items[next] as T
    let place = next
    for (; place > 0 && compare(items[place - 1] as T, item) > 0; place -= 1) {
      items[place] = items[place - 1] as T
    }
    items[place] = item
  }
  return items
}
