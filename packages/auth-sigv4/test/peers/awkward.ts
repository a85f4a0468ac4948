import fc from 'fast-check'

/** Every printable ASCII character but those that end the path or the query of a URL. */
const printable = Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index))
const inPath = printable.filter((character) => character !== '?' && character !== '#')
const inQuery = printable.filter((character) => character !== '#')

/** Stumbling blocks of signers: escapes of escapes, no UTF-8, half a surrogate pair, a `%` that is none. */
const escapes = [
  '%2520',
  '%2B',
  '%2b',
  '%2F',
  '%2f',
  '%41',
  '%20',
  '%7e',
  '%25',
  '%00',
  '%26',
  '%3D',
  '%C3%BC',
]
const brokenEscapes = ['%FF', '%ed%a0%80', '%', '%zz', '%4', '\ud800', '\udc00']
const unicode = ['ü', '你好', '😀', '\u00a0', '\ufeff', 'e\u0301', '\u{10ffff}']

const pathPiece = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...inPath) },
  { weight: 3, arbitrary: fc.constantFrom(...escapes) },
  { weight: 2, arbitrary: fc.constantFrom(...unicode) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('/', '//', '///', 'a/', '/b', 'a%2Fb', '%2F/', '%2e', '.'),
  },
  { weight: 1, arbitrary: fc.constantFrom(...brokenEscapes) },
)

/** The paths of URLs as users write them, from `/`; none has a dot segment, which is refused. */
export const awkwardPath: fc.Arbitrary<string> = fc
  .array(pathPiece, { maxLength: 12 })
  .map((pieces) => `/${pieces.join('')}`)
  .filter((path) => !hasDotSegment(new URL(`https://h${path}`).pathname))

const queryPiece = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...inQuery) },
  { weight: 4, arbitrary: fc.constantFrom(...escapes) },
  { weight: 3, arbitrary: fc.constantFrom(...unicode) },
  { weight: 1, arbitrary: fc.constantFrom(...brokenEscapes) },
)

const queryText = fc.array(queryPiece, { maxLength: 4 }).map((pieces) => pieces.join(''))
const parameter = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'B', 'a-b', 'a_b', 'a.', 'prefix', 'k0') },
      { weight: 6, arbitrary: queryText },
      { weight: 1, arbitrary: fc.constantFrom('', '__proto__', 'constructor', 'toString') },
    ),
    fc.constantFrom('=', '=', '=', ''),
    queryText,
  )
  .map(([name, equals, value]) => `${name}${equals}${equals && value}`)

/** Queries as users write them, with their `?`, or nothing. */
export const awkwardQuery: fc.Arbitrary<string> = fc
  .array(parameter, { maxLength: 4 })
  .map((parameters) => (parameters.length === 0 ? '' : `?${parameters.join('&')}`))

const headerPiece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'B', '0', '"c   d"', '=', ',', ';', '%41', '/') },
  { weight: 3, arbitrary: fc.constantFrom(' ', '   ', '\t', ' \t ') },
)

/** Values of headers: blanks of all sorts, in quotes too, and now and then what is not ASCII. */
export const awkwardHeaderValue: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(headerPiece, { maxLength: 6 }),
    fc.oneof(
      { weight: 12, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('é', '\u00a0', 'a\u0085b', 'ÿ') },
    ),
  )
  .map(([pieces, beyond]) => pieces.join('') + beyond)

/** Bodies: none, nothing, text, bytes. */
export const awkwardBody: fc.Arbitrary<string | Uint8Array<ArrayBuffer> | undefined> = fc.oneof(
  fc.constantFrom(undefined, '', 'text ü 😀', 'a\ud800b', '{"a":1}'),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => new Uint8Array(bytes)),
)

/** Tells if a server that decodes up to twice, takes `\\` for `/` and drops parameters finds one. */
function hasDotSegment(path: string): boolean {
  const decoded = (text: string): string =>
    text.replace(/%([\da-f]{2})/gi, (_escape, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return [path, decoded(path), decoded(decoded(path))]
    .flatMap((text) => text.split(/[/\\]/))
    .some((segment) => /^\.{1,2}$/.test(segment.split(';')[0] ?? ''))
}
