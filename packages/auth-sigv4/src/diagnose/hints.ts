import { canonicalQuery, encodeStrictly } from '../canonical-query.ts'
import { percentDecode, utf8Bytes } from './text.ts'

/** Something that happens to requests on the way, or in a server. */
export interface Rewriting {
  readonly apply: (text: string) => string
  /** What it does, as the end of "on the way something …". */
  readonly what: string
}

/** Texts are no longer than a request line; beyond that a search would cost more than it tells. */
const maxLength = 16 * 1024

/** Of more rewritings one after the other nobody could tell which they were. */
const maxSteps = 3

/** The shortest way from our text to theirs by such rewritings; `undefined` where there is none. */
export function findRewritings(
  ours: string,
  theirs: string,
  rewritings: readonly Rewriting[],
): readonly Rewriting[] | undefined {
  if (ours.length > maxLength || theirs.length > maxLength) return undefined
  let reached: [text: string, by: readonly Rewriting[]][] = [[ours, []]]
  const seen = new Set([ours])
  for (let step = 0; step < maxSteps; step += 1) {
    const next: typeof reached = []
    for (const [text, by] of reached) {
      for (const rewriting of rewritings) {
        const rewritten = rewriting.apply(text)
        if (seen.has(rewritten)) continue
        seen.add(rewritten)
        const way = [...by, rewriting]
        if (rewritten === theirs) return way
        next.push([rewritten, way])
      }
    }
    reached = next
  }
  return undefined
}

/** Rewritings in the words of a hint. */
export function rewritingHint(rewritings: readonly Rewriting[]): string {
  return `On the way, or in the server, something ${rewritings.map(({ what }) => what).join(', and then ')}.`
}

/** What happens to paths and to queries alike. */
export const plusRewritings: readonly Rewriting[] = [
  {
    apply: (text) => text.replaceAll('%2B', '%20'),
    what: 'reads + as a space',
  },
  {
    apply: (text) => text.replaceAll('%20', '%2B'),
    what: 'writes a space as +, which is then read as a plus sign',
  },
]

/** Encodes what is encoded already. */
export const encodedAgain: Rewriting = {
  apply: (text) => text.replaceAll('%', '%25'),
  what: 'percent-encodes what is already encoded (so it is encoded twice)',
}

const decodedOnce: Rewriting = {
  apply: (path) => encodeStrictly(percentDecode(path), '/'),
  what: 'decodes the path and forwards it decoded (so it is decoded twice)',
}

const pathRewritings: readonly Rewriting[] = [
  encodedAgain,
  decodedOnce,
  ...plusRewritings,
  { apply: (path) => path.replace(/\/{2,}/g, '/'), what: 'collapses repeated slashes' },
  { apply: (path) => new URL(`http://h${path}`).pathname, what: 'resolves dot segments' },
  { apply: (path) => path.replace(/\/$/, ''), what: 'removes the trailing slash' },
  {
    apply: (path) => (path.endsWith('/') ? path : `${path}/`),
    what: 'adds a trailing slash',
  },
]

/**
 * Why the path of a canonical request is another one.
 *
 * @param wire - Our path as it is sent.
 */
export function pathHint(ours: string, theirs: string, wire: string, host: string): string {
  if (theirs === wire) {
    return "The server encodes the path once, but it is signed here encoded twice: use pathEncoding: 's3'."
  }
  // One layer of a path that is signed encoded twice tells nothing.
  const isDouble = ours !== wire
  const to = isDouble ? theirs.replaceAll('%25', '%') : theirs
  if (encodedAgain.apply(wire) === to) {
    const fits = isDouble ? '' : " If it is the server itself, use pathEncoding: 'double'."
    return `${rewritingHint([encodedAgain])}${fits}`
  }
  if (encodeStrictly(wire, '/') === to) {
    return (
      'It is the same path in another spelling: this one is not strictly encoded, and the server encodes ' +
      "it. Use pathEncoding: 's3', which sends what it signs."
    )
  }
  if (encodeStrictly(to, '/') === wire) {
    return (
      'It is the same path in another spelling: something on the way decodes it and re-encodes it ' +
      'differently, and the server signs it as received.'
    )
  }
  const way = findRewritings(wire, to, pathRewritings)
  if (way) return rewritingHint(way)
  return prefixHint(wire, to, host) ?? 'The path was rewritten on the way, for example by a proxy.'
}

