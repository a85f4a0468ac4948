import { percentDecode } from '@svc/auth-hooks/scheme'
import { canonicalQuery, uriEncode } from '../canonical-query.ts'

/** Something that happens to requests on the way, or in a server. */
interface Rewriting {
  readonly apply: (text: string) => string
  /** Its effect, as the end of "on the way something …". */
  readonly effect: string
}

/** Explains a difference by a rewriting; `undefined` where none makes it. */
function rewritingHint(
  expected: string,
  actual: string,
  rewritings: readonly Rewriting[],
): string | undefined {
  const found = rewritings.find(({ apply }) => apply(expected) === actual)
  return found && `On the way, or in the server, something ${found.effect}.`
}

/** Rewritings of paths and of queries alike. */
const plusRewritings: readonly Rewriting[] = [
  { apply: (text) => text.replaceAll('%2B', '%20'), effect: 'reads + as a space' },
  {
    apply: (text) => text.replaceAll('%20', '%2B'),
    effect: 'writes a space as +, which is then read as a plus sign',
  },
]

/** Encodes what is encoded already. */
const encodedAgain: Rewriting = {
  apply: (text) => text.replaceAll('%', '%25'),
  effect: 'percent-encodes what is already encoded (so it is encoded twice)',
}

const decodedOnce: Rewriting = {
  apply: (path) => uriEncode(percentDecode(path), '/'),
  effect: 'decodes the path and forwards it decoded (so it is decoded twice)',
}

const pathRewritings: readonly Rewriting[] = [
  encodedAgain,
  decodedOnce,
  ...plusRewritings,
  { apply: (path) => path.replace(/\/{2,}/g, '/'), effect: 'collapses repeated slashes' },
  { apply: (path) => new URL(`http://h${path}`).pathname, effect: 'resolves dot segments' },
  { apply: (path) => path.replace(/\/$/, ''), effect: 'removes the trailing slash' },
  { apply: (path) => (path.endsWith('/') ? path : `${path}/`), effect: 'adds a trailing slash' },
]

/**
 * Explains why the path of a canonical request is another one.
 *
 * @param sent - Our path as it is sent.
 */
export function pathHint(expected: string, actual: string, sent: string, host: string): string {
  if (actual === sent) {
    return "The server encodes the path once, but it is signed here encoded twice: use pathEncoding: 's3'."
  }
  // One layer of a path that is signed encoded twice tells nothing, and its slashes are those of the signature.
  const isDouble = expected !== sent
  const [from, to] = isDouble ? [encodedOnce(expected), encodedOnce(actual)] : [expected, actual]
  if (encodedAgain.apply(from) === to) {
    const fits = isDouble ? '' : " If it is the server itself, use pathEncoding: 'double'."
    return `${rewritingHint(from, to, [encodedAgain])}${fits}`
  }
  if (!isDouble && uriEncode(from, '/') === to) {
    return "It is the same path in another spelling: this one is not strictly encoded, and the server encodes it. Use pathEncoding: 's3', which sends what it signs."
  }
  if (uriEncode(to, '/') === uriEncode(from, '/')) {
    return 'It is the same path in another spelling: something on the way decodes it and re-encodes it differently, and the server signs it as received.'
  }
  return (
    rewritingHint(from, to, pathRewritings) ??
    prefixHint(from, to, host) ??
    'The path was rewritten on the way, for example by a proxy.'
  )
}

function encodedOnce(path: string): string {
  return path.replaceAll('%25', '%')
}

function prefixHint(expected: string, actual: string, host: string): string | undefined {
  if (actual.endsWith(expected)) {
    const prefix = actual.slice(0, -expected.length)
    if (prefix === `/${host.split('.', 1)[0]}`) {
      return `The server moves the bucket ${prefix.slice(1)} from the host into the path: it reads the URL as path-style.`
    }
    return `The prefix ${prefix} was added on the way: a proxy forwards the request to another path.`
  }
  if (expected.endsWith(actual) && actual.length > 1) {
    const prefix = expected.slice(0, -actual.length)
    return `The prefix ${prefix} was removed on the way: a proxy serves the object store under ${prefix}. Configure the proxy to forward the path as received, or give the store its own host.`
  }
  return undefined
}

// A plus that was decoded is a space as well; of two that fit the first is told.
const queryRewritings = [
  encodedAgain,
  ...plusRewritings,
  {
    apply: (query: string) => encoded(percentDecode(query)),
    effect: 'decodes the query and forwards it decoded (so it is decoded twice)',
  },
].map(({ apply, effect }): Rewriting => ({ apply: (query) => inOrder(apply(query)), effect }))

/** Explains why the query of a canonical request is another one. */
export function queryHint(expected: string, actual: string): string {
  if (actual === '') return 'The query was dropped on the way.'
  if (expected === '') return `The query was added on the way: ${namesOf(actual)}.`
  const [from, to] = [inOrder(expected), inOrder(actual)]
  if (from === to) return orderHint(expected, actual)
  if (inOrder(withEquals(actual)) === from) {
    return 'A parameter without a value is signed without its =: something on the way drops the =, or the server does not add it.'
  }
  if (inOrder(encoded(actual)) === from) {
    return 'It is the same query in another spelling: something on the way decodes it and re-encodes it differently, and the server signs it as received.'
  }
  return rewritingHint(from, to, queryRewritings) ?? changesHint(expected, actual)
}

function orderHint(expected: string, actual: string): string {
  const names = (query: string): string => query.split('&').map(nameOf).join('&')
  if (names(expected) !== names(actual)) {
    return 'The parameters are in a different order: something on the way sorts them differently, and the server signs them as received.'
  }
  if (actual === encoded(actual)) {
    return "The values of a repeated parameter are in a different order: the server signs them sorted by value. Use repeatedParameters: 'by-value'."
  }
  return "The values of a repeated parameter are in a different order: the server signs them as received. Use repeatedParameters: 'wire-order', unless something on the way reorders them."
}

function changesHint(expected: string, actual: string): string {
  const [lost, added] = [surplus(expected, actual), surplus(actual, expected)]
  return [
    ['lost', [...lost].filter((name) => !added.has(name))] as const,
    ['added', [...added].filter((name) => !lost.has(name))] as const,
    ['changed', [...lost].filter((name) => added.has(name))] as const,
  ]
    .filter(([, names]) => names.length > 0)
    .map(([change, names]) => {
      const [plural, verb] = names.length === 1 ? ['', 'was'] : ['s', 'were']
      return `The parameter${plural} ${list(names)} ${verb} ${change} on the way.`
    })
    .join(' ')
}

/** Returns the names of the parameters that one query has more often than another, with the same value. */
function surplus(query: string, other: string): ReadonlySet<string> {
  const left = new Map<string, number>()
  for (const piece of other.split('&')) left.set(piece, (left.get(piece) ?? 0) + 1)
  const names = new Set<string>()
  for (const piece of query.split('&')) {
    const count = left.get(piece) ?? 0
    if (count > 0) left.set(piece, count - 1)
    else names.add(nameOf(piece))
  }
  return names
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

function namesOf(query: string): string {
  return list([...new Set(query.split('&').map(nameOf))])
}

function nameOf(piece: string): string {
  return piece.replace(/=.*/s, '')
}

/** Writes a query as AWS specifies it, with the values of one name in order. */
function encoded(query: string): string {
  return canonicalQuery(`?${query}`, 'by-value').canonical
}

function inOrder(query: string): string {
  return query.split('&').sort().join('&')
}

function withEquals(query: string): string {
  return query
    .split('&')
    .map((piece) => (piece.includes('=') ? piece : `${piece}=`))
    .join('&')
}
