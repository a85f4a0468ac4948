import { canonicalQuery } from '../canonical-query.ts'
import { percentDecode } from './byte-string.ts'
import {
  encodedAgain,
  findRewritings,
  plusRewritings,
  type Rewriting,
  rewritingHint,
} from './rewriting.ts'

// A plus that was decoded is a space as well; of two ways of one length the first is told.
const steps: readonly Rewriting[] = [
  encodedAgain,
  ...plusRewritings,
  {
    apply: (query) => encoded(percentDecode(query)),
    what: 'decodes the query and forwards it decoded (so it is decoded twice)',
  },
]

const rewritings = steps.map(({ apply, what }): Rewriting => ({
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
  const way = findRewritings(from, to, rewritings)
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
