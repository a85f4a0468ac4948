import { AuthError } from '@svc/auth-hooks'
import type { MaybePromise } from '@svc/auth-hooks/scheme'
import { type ApiKey, checkApiKey } from './api-key.ts'

/**
 * A fixed key, or a function that returns one. A function is called once, however many requests wait, and
 * again before {@link ApiKey.expiresAt}.
 */
export type ApiKeyProvider = ApiKey | (() => ApiKey | Promise<ApiKey>)

/** How long before its end a key from a provider is asked for anew. */
const renewBeforeMs = 5 * 60_000

/** How long a provider may take before the next request asks it anew. */
const overdueMs = 15_000

/**
 * Gives the key for a signature. A provider is asked once however many requests wait, and again ahead
 * of `expiresAt`; a key without an end is asked for at every signature.
 *
 * @throws TypeError at once, where static credentials are wrong.
 */
export function credentialSource(
  credentials: ApiKeyProvider,
  clock: () => number,
): () => MaybePromise<ApiKey> {
  if (typeof credentials !== 'function') {
    const key = checkApiKey(credentials)
    if (typeof key === 'string') throw new TypeError(key)
    return () => key
  }
  let current: ApiKey | undefined
  let pending: { readonly key: Promise<ApiKey>; readonly askedAt: number } | undefined
  let asks = 0
  let answered = 0

  const ask = (): Promise<ApiKey> => {
    // In workerd a promise never settles where the request that made it has gone.
    if (pending && clock() - pending.askedAt < overdueMs) return pending.key
    const order = ++asks
    const key = provide(credentials)
      .then((given) => {
        // One that was overdue may answer after the one that was asked for next.
        if (order > answered) {
          answered = order
          current = given
        }
        return given
      })
      .finally(() => {
        if (order === asks) pending = undefined
      })
    pending = { key, askedAt: clock() }
    return key
  }

  return () => {
    const remainingMs = (current?.expiresAt ?? 0) - clock()
    if (!current || remainingMs <= 0) return ask()
    // While the old key holds, a provider that fails is asked again and nobody is disturbed.
    if (remainingMs <= renewBeforeMs) ask().catch(() => {})
    return current
  }
}

async function provide(provider: () => ApiKey | Promise<ApiKey>): Promise<ApiKey> {
  let given: unknown
  try {
    given = await provider()
  } catch (cause) {
    throw new AuthError(
      'ERR_AUTH_CREDENTIALS',
      '[@svc/auth-sigv4] the credentials function failed',
      { cause },
    )
  }
  const key = checkApiKey(given)
  if (typeof key === 'string')
    throw new AuthError('ERR_AUTH_CREDENTIALS', `[@svc/auth-sigv4] ${key}`)
  return key
}
