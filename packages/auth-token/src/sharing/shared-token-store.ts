/**
 * Shares one token among several sessions, processes or hosts, through a store of your own.
 *
 * @module @svc/auth-token/sharing
 */
import { check } from '@svc/auth-hooks/scheme'
import type { TokenStore } from '../stores/store.ts'
import type { SharedTokenStore } from '../token.ts'
import { storeAt } from './sharing.ts'

export type { TokenLock, TokenRecord, TokenStore, TokenWrite } from '../stores/store.ts'
export type { SharedTokenStore } from '../token.ts'

/**
 * Makes a store of your own one that `createTokenAuth` takes. The store keeps its methods and passes the
 * same checks as before; it brings along the code that seals records, waits for locks and adopts tokens.
 *
 * @throws TypeError if the store lacks a method.
 * @example
 * import { createTokenAuth } from '@svc/auth-token'
 * import { sharedTokenStore, type TokenStore } from '@svc/auth-token/sharing'
 *
 * declare const ownStore: TokenStore
 * const auth = createTokenAuth({
 *   baseUrl: 'https://search.example.com',
 *   credentials: { username: 'reader@example.com', password: 'a password' },
 *   store: sharedTokenStore(ownStore),
 * })
 * await auth.getToken()
 * @see {@link TokenStore}
 */
export function sharedTokenStore(store: TokenStore): SharedTokenStore {
  const methods = ['get', 'compareAndSwap', 'lock', 'unlock'] as const
  check(
    typeof store === 'object' && methods.every((method) => typeof store?.[method] === 'function'),
    '[@svc/auth-token] sharedTokenStore',
    `store must be an object with the methods ${methods.join(', ')}`,
  )
  return storeAt([store], store)
}
