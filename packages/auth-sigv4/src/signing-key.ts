import type { MaybePromise } from '@svc/auth-hooks/scheme'
import type { ApiKey } from './api-key.ts'
import type { SigningDate } from './signing-date.ts'
import type { SigningEngine, SigningKey } from './engines/engine.ts'

/** Today and yesterday for a handful of access keys. */
const maxKeys = 16

/** Derives signing keys and keeps the last ones. No secret stands in a key of the cache. */
export function signingKeys(
  engine: SigningEngine,
): (apiKey: ApiKey, date: SigningDate) => MaybePromise<SigningKey> {
  const cache = new Map<string, { secretAccessKey: string; key: MaybePromise<SigningKey> }>()
  const find = ({ accessKeyId, secretAccessKey }: ApiKey, { scope, scopeText }: SigningDate) => {
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

  let last: { apiKey: ApiKey; date: SigningDate; key: MaybePromise<SigningKey> } | undefined
  return (apiKey, date) => {
    // Within a second both are the very objects of before, and no name has to be written.
    if (last?.apiKey === apiKey && last.date === date) return last.key
    const key = find(apiKey, date)
    last = key instanceof Promise ? undefined : { apiKey, date, key }
    return key
  }
}
