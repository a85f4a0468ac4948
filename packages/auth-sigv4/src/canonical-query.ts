/**
 * The order in which repeated values of a parameter are signed: `by-value`, sorted by value, as AWS specifies;
 * `wire-order`, in the order of the URL, as MinIO and Ceph do.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export type RepeatedParameters = 'by-value' | 'wire-order'

/** A path or a query as it is sent, and as it stands in the canonical request; a query without its `?`. */
export interface Canonical {
  readonly sent: string
  readonly canonical: string
}

/**
 * Writes a query, given with its `?`, in one form: every parameter as `name=value`, strictly encoded, in order of
 * names. Values of a repeated name keep their order on the wire, since it carries meaning.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#canonical-request
 */
export function canonicalQuery(search: string, repeated: RepeatedParameters): Canonical {
  if (search.length < 2) return { sent: '', canonical: '' }
  const parameters = readParameters(search.slice(1))
  // A stable sort: values of one name keep their order on the wire.
  sort(parameters, (a, b) => compareTexts(a.name, b.name))
  const sent = join(parameters)
  const isRepeated = parameters.some(({ name }, place) => name === parameters[place + 1]?.name)
  if (!isRepeated || repeated === 'wire-order') return { sent, canonical: sent }
  sort(parameters, (a, b) => compareTexts(a.name, b.name) || compareTexts(a.text, b.text))
  return { sent, canonical: join(parameters) }
}

/** A parameter, strictly encoded. */
interface Parameter {
  readonly name: string
  /** `name=value` */
  readonly text: string
}

/** Returns the parameters of a query in the order of the wire. */
function readParameters(query: string): Parameter[] {
  const encoded = uriEncode(query.includes('+') ? query.replaceAll('+', '%20') : query, '&=')
  const parameters: Parameter[] = []
  for (const piece of encoded.split('&')) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    const name = equals < 0 ? piece : piece.slice(0, equals)
    const isPair = equals >= 0 && !piece.includes('=', equals + 1)
    const value = piece.slice(name.length + 1)
    parameters.push({ name, text: isPair ? piece : `${name}=${value.replaceAll('=', '%3D')}` })
  }
  return parameters
}

function join(parameters: readonly Parameter[]): string {
  return parameters.map(({ text }) => text).join('&')
}

/** Compares by code units, which in ASCII is the order of bytes. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Up to this number of items an insertion sort is faster than V8's own. */
const few = 16

/** Sorts in place, and keeps the order of equals. Of few items V8's own sort takes 8 % of a signature. */
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

/**
 * Percent-encodes text that may be encoded already, byte for byte: what is escaped is read as its
 * byte, a `%` that begins no escape is a `%`, and every byte but the unreserved characters and those
 * of `kept` becomes `%XX` in upper case. Doing it twice changes nothing more.
 *
 * The text is a part of a parsed URL, hence ASCII.
 *
 * @param kept - The delimiters that stand for themselves. In a path an escaped slash is a slash, too.
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-2.3
 */
export function uriEncode(text: string, kept: '/' | '&=' | ''): string {
  const encoded = text.replace(unencoded[kept], encodeByte)
  return kept === '/' && encoded.includes('%2F') ? encoded.replaceAll('%2F', kept) : encoded
}

/** By the delimiters that are kept, the escapes and the characters that need one. */
const unencoded = {
  '': /%[\da-f]{2}|[^\w\-.~]/gi,
  '/': /%[\da-f]{2}|[^\w\-.~/]/gi,
  '&=': /%[\da-f]{2}|[^\w\-.~&=]/gi,
}

/** Returns a byte, given as itself or as its escape, as it stands in an encoded text. */
function encodeByte(found: string): string {
  const byte = found.length === 3 ? Number.parseInt(found.slice(1), 16) : found.charCodeAt(0)
  const character = String.fromCharCode(byte)
  return byte > 0xff || /[\w\-.~]/.test(character)
    ? character
    : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
