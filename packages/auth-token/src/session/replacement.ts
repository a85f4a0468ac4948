import { isAhead, type Token } from '../token.ts'

/** The wait before a token is replaced that replaced a refused one itself: it doubles with each in a row. */
const firstDelayMs = 1000
const longestDelayMs = 30_000
/** Replacements in a row that need no wait where the same target accepted the token first: sessions may end. */
const freeReplacements = 10
/** The age at which a refused token begins a new row. */
const longEnoughMs = 600_000
/** Bounds the targets that are remembered. */
const mostTargets = 256

/** The record of a session by which it decides if a refused token is worth a login. */
export interface Replacements {
  /** Logins in a row, the next one included, that replace a refused token. */
  count: number
  /** The targets that accepted the last token. */
  readonly accepting: Set<string>
}

export function noteAccepted({ accepting }: Replacements, target: string): void {
  if (accepting.size < mostTargets) accepting.add(target)
}

/**
 * Takes note that a target refused the last token, and tells if it may be replaced now: an address that refuses every
 * token must not cost a login for each request.
 */
export function noteRefused(
  record: Replacements,
  { issuedAt, replacements }: Token,
  target: string,
  now: number,
): boolean {
  // Where the same target accepted it before, the token has changed and not the target.
  const row = record.accepting.has(target) ? replacements - freeReplacements : replacements
  const delayMs = Math.min(firstDelayMs * 2 ** (row - 1), longestDelayMs)
  if (row > 0 && isAhead(issuedAt + delayMs, now, delayMs)) return false
  record.count = now < issuedAt + longEnoughMs ? replacements + 1 : 1
  return true
}
