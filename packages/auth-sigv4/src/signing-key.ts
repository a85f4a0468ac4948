import type { MaybePromise } from '@svc/auth-hooks/scheme'
import type { ApiKey } from './api-key.ts'
import type { SigningDate } from './signing-date.ts'
import type { SigningEngine, SigningKey } from './signing-engine.ts'

/** Today and yesterday for a handful of access keys. */
const maxKeys = 16

/** Derives signing keys and keeps the last ones. No secret stands in a key of the cache. */
export function signingKeys(
  engine: SigningEngine,
): (apiKey: ApiKey, date: SigningDate) => MaybePromise<SigningKey> {
  const cache = new Map<string, { secretAccessKey: string; key: MaybePromise<SigningKey> }>()
  return ({ accessKeyId, secretAccessKey }, { scope, scopeText }) => {
    const name = `${accessKeyId}/${scopeText}`
    const cached = cache.get(name)
    // An access key keeps its name where only its secret was wrong at first.
    if (cached?.secretAccessKey === secretAccessKey) return cached.key
    const key = engine.deriveKey(secretAccessKey, scope)
    cache.delete(name)
    cache.set(name, { secretAccessKey, key })
    if (cache.size > maxKeys) {
      for (const oldest of cache.keys()) {
        cache.delete(oldest)
        break
      }
    }
    if (key instanceof Promise) key.catch(() => cache.delete(name))
    return key
  }
}
