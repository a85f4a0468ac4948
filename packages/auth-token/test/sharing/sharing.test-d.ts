import type { TokenAuthOptions, TokenStore } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { redisTokenStore } from '@svc/auth-token/redis-store'
import { sharedTokenStore } from '@svc/auth-token/sharing'

declare const ownStore: TokenStore

export const stores: readonly TokenAuthOptions['store'][] = [
  undefined,
  fileTokenStore(),
  memoryTokenStore(),
  redisTokenStore({ EVAL: async () => '' }),
  sharedTokenStore(ownStore),
  sharedTokenStore(memoryTokenStore()),
  { ...memoryTokenStore(), unlock: async () => {} },
]

export const store: TokenStore = memoryTokenStore()

// @ts-expect-error -- a store of one's own has to be wrapped
export const plain: TokenAuthOptions['store'] = ownStore
// @ts-expect-error -- half a store
sharedTokenStore({ get: async () => undefined })
