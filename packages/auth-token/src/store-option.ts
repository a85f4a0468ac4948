import { check } from '@svc/auth-hooks/scheme'
import { type SharedTokenStore, sharingFactory, type Spending, storePlace } from './token.ts'

/**
 * Checks the option.
 *
 * @throws TypeError if it is no store, or one that may forget a refresh token.
 */
export function checkStore(
  store: SharedTokenStore | undefined,
  spending: Spending | undefined,
  caller: string,
): void {
  check(
    store === undefined || typeof store?.[sharingFactory] === 'function',
    caller,
    'store must be what memoryTokenStore(), fileTokenStore() or redisTokenStore(client) returns; ' +
      "wrap a store of your own with sharedTokenStore from '@svc/auth-token/sharing'",
  )
  for (const method of ['get', 'compareAndSwap', 'lock', 'unlock'] as const) {
    const isThere = store === undefined || typeof store[method] === 'function'
    check(isThere, caller, `store must have the method ${method}, which this copy of one lost`)
  }
  check(
    !spending || (store !== undefined && store[storePlace]?.[0] !== 'memory'),
    caller,
    "store must be one that outlives the process, since each use of the refresh token makes it void; rotation: 'none' is for a server that does not exchange it",
  )
}
