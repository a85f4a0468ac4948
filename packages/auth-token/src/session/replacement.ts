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

/** Decides if a refused token is worth a login: an address that refuses every token must not cost one per request. */
export interface ReplacementPolicy {
  /** Logins in a row, the next one included, that replace a refused token. */
  readonly count: number
  /** Takes note of a refusal by a target, and tells if the token may be replaced now. */
  allows(token: Token, target: string, now: number): boolean
  /** Takes note that a target accepted the last token. */
  accepted(target: string): void
  /** Takes note of the next token. */
  issued(): void
  reset(): void
}

export function createReplacementPolicy(): ReplacementPolicy {
  let count = 0
  /** The targets that accepted the last token. */
  const accepting = new Set<string>()

  return {
    get count() {
      return count
    },
    allows(token, target, now) {
      if (!mayReplace(token, accepting.has(target), now)) return false
      count = now < token.issuedAt + longEnoughMs ? token.replacements + 1 : 1
      return true
    },
    accepted(target) {
      if (accepting.size < mostTargets) accepting.add(target)
    },
    issued() {
      count = 0
      accepting.clear()
    },
    reset: () => void (count = 0),
  }
}

/**
 * Tells if a refused token may be replaced now.
 *
 * @param wasAccepted - `true` if the same target accepted it before: then the token has changed, and not the target.
 */
export function mayReplace(
  { issuedAt, replacements }: Token,
  wasAccepted: boolean,
  now: number,
): boolean {
  const row = wasAccepted ? replacements - freeReplacements : replacements
  if (row <= 0) return true
  const delayMs = Math.min(firstDelayMs * 2 ** (row - 1), longestDelayMs)
  return !isAhead(issuedAt + delayMs, now, delayMs)
}
