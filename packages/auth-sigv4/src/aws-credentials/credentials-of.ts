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

/** The time after which the next caller asks anew: longer than any source takes. */
const overdueMs = 120_000

/** Returns the function for a world. */
export function credentialsOf(outside: Outside, choice: Choice): AwsCredentials {
  const { clock } = outside
  const chain = createChain(outside, choice)
  let current: AwsKey | undefined
  let renewAt = 0
  const ask = singleFlight(
    async () => {
      outside.signal?.throwIfAborted()
      try {
        current = withDate(await chain.findKey())
        const now = clock()
        const { expiresAt } = current
        renewAt =
          expiresAt === undefined
            ? now + keepMs
            : Math.max(expiresAt - renewBeforeMs, now + (expiresAt - now) / 2)
      } catch (error) {
        outside.signal?.throwIfAborted()
        const now = clock()
        if (!current || (current.expiresAt ?? now) <= now) throw error
        // It is still valid.
        renewAt = now + retryMs
      }
      return current
    },
    overdueMs,
    clock,
  )
  // Each caller has a copy of its own.
  const credentials = async (): Promise<AwsKey> => {
    const isFresh = current && clock() < Math.min(renewAt, current.expiresAt ?? Infinity)
    return { ...(isFresh ? current : await ask()) } as AwsKey
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
