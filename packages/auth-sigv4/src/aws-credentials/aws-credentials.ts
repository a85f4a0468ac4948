/**
 * Finds the key of AWS in the places where AWS's own tools look for it. For Node, Bun and Deno.
 *
 * @module @svc/auth-sigv4/credentials
 */
import { createCredentials } from '#aws-credentials'
import type { AwsCredentials, AwsCredentialsOptions } from './options.ts'

export type { AwsCredentials, AwsCredentialsOptions, AwsKey } from './options.ts'

/**
 * Returns a function that finds the key of AWS, in AWS's order: the environment; the profile in the shared files, with
 * roles, IAM Identity Center, `aws login` and `credential_process`; a web identity; the container; the machine. It asks
 * once however many call it, keeps the key until 5 minutes before its end, and asks no later source than needed.
 *
 * @throws TypeError at construction, if an option is invalid.
 * @throws AuthError `ERR_AUTH_CREDENTIALS` at construction in a page, a worker and React Native, which have neither an
 * environment nor files of their user.
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
  return createCredentials(options)
}
