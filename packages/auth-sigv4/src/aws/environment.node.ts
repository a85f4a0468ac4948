import { check } from '@svc/auth-hooks/scheme'
import type { ApiKey } from '../credentials.ts'

/**
 * Returns the key of the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for a temporary key,
 * `AWS_SESSION_TOKEN`.
 *
 * @throws TypeError if there is none.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html
 */
export function environmentKey(caller: string): ApiKey {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env
  check(
    accessKeyId && secretAccessKey,
    caller,
    'credentials must be given, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY be in the environment',
  )
  // An empty variable counts as one that is not set, as in AWS's own tools.
  const sessionToken = process.env['AWS_SESSION_TOKEN'] || undefined
  return { accessKeyId, secretAccessKey, sessionToken }
}
