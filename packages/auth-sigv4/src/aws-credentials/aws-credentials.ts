/**
 * Finds the key of AWS in the places where AWS's own tools look for it. For Node, Bun and Deno.
 *
 * @module @svc/auth-sigv4/credentials
 */
import { check, checkFunctions, checkOptions, type OptionNames } from '@svc/auth-hooks/scheme'
import { credentialsOf } from './credentials-of.ts'
import { nodeOutside } from './node.ts'
import type { AwsCredentials, AwsCredentialsOptions } from './options.ts'

export type { AwsCredentials, AwsCredentialsOptions, AwsKey } from './options.ts'

const caller = '[@svc/auth-sigv4] awsCredentials'

const optionNames: OptionNames<AwsCredentialsOptions> = {
  profile: 'profileName awsProfile',
  region: '',
  fetch: '',
  clock: 'now',
}

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
  const isRegion = region === undefined || (typeof region === 'string' && /^[\w-]+$/.test(region))
  check(isRegion, caller, 'region must be a name such as us-east-1')
  return credentialsOf(nodeOutside(fetch, clock), { profile, region })
}