function prefixHint(ours: string, theirs: string, host: string): string | undefined {
  if (theirs.endsWith(ours)) {
    const prefix = theirs.slice(0, -ours.length)
    if (prefix === `/${host.split('.', 1)[0]}`) {
      return `The server moves the bucket ${prefix.slice(1)} from the host into the path: it reads the URL as path-style.`
    }
    return `The prefix ${prefix} was added on the way: a proxy forwards the request to another path.`
  }
  if (ours.endsWith(theirs) && theirs.length > 1) {
    const prefix = ours.slice(0, -theirs.length)
    return (
      `The prefix ${prefix} was removed on the way: a proxy serves the object store under ${prefix}. ` +
      'Configure the proxy to forward the path as received, or give the store its own host.'
    )
  }
  return undefined
}

// A plus that was decoded is a space as well; of two ways of one length the first is told.
const steps: readonly Rewriting[] = [
  encodedAgain,
  ...plusRewritings,
  {
    apply: (query) => encoded(percentDecode(query)),
    what: 'decodes the query and forwards it decoded (so it is decoded twice)',
  },
]

const queryRewritings = steps.map(({ apply, what }): Rewriting => ({
  apply: (query) => inOrder(apply(query)),
  what,
}))

/** Why the query of a canonical request is another one. */
export function queryHint(ours: string, theirs: string): string {
  if (theirs === '') return 'The query was dropped on the way.'
  if (ours === '') return `The query was added on the way: ${namesOf(theirs)}.`
  const [from, to] = [inOrder(ours), inOrder(theirs)]
  if (from === to) return orderHint(ours, theirs)
  if (inOrder(withEquals(theirs)) === from) {
    return 'A parameter without a value is signed without its =: something on the way drops the =, or the server does not add it.'
  }
  if (inOrder(encoded(theirs)) === from) {
    return (
      'It is the same query in another spelling: something on the way decodes it and re-encodes it ' +
      'differently, and the server signs it as received.'
    )
  }
  const way = findRewritings(from, to, queryRewritings)
  if (way) return rewritingHint(way)
  const isOneOfEach = [firstOfEach, lastOfEach].some((one) => inOrder(one(ours)) === to)
  if (isOneOfEach) {
    return 'The server signs only one of several values of a parameter: use each name only once.'
  }
  return changesHint(ours, theirs)
}

function orderHint(ours: string, theirs: string): string {
  const names = (query: string): string => query.split('&').map(nameOf).join('&')
  if (names(ours) !== names(theirs)) {
    return 'The parameters are in a different order: something on the way sorts them differently, and the server signs them as received.'
  }
  if (theirs === encoded(theirs)) {
    return "The values of a repeated parameter are in a different order: the server signs them sorted by value. Use repeatedParameters: 'by-value'."
  }
  return (
    'The values of a repeated parameter are in a different order: the server signs them as received. ' +
    "Use repeatedParameters: 'wire-order', unless something on the way reorders them."
  )
}

function changesHint(ours: string, theirs: string): string {
  const left = new Map<string, number>()
  for (const piece of ours.split('&')) left.set(piece, (left.get(piece) ?? 0) + 1)
  const added = new Set<string>()
  for (const piece of theirs.split('&')) {
    const count = left.get(piece) ?? 0
    if (count > 0) left.set(piece, count - 1)
    else added.add(nameOf(piece))
  }
  const lost = new Set<string>()
  for (const [piece, count] of left) if (count > 0) lost.add(nameOf(piece))
  const changed = [...lost].filter((name) => added.has(name))
  const sentences = [
    ['lost', [...lost].filter((name) => !added.has(name))],
    ['added', [...added].filter((name) => !lost.has(name))],
    ['changed', changed],
  ] as const
  return sentences
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => {
      const isOne = names.length === 1
      return `The parameter${isOne ? '' : 's'} ${list(names)} ${isOne ? 'was' : 'were'} ${what} on the way.`
    })
    .join(' ')
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

/** A query as AWS specifies it, with the values of one name in order. */
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

function firstOfEach(query: string): string {
  const names = new Set<string>()
  return query
    .split('&')
    .filter((piece) => !names.has(nameOf(piece)) && names.add(nameOf(piece)))
    .join('&')
}

function lastOfEach(query: string): string {
  return firstOfEach(query.split('&').toReversed().join('&'))
}

/**
 * Why a signed header is another one.
 *
 * @param ours - Its value as it is signed here; `undefined` where it is not signed.
 * @param theirs - As the server has it; `undefined` where it has no such line.
 */
