/**
 * Finds the key of AWS in the places where AWS's own tools look for it. For Node, Bun and Deno.
 *
 * @module @svc/auth-sigv4/credentials
 */
import {
  check,
  checkFunctions,
  checkOptions,
  type OptionNames,
  singleFlight,
} from '@svc/auth-hooks/scheme'
import { scopePart } from '../signing.ts'
import { createChain } from './chain.ts'
import { nodeOutside } from './node.ts'
import type { AwsCredentials, AwsCredentialsOptions, AwsKey } from './options.ts'
import type { Outside } from './outside.ts'

export type { AwsCredentials, AwsCredentialsOptions, AwsKey } from './options.ts'

const caller = '[@svc/auth-sigv4] awsCredentials'

const optionNames: OptionNames<AwsCredentialsOptions> = {
  profile: 'profileName awsProfile',
  region: '',
  fetch: '',
  clock: 'now',
}

/** The time before its end at which a key is asked for anew. */
const renewBeforeMs = 5 * 60_000

/** The time for which a key without an end is kept: files may change. */
const keepMs = 5 * 60_000

/** The pause after a renewal that failed while the old key is valid. */
const retryMs = 30_000

/** The time after which the next caller asks anew: longer than any source takes. */
const overdueMs = 120_000

/**
 * Returns a function that finds the key of AWS, in AWS's order: the environment; the profile in the shared files, with
 * roles, IAM Identity Center, `aws login` and `credential_process`; a web identity; the container; the machine. It asks
 * once however many call it, keeps the key until 5 minutes before its end, and asks no later source than needed.
 *
 * @throws TypeError at construction, if an option is invalid.
 * @example
 * import { authFetch } from '@svc/auth-sigv4'
 * import { createAwsAuth } from '@svc/auth-sigv4/aws'
 * import { awsCredentials } from '@svc/auth-sigv4/credentials'
 *
 * const credentials = awsCredentials()
 * const aws = authFetch(createAwsAuth({ credentials }))
 * const response = await aws('https://examplebucket.s3.eu-central-1.amazonaws.com/report.csv')
 * console.log(await response.text())
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html
 */
export function awsCredentials(options: AwsCredentialsOptions = {}): AwsCredentials {
  const { profile, region, ...checked } = checkOptions(options, caller, optionNames)
  const { fetch = globalThis.fetch, clock = Date.now } = checked
  checkFunctions({ fetch, clock }, caller)
  const isName = profile === undefined || (typeof profile === 'string' && profile !== '')
  check(isName, caller, 'profile must be a name')
  if (region !== undefined) scopePart(caller, 'region', 'us-east-1', region)
  return credentialsOf(nodeOutside(fetch, clock), { profile, region })
}

/** Returns the function for a world. */
export function credentialsOf(
  outside: Outside,
  choice: Pick<AwsCredentialsOptions, 'profile' | 'region'>,
): AwsCredentials {
  const { clock } = outside
  const { profile, region } = choice
  const chain = createChain(outside, { profile, region })
  let current: AwsKey | undefined
  let renewAt = 0
  const ask = singleFlight(
    async () => {
      try {
        current = withDate(await chain.findKey())
        const now = clock()
        const { expiresAt } = current
        renewAt =
          expiresAt === undefined
            ? now + keepMs
            : Math.max(expiresAt - renewBeforeMs, now + (expiresAt - now) / 2)
      } catch (error) {
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

function withDate(key: AwsKey): AwsKey {
  const { expiresAt } = key
  return expiresAt === undefined ? key : { ...key, expiration: new Date(expiresAt) }
}
