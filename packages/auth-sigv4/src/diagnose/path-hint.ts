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
  what: 'decodes the path and forwards it decoded (so it is decoded twice)',
}

const rewritings: readonly Rewriting[] = [
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
  const way = findRewritings(wire, to, rewritings)
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
