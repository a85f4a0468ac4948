import { encodeStrictly } from '../percent-encoding.ts'
import { percentDecode } from './byte-string.ts'
import {
  encodedAgain,
  findRewritings,
  plusRewritings,
  type Rewriting,
  rewritingHint,
} from './rewriting.ts'

const decodedOnce: Rewriting = {
  apply: (path) => encodeStrictly(percentDecode(path), '/'),
  what: 'decodes the path and passes it on decoded (decoded twice in the end)',
}

const rewritings: readonly Rewriting[] = [
  encodedAgain,
  decodedOnce,
  ...plusRewritings,
  { apply: (path) => path.replace(/\/{2,}/g, '/'), what: 'folds several slashes into one' },
  { apply: (path) => new URL(`http://h${path}`).pathname, what: 'resolves dot segments' },
  { apply: (path) => path.replace(/\/$/, ''), what: 'takes the slash off the end' },
  {
    apply: (path) => (path.endsWith('/') ? path : `${path}/`),
    what: 'adds a slash at the end',
  },
]

/**
 * Why the path of a canonical request is another one.
 *
 * @param wire - Our path as it is sent.
 */
export function pathHint(ours: string, theirs: string, wire: string, host: string): string {
  if (theirs === wire) {
    return "The server encodes the path once, and it is signed here encoded twice: pathEncoding: 's3' fits this server."
  }
  // One layer of a path that is signed encoded twice tells nothing.
  const isDouble = ours !== wire
  const to = isDouble ? theirs.replaceAll('%25', '%') : theirs
  if (encodedAgain.apply(wire) === to) {
    const fits = isDouble ? '' : " If it is the server itself, pathEncoding: 'double' fits it."
    return `${rewritingHint([encodedAgain])}${fits}`
  }
  if (encodeStrictly(wire, '/') === to) {
    return (
      'It is the same path in another spelling: this one is not encoded strictly, and the server encodes ' +
      "it. pathEncoding: 's3' sends what it signs."
    )
  }
  if (encodeStrictly(to, '/') === wire) {
    return (
      'It is the same path in another spelling: something on the way decodes it and encodes it by other ' +
      'rules, and the server signs the line as it came.'
    )
  }
  const way = findRewritings(wire, to, rewritings)
  if (way) return rewritingHint(way)
  return prefixHint(wire, to, host) ?? 'The path was rewritten on the way, such as by a proxy.'
}

function prefixHint(ours: string, theirs: string, host: string): string | undefined {
  if (theirs.endsWith(ours)) {
    const prefix = theirs.slice(0, -ours.length)
    if (prefix === `/${host.split('.', 1)[0]}`) {
      return `The server takes the bucket ${prefix.slice(1)} from the host into the path: it reads the address as path-style.`
    }
    return `The prefix ${prefix} was added on the way: a proxy passes the request to another path.`
  }
  if (ours.endsWith(theirs) && theirs.length > 1) {
    const prefix = ours.slice(0, -theirs.length)
    return (
      `The prefix ${prefix} was taken off on the way: a proxy serves the object store below ${prefix}. ` +
      'Let it pass the path on as it came, or give the store a host of its own.'
    )
  }
  return undefined
}
