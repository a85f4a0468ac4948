import { AuthError } from '@svc/auth-hooks'
import {
  abortable,
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
  /**
   * The end of the key as the credential providers of the AWS SDK give it. The earlier one counts if
   * `expiresAt` is set too.
   *
   * @default never
   */
  expiration?: Date | undefined
}

/**
 * A fixed key, or a function that returns one, such as a provider of `@aws-sdk/credential-providers`. A function
 * is called once, however many requests wait, and again before the key ends. Its `signal` aborts if it takes
 * more than 15 seconds and the next request asks anew.
 */
export type ApiKeyProvider = ApiKey | ((context?: ApiKeyContext) => ApiKey | Promise<ApiKey>)

/** The argument of a function that returns keys. */
export interface ApiKeyContext {
  /** Aborts once the call is overdue and the next one has begun. */
  readonly signal?: AbortSignal
  /** Never set: for providers of the AWS SDK, whose argument has this name and must have one in common. */
  readonly callerClientConfig?: never
}

/** The time before its end at which a key from a provider is asked for anew. */
const renewBeforeMs = 5 * 60_000

/** The longest pause before a renewal that failed is tried again. */
const retryRenewalMs = 30_000

/** The pause after a provider has given a key that was over. */
const expiredPauseMs = 5000

/** The time that a provider may take before the next request asks it anew. */
const overdueMs = 15_000

/**
 * Returns the source of the key for each signature. A provider is asked once however many requests wait,
 * and again ahead of the key's end; a key without an end is asked for at every signature.
 *
 * @throws TypeError at once, where static credentials are wrong.
 * @throws AuthError from the source: `ERR_AUTH_CREDENTIALS` if the provider fails, or gives no usable key.
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
  let renewAt = 0
  let expired: AuthError | undefined
  let pending: AbortController | undefined
  const ask: () => Promise<ApiKey> = singleFlight(
    async () => {
      pending?.abort()
      const own = (pending = new AbortController())
      try {
        const key = await abortable(provide(credentials, own.signal), own.signal)
        const now = clock()
        const { expiresAt = Infinity } = key
        if (expiresAt <= now) throw (expired = expiredError(expiresAt, now))
        renewAt = Math.max(expiresAt - renewBeforeMs, now + (expiresAt - now) / 2)
        return (current = key)
      } catch (error) {
        // Overdue: the requests that waited for it get the key of the next call.
        if (own.signal.aborted) return ask()
        throw error
      } finally {
        if (pending === own) pending = undefined
      }
    },
    overdueMs,
    clock,
  )

  return () => {
    const now = clock()
    const remainingMs = (current?.expiresAt ?? 0) - now
    if (!current || remainingMs <= 0) {
      return now < Number(expired?.retryAt) ? Promise.reject(expired) : ask()
    }
    if (now >= renewAt) {
      // The old key is still valid: a renewal that fails is tried again later, and no request fails with it.
      renewAt = now + Math.min(retryRenewalMs, remainingMs / 2)
      ask().catch(() => {})
    }
    return current
  }
}

function expiredError(expiresAt: number, now: number): AuthError {
  const [end, here] = [expiresAt, now].map((at) => new Date(Math.max(0, at)).toISOString())
  return new AuthError(
    'ERR_AUTH_CREDENTIALS',
    `[@svc/auth-sigv4] the credentials function returned a key that expired at ${end}; it is ${here} here`,
    { retryAt: now + expiredPauseMs },
  )
}

async function provide(
  provider: Exclude<ApiKeyProvider, ApiKey>,
  signal: AbortSignal,
): Promise<ApiKey> {
  let given: unknown
  try {
    given = await provider({ signal })
  } catch (cause) {
    // That of `awsCredentials` lists what was tried.
    if (cause instanceof AuthError && cause.code === 'ERR_AUTH_CREDENTIALS') throw cause
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
  expiration: '',
}

function copyApiKey(key: ApiKey): ApiKey | string {
  const { accessKeyId, secretAccessKey, sessionToken, expiresAt, expiration } = key
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
  const endsAt = expiration === undefined ? Infinity : instantOf(expiration)
  if (Number.isNaN(endsAt)) {
    return 'credentials.expiration must be a valid Date, which new Date(text) makes of a text'
  }
  const end = Math.min(expiresAt ?? Infinity, endsAt)
  return { ...fields, ...(end < Infinity && { expiresAt: end }) }
}

// A Date of another realm is just as good.
function instantOf(date: unknown): number {
  const isDate = Object.prototype.toString.call(date) === '[object Date]'
  return isDate ? Date.prototype.getTime.call(date) : Number.NaN
}
