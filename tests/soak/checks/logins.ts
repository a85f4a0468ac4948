import { type AccountName, accountNames } from '../plan/operation.ts'
import type { Unrest } from './unrest.ts'

/**
 * The accounts that logged in more often than there was a reason to, whatever the number of callers and
 * of sessions: a token that ran out, was refused, revoked or dropped, or a store that was of no use.
 */
export function wrongLogins(
  unrest: Unrest,
  issued: Readonly<Record<AccountName, number>>,
): string[] {
  return accountNames.flatMap((account) => {
    const most = unrest.tokens[account]
    const found = issued[account]
    return found > most ? [`${account}: ${found} logins for ${most} reasons`] : []
  })
}
