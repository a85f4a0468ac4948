import { emptyHash } from '../canonical-request.ts'
import type { Difference } from './diagnosis.ts'
import { headerHint } from './header-hint.ts'
import { pathHint, queryHint } from './target-hints.ts'
import { redact, redactQuery, utf8Bytes } from './text.ts'

/** The request as it is signed here. */
export interface ExpectedRequest {
  readonly parts: CanonicalParts
  /** The path as it is sent. */
  readonly sentPath: string
  /** The lines that cannot be compared, by header name or as `payload hash`. */
  readonly unknown: ReadonlySet<string>
}

/**
 * Returns the lines of two canonical requests that differ, each with its usual cause.
 *
 * @param isExact - `true` if the actual one is a byte string; else it may be the text of such bytes.
 */
export function compareCanonicalRequests(
  request: ExpectedRequest,
  actual: CanonicalParts,
  isExact: boolean,
): Difference[] {
  const differences: Difference[] = []
  const { parts: expected, sentPath, unknown } = request
  const compare = (
    line: string,
    left: string | undefined,
    right: string | undefined,
    hint: (expected: string, actual: string) => string,
    shown: (value: string) => string = (value) => value,
  ): void => {
    // An empty header and none are two things, though they look the same.
    if (left === right || (!isExact && right && left === utf8Bytes(right))) return
    const isLossy = !isExact && right?.includes('\ufffd')
    const doubt = isLossy
      ? ' The response cannot show all of this line, so the two may be equal.'
      : ''
    const [ours, theirs] = [left ?? '', right ?? '']
    const cause = hint(ours, theirs) + doubt
    differences.push({ line, ours: shown(ours), theirs: shown(theirs), hint: cause })
  }

  compare('method', expected.method, actual.method, methodHint)
  compare('path', expected.path, actual.path, (ours, theirs) =>
    pathHint(ours, theirs, sentPath, expected.headers.get('host') ?? ''),
  )
  compare('query', expected.query, actual.query, queryHint, redactQuery)
  for (const name of [...new Set([...expected.headers.keys(), ...actual.headers.keys()])].sort()) {
    if (unknown.has(name)) continue
    const [left, right] = [expected.headers.get(name), actual.headers.get(name)]
    compare(
      `header ${name}`,
      left,
      right,
      () => headerHint(name, left, right),
      (value) => redact(name, value),
    )
  }
  compare(
    'signed headers',
    known(expected.signedHeaders, unknown),
    known(actual.signedHeaders, unknown),
    () =>
      'The list comes from the signature that arrived: it was made for a different request than the one given here, or with different options (signHeaders), or on the way.',
  )
  if (!unknown.has('payload hash')) {
    compare('payload hash', expected.payloadHash, actual.payloadHash, payloadHint)
  }
  return differences
}

function known(signedHeaders: string, unknown: ReadonlySet<string>): string {
  return signedHeaders
    .split(';')
    .filter((name) => !unknown.has(name))
    .join(';')
}

function methodHint(expected: string, actual: string): string {
  if (expected.toUpperCase() === actual.toUpperCase()) {
    return 'The method differs only in case; methods are case-sensitive, and usually uppercase.'
  }
  if (expected === 'GET') return `It was sent with ${actual}: pass its init.`
  return actual === 'GET'
    ? 'A redirect or something on the way, such as a cache, turned the request into a GET.'
    : 'Something on the way, such as a method override, changes the method.'
}

/** Explains why a payload hash is another one. */
export function payloadHint(expected: string, actual: string): string {
  const isHash = (hash: string): boolean => /^[\da-f]{64}$/.test(hash)
  if (actual === emptyHash) {
    return 'The server saw no body: it was dropped on the way, for example by a redirect or a proxy.'
  }
  if (actual === '') return 'The server has no payload hash: x-amz-content-sha256 did not arrive.'
  if (expected === emptyHash && isHash(actual)) {
    return 'The server saw a body, but none is given here.'
  }
  if (!isHash(expected) || !isHash(actual)) {
    return 'The body is signed differently (the payload option or x-amz-content-sha256): this is not the request that was sent, or something on the way changes the header.'
  }
  return 'The body changed on the way (for example, it was compressed or re-serialized as JSON), or the one given here is not the one that was sent.'
}

/** The line that stands for the canonical request. */
export const hashLine = 'canonical request hash'

/**
 * Returns the lines of two strings to sign that differ; `undefined` where the actual one is none.
 *
 * @param isShown - `true` if the server shows its canonical request as well, and it is the expected one.
 */
export function compareStringsToSign(
  expected: string,
  actual: string,
  isShown: boolean,
): Difference[] | undefined {
  const expectedLines = stringToSignLines(expected)
  const actualLines = stringToSignLines(actual)
  if (!expectedLines || !actualLines) return undefined
  const differences: Difference[] = []
  for (const [line, left] of expectedLines) {
    const right = actualLines.get(line) ?? ''
    // A presigned URL has no hash of ours.
    if (left === right || (line === hashLine && left === '')) continue
    differences.push({ line, ours: left, theirs: right, hint: scopeHint(line, right, isShown) })
  }
  return differences
}

function stringToSignLines(stringToSign: string): Map<string, string> | undefined {
  const [algorithm = '', date = '', scope = '', hash, ...rest] = stringToSign.split('\n', 6)
  if (hash === undefined || rest.some((line) => line.trim() !== '')) return undefined
  const [scopeDate = '', region = '', service = '', end = ''] = scope.split('/')
  return new Map(
    Object.entries({
      algorithm,
      date,
      'scope date': scopeDate,
      region,
      service,
      'scope end': end,
      [hashLine]: hash.trim(),
    }),
  )
}

function scopeHint(line: string, actual: string, isShown: boolean): string {
  const hints: Readonly<Record<string, string>> = {
    algorithm:
      'The server expects a different kind of signature; this package creates AWS4-HMAC-SHA256.',
    date: 'The server used a different date: x-amz-date was changed on the way, or the server reads the Date header instead.',
    'scope date':
      'The day in the credential scope does not match the date: one of the two was changed on the way.',
    region: `The server signs for a different region: use region: '${actual}'.`,
    service: `The server signs for a different service: use service: '${actual}'.`,
    'scope end':
      'The credential scope ends differently; the server follows another version of the signature.',
    [hashLine]: isShown
      ? 'The server hashes a different canonical request than the one it shows.'
      : 'The canonical requests differ, but the server does not show its own.',
  }
  return hints[line] ?? ''
}

/** A canonical request, taken apart again. */
export interface CanonicalParts {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: ReadonlyMap<string, string>
  readonly signedHeaders: string
  readonly payloadHash: string
}

/** Takes a canonical request apart, ours or a server's; `undefined` where it is none. */
export function canonicalParts(canonicalRequest: string): CanonicalParts | undefined {
  const lines = canonicalRequest.trimEnd().split('\n')
  if (lines.length < 5) return undefined
  // The last line but one names the headers, unless the hash behind it is empty and was trimmed.
  if (lines.at(-2) === '' && lines[3] !== '') lines.push('')
  const headers = new Map<string, string>()
  for (const line of lines.slice(3, -2)) {
    if (line === '') continue
    const [name = ''] = line.split(':', 1)
    const value = line.slice(name.length + 1)
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before},${value}`)
  }
  const line = (index: number): string => lines.at(index) ?? ''
  return {
    method: line(0),
    path: line(1),
    query: line(2),
    headers,
    signedHeaders: line(-2),
    payloadHash: line(-1),
  }
}
