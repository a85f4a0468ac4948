import { AuthError } from '@svc/auth-hooks'
import {
  check,
  isThenable,
  type MaybePromise,
  misnamed,
  type OptionNames,
  singleFlight,
} from '@svc/auth-hooks/scheme'

/**
 * The access key of an environment: the "Client Key" and secret from the console's API Keys page.
 *
 * @see Interface of the service, sections 2 and 5.2
 */
export interface ApiKey {
  /** The access key: visible ASCII characters. It is part of every signed request. */
  accessKeyId: string
  /** The secret key: visible ASCII characters. It is never sent. */
  secretAccessKey: string
  /**
   * Sent and signed as `x-amz-security-token`, for a temporary key.
   *
   * @default not sent
   */
  sessionToken?: string | undefined
  /**
   * The end of the key, in epoch milliseconds. A function that returns keys is called again 5 minutes
   * before.
   *
   * @default never; a function is then called for every signature
   */
  expiresAt?: number | undefined
}

/**
 * A fixed key, or a function that returns one. A function is called once, however many requests wait, and
 * again before {@link ApiKey.expiresAt}.
 */
export type ApiKeyProvider = ApiKey | (() => ApiKey | Promise<ApiKey>)

/** The time before its end at which a key from a provider is asked for anew. */
const renewBeforeMs = 5 * 60_000

/** The time that a provider may take before the next request asks it anew. */
const overdueMs = 15_000

/**
 * Returns the source of the key for each signature. A provider is asked once however many requests wait,
 * and again ahead of `expiresAt`; a key without an end is asked for at every signature.
 *
 * @throws TypeError at once, where static credentials are wrong.
 */
export function credentialSource(
  credentials: ApiKeyProvider,
  clock: () => number,
  caller: string,
): () => MaybePromise<ApiKey> {
  if (typeof credentials !== 'function') {
    const key = readApiKey(credentials)
    if (typeof key === 'string') check(false, caller, key)
    return () => key
  }
  let current: ApiKey | undefined
  let newest = 0
  const ask = singleFlight(
    async (order) => {
      const key = await provide(credentials)
      // An overdue provider may give its key after the one that was asked next.
      if (order > newest) {
        newest = order
        current = key
      }
      return key
    },
    overdueMs,
    clock,
  )

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
  const key = readApiKey(given)
  if (typeof key === 'object') return key
  throw new AuthError('ERR_AUTH_CREDENTIALS', `[@svc/auth-sigv4] ${key}`)
}

/**
 * Checks a key and copies it, so that a later change of the caller's object changes nothing.
 *
 * @returns the copy, or the name of the field that is wrong and why.
 */
export function readApiKey(key: unknown): ApiKey | string {
  if (typeof key !== 'object' || key === null || isThenable(key)) {
    return 'credentials must be an object with accessKeyId and secretAccessKey, or a function that returns it'
  }
  try {
    // As unknown as its fields are, each is checked there.
    return misnamed(key, 'credentials', keyNames) ?? copyApiKey(key as ApiKey)
  } catch {
    // Without the cause, whose text may hold the secret.
    return 'credentials must be readable'
  }
}

const keyNames: OptionNames<ApiKey> = {
  accessKeyId: 'accessKey key id clientKey',
  secretAccessKey: 'secretKey secret',
  sessionToken: '',
  expiresAt: '',
}

function copyApiKey({
  accessKeyId,
  secretAccessKey,
  sessionToken,
  expiresAt,
}: ApiKey): ApiKey | string {
  const fields = {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
  }
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
      return `credentials.${name} must be a non-empty string of visible ASCII characters without spaces`
    }
  }
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) {
    return 'credentials.expiresAt must be an instant in epoch milliseconds'
  }
  return { ...fields, ...(expiresAt !== undefined && { expiresAt }) }
}
