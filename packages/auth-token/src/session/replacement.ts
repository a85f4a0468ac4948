import { mayReplace, nextReplacements, type Prospect } from './back-off.ts'
import { isAhead, type Token } from '../token.ts'

/** Bounds the targets that are remembered for having accepted or refused a token. */
const mostTargets = 256
/** The time for which a token that was accepted gives hope that the next one will be. */
const hopeMs = 120_000
const mostReplacements = 30
/** The time for which so many replacements are enough. */
const replacementsMs = 600_000

/** Decides if a refused token is worth a login: an address may refuse every token. */
export interface ReplacementPolicy {
  /** Logins in a row, the next one included, that replace a refused token. */
  readonly count: number
  /** Takes note of a refusal, and tells if the token may be replaced now. */
  allows(token: Token, target: string, now: number): boolean
  accepted(target: string, now: number): void
  issued(): void
  reset(): void
}

export function createReplacementPolicy(): ReplacementPolicy {
  let count = 0
  /** Targets that accepted the last token. */
  const accepting = new Set<string>()
  /** Targets that refused the last token, or one before, and have accepted none since. */
  const refusing = new Set<string>()
  let acceptedAt = -Infinity
  let replacedAt: readonly number[] = []

  const prospectOf = (target: string, now: number): Prospect => {
    if (accepting.has(target)) return 'good'
    // Where others accept the token, one that refuses it time and again refuses every token.
    const mayHaveEnded = accepting.size === 0 || !refusing.has(target)
    return mayHaveEnded && isAhead(acceptedAt + hopeMs, now, hopeMs) ? 'fair' : 'bad'
  }
  const isUsedUp = (now: number): boolean =>
    replacedAt.length === mostReplacements &&
    isAhead((replacedAt[0] ?? -Infinity) + replacementsMs, now, replacementsMs)

  return {
    get count() {
      return count
    },
    allows(token, target, now) {
      const prospect = prospectOf(target, now)
      if (refusing.size < mostTargets) refusing.add(target)
      if (!mayReplace(token, prospect, now) || isUsedUp(now)) return false
      count = nextReplacements(token, now)
      replacedAt = [...replacedAt, now].slice(-mostReplacements)
      return true
    },
    accepted(target, now) {
      acceptedAt = now
      if (accepting.size < mostTargets) accepting.add(target)
      refusing.delete(target)
    },
    issued() {
      count = 0
      accepting.clear()
    },
    reset: () => void (count = 0),
  }
}
