import type { Fetch } from '@svc/types'
import type { ApiKeyContext } from '../credentials.ts'

/** Options of `awsCredentials`. */
export interface AwsCredentialsOptions {
  /**
   * The profile of the shared files. It counts before the environment, and nothing else is asked if it gives no key.
   *
   * @default `AWS_PROFILE`, or `default`
   */
  profile?: string | undefined
  /**
   * The region of STS, and the one that `region()` returns.
   *
   * @default `AWS_REGION`, `AWS_DEFAULT_REGION`, `region` of the profile; for STS then `us-east-1`
   */
  region?: string | undefined
  /**
   * Sends the requests for keys.
   *
   * @default the global `fetch`
   */
  fetch?: Fetch | undefined
  /**
   * The time, in epoch milliseconds.
   *
   * @default `Date.now`
   */
  clock?: (() => number) | undefined
  /**
   * Ends what is under way, requests and a `credential_process`, and every later call: for a program that is asked to end.
   *
   * @default none
   */
  signal?: AbortSignal | undefined
}

/** A function that returns the key of this environment: an `ApiKeyProvider`, and a provider for the AWS SDK. */
export interface AwsCredentials {
  /**
   * Returns the key that is current: the one that was found last, until 5 minutes before its end.
   *
   * @throws AuthError `ERR_AUTH_CREDENTIALS` that lists each source that was tried, and why it gave no key.
   */
  (context?: ApiKeyContext): Promise<AwsKey>
  /** Returns the region that the options, the environment or the profile name, if any. */
  region(): Promise<string | undefined>
}

/** A key. None of its fields is `undefined`, so that it fits the types of others, such as those of the AWS SDK. */
export interface AwsKey {
  /** The access key. */
  accessKeyId: string
  /** The secret key. */
  secretAccessKey: string
  /** Comes with a temporary key. */
  sessionToken?: string
  /** The end of a temporary key, in epoch milliseconds. */
  expiresAt?: number
  /** The same end as the AWS SDK has it. */
  expiration?: Date
}