export function headerHint(
  name: string,
  ours: string | undefined,
  theirs: string | undefined,
): string {
  if (ours === undefined) {
    return `The server has ${name} among the signed headers, but this request does not sign it: it is not the request that was sent, or something on the way signed it again.`
  }
  if (!theirs) return droppedHint(name)
  return spellingHint(name, ours, theirs) ?? particularHint(name, ours, theirs)
}

function droppedHint(name: string): string {
  const where = `${name} did not arrive: something on the way drops it`
  if (name === 'content-type') return `${where}, as some proxies do when there is no body.`
  if (name.startsWith('x-amz-')) {
    return `${where}, perhaps a gateway that forwards only the headers it knows. Configure it to forward x-amz-*.`
  }
  return `${where}.`
}

function spellingHint(name: string, ours: string, theirs: string): string | undefined {
  if (name === 'host') return undefined
  if (foldBlanks(ours) === foldBlanks(theirs)) {
    return `${name} differs only in whitespace: something on the way, or the server, collapses it differently.`
  }
  if (withoutListBlanks(ours) === withoutListBlanks(theirs)) {
    return `${name} has several values, which are joined differently: with a comma on one side, and with a comma and a space on the other. Give it a single value.`
  }
  if (utf8Bytes(ours) === theirs || ours === utf8Bytes(theirs)) {
    return `${name} has non-ASCII characters, which are read as UTF-8 in one place and as Latin-1 in another. Use only ASCII, for example by percent-encoding.`
  }
  if (ours.toLowerCase() === theirs.toLowerCase()) {
    return `${name} differs only in case: something on the way rewrites it.`
  }
  if (
    theirs.startsWith(`${ours},`) ||
    theirs.endsWith(`,${ours}`) ||
    theirs.endsWith(`, ${ours}`)
  ) {
    return `${name} arrived with an extra value: something on the way added one, or the header was sent twice.`
  }
  return undefined
}

function particularHint(name: string, ours: string, theirs: string): string {
  switch (name) {
    case 'host':
      return hostHint(ours, theirs)
    case 'content-type':
      return contentTypeHint(ours, theirs)
    case 'x-amz-content-sha256':
      return 'x-amz-content-sha256 was changed on the way, or the body given here is not the one that was sent.'
    case 'x-amz-security-token':
      return 'The request was signed with the session token of different credentials than those in use here now.'
  }
  return `${name} was rewritten on the way, or is not the header that was sent.`
}

function hostHint(ours: string, theirs: string): string {
  const [own, other] = [splitHost(ours), splitHost(theirs)]
  const keep =
    'Configure the proxy to keep the original Host (nginx: proxy_set_header Host $http_host; Apache: ProxyPreserveHost On).'
  if (own.name === other.name) {
    const what = portChange(own.port, other.port)
    return `The port ${what} on the way, typically at a proxy that rebuilds Host. ${keep}`
  }
  if (own.name.toLowerCase() === other.name.toLowerCase()) {
    return `Host differs only in case: something on the way rewrites it. ${keep}`
  }
  const kind = isInternal(other.name) ? 'an internal host' : 'another host'
  return `Host was changed on the way: a proxy in front of the server replaces it with ${kind}. ${keep}`
}

function portChange(own: string, other: string): string {
  if (other === '') return `${own} was dropped`
  return own === '' ? `${other} was added` : `${own} became ${other}`
}

function splitHost(host: string): { name: string; port: string } {
  const [, name = host, port = ''] = /^(.*):(\d{1,5})$/.exec(host) ?? []
  return { name, port }
}

/** A name or an address that nobody outside can reach. */
function isInternal(name: string): boolean {
  return (
    !/[.:]/.test(name) ||
    /^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/.test(name) ||
    /\.(?:internal|local|localhost|lan|intranet|svc|home\.arpa)$/i.test(name) ||
    /\[(?:::1\]|f[cd][\da-f]{2}:|fe80:)/i.test(name)
  )
}

function contentTypeHint(ours: string, theirs: string): string {
  const [own, other] = [mediaType(ours), mediaType(theirs)]
  if (own === other) {
    return own === 'multipart/form-data'
      ? 'The form was re-serialized on the way, or by the client after signing: it has a different boundary.'
      : 'The parameters of content-type, such as its charset, were changed on the way.'
  }
  return 'content-type was changed on the way, or by a client that sets its own.'
}

/** A content type without its parameters. */
export function mediaType(contentType: string): string {
  return contentType.replace(/;.*/, '').trim().toLowerCase()
}

function foldBlanks(value: string): string {
  return value.split(/[ \t]/).filter(Boolean).join(' ')
}

function withoutListBlanks(value: string): string {
  return value
    .split(',')
    .map((part) => part.trim())
    .join(',')
}
