import type { LoginFault } from '../plan/fault.ts'
import {
  type AccountName,
  accountNames,
  accountOf,
  needsSignature,
  needsToken,
  type Operation,
  type SessionName,
} from '../plan/operation.ts'
import type { Round } from '../plan/plan.ts'
import type { OperationResult } from '../traffic/perform.ts'

/** Causes by which tokens and signatures of a round may be refused through no fault of their own. */
export interface Unrest {
  /** The number of times, by account, that a token may have to be replaced. */
  readonly tokens: Readonly<Record<AccountName, number>>
  /** The number of times that the clock of signatures may be wrong. */
  readonly signatures: number
  readonly logins: LoginFault
}

/**
 * Counts what a round, after the one before it, has of all that.
 *
 * @param invalidated - The sessions that dropped their token in earlier rounds and had no other since.
 * @param storeFailures - How often, in these two rounds, a store was of no use, so that a session logged
 * in by itself and ended the token of the others.
 */
export function unrestOf(
  round: Round,
  before: Round | undefined,
  invalidated: ReadonlySet<SessionName>,
  storeFailures: readonly Readonly<Record<AccountName, number>>[],
): Unrest {
  const { weather, operations } = round
  const isClockMoved = weather.serviceAheadMs !== (before?.weather.serviceAheadMs ?? 0)
  const tokens = { memory: 0, file: 0, redis: 0 }
  for (const account of accountNames) {
    const own = operations.filter(
      (operation) => accountOf(operation.session) === account && replacesToken(operation),
    )
    const isExpired = weather.advanceMs > 0 || !before?.operations.some(usesTokenOf(account))
    // One that falls into a login wastes that as well, also for those who share its token.
    const wasted = own.filter(({ kind }) => kind === 'invalidate').length
    const left = [...invalidated].filter((session) => accountOf(session) === account)
    const failed = storeFailures.reduce((total, counts) => total + counts[account], 0)
    tokens[account] =
      own.length + wasted + left.length + failed + (isExpired ? 1 : 0) + (isClockMoved ? 1 : 0)
  }
  const own = operations.filter(confusesClock).length
  return { tokens, signatures: own + (isClockMoved ? 1 : 0), logins: weather.logins }
}

/** The sessions that come to the next round without a token, and will not look for one in their store. */
export function stillInvalidated(
  invalidated: ReadonlySet<SessionName>,
  results: readonly OperationResult[],
): ReadonlySet<SessionName> {
  const left = new Set(invalidated)
  for (const { operation, outcome } of results) {
    if (operation.kind === 'list groups' && outcome === 'accepted') left.delete(operation.session)
  }
  for (const { operation } of results) {
    if (operation.kind === 'invalidate') left.add(operation.session)
  }
  return left
}

/** Tells if an operation surely leaves its account with a token. */
function usesTokenOf(account: AccountName): (operation: Operation) => boolean {
  return ({ kind, session, end }) =>
    accountOf(session) === account &&
    (kind === 'list groups' || kind === 'post with token') &&
    end?.by !== 'abort ahead'
}

function replacesToken(operation: Operation): boolean {
  const { kind, fault } = operation
  if (kind === 'revoke' || kind === 'post while revoked' || kind === 'invalidate') return true
  return needsToken(operation) && fault === 'refused'
}

function confusesClock(operation: Operation): boolean {
  const { fault } = operation
  return needsSignature(operation) && ['skewed', 'skewed twice', 'forbidden'].includes(fault)
}
