import { AuthError } from '@svc/auth-hooks'
import type { AwsCredentials, AwsCredentialsOptions } from './options.ts'

/** Says where it runs: a page, a worker and React Native have no environment and no files of their user. */
export function createCredentials(_options: AwsCredentialsOptions): AwsCredentials {
  throw new AuthError(
    'ERR_AUTH_CREDENTIALS',
    '[@svc/auth-sigv4] awsCredentials: it runs on Node, Bun and Deno; pass credentials here, from a server of yours',
  )
}
