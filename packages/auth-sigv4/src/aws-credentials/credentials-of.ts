import { singleFlight } from '@svc/auth-hooks/scheme'
import type { ApiKey } from '../credentials.ts'
import { type Choice, createChain } from './chain.ts'
import type { AwsCredentials, AwsKey } from './options.ts'
import type { Outside } from './outside/outside.ts'

/** The time before its end at which a key is asked for anew. */
const renewBeforeMs = 5 * 60_000

/** The time for which a key without an end is kept: files may change. */
const keepMs = 5 * 60_000

/** The pause after a renewal that failed while the old key is valid. */
const retryMs = 30_000

/** The pause after no source gave a key, which doubles with each failure: somebody may sign in meanwhile. */
const firstPauseMs = 1000
const longestPauseMs = 10_000

/** The time after which the next caller asks anew: longer than any source takes. */
const overdueMs = 120_000

/** Returns the function for a world. */
export function credentialsOf(outside: Outside, choice: Choice): AwsCredentials {
  const { clock } = outside
  const chain = createChain(outside, choice)
  let current: AwsKey | undefined
  let failure: unknown
  let failures = 0
  let askedAt = 0
  let askAgainAt = 0
  const ask = singleFlight(
    async () => {
      try {
        current = withDate(await chain.findKey())
        failures = 0
        askedAt = clock()
        const { expiresAt } = current
        askAgainAt =
          expiresAt === undefined
            ? askedAt + keepMs
            : Math.max(expiresAt - renewBeforeMs, askedAt + (expiresAt - askedAt) / 2)
      } catch (error) {
        outside.signal?.throwIfAborted()
        askedAt = clock()
        if (!current || (current.expiresAt ?? askedAt) <= askedAt) {
          current = undefined
          failure = error
          failures += 1
          askAgainAt = askedAt + Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs)
          throw error
        }
        // It is still valid.
        askAgainAt = askedAt + retryMs
      }
      return current
    },
    overdueMs,
    clock,
  )
  const credentials = async (): Promise<AwsKey> => {
    outside.signal?.throwIfAborted()
    const now = clock()
    // A clock that was set back since is no measure of what was found before.
    const isRecent = now >= askedAt && now < Math.min(askAgainAt, current?.expiresAt ?? Infinity)
    const key = isRecent ? current : await ask()
    if (!key) throw failure
    // Each caller has a copy of its own.
    return { ...key }
  }
  return Object.freeze(Object.assign(credentials, { region: () => chain.findRegion() }))
}

function withDate({ expiresAt, sessionToken, accessKeyId, secretAccessKey }: ApiKey): AwsKey {
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    ...(expiresAt !== undefined && { expiresAt, expiration: new Date(expiresAt) }),
  }
}
