import { check, checkFunctions, checkOptions, type OptionNames } from '@svc/auth-hooks/scheme'
import { credentialsOf } from './credentials-of.ts'
import { nodeOutside } from './outside/node.ts'
import type { AwsCredentials, AwsCredentialsOptions } from './options.ts'

const caller = '[@svc/auth-sigv4] awsCredentials'

const optionNames: OptionNames<AwsCredentialsOptions> = {
  profile: 'profileName awsProfile',
  region: '',
  fetch: '',
  clock: 'now',
  signal: 'abortSignal',
}

/** Checks the options, and returns the function for Node, Bun and Deno. */
export function createCredentials(options: AwsCredentialsOptions): AwsCredentials {
  const { profile, region, signal, ...checked } = checkOptions(options, caller, optionNames)
  const { fetch = globalThis.fetch, clock = Date.now } = checked
  checkFunctions({ fetch, clock }, caller)
  const isName = profile === undefined || (typeof profile === 'string' && profile !== '')
  check(isName, caller, 'profile must be a name')
  const isRegion = region === undefined || (typeof region === 'string' && /^[\w-]+$/.test(region))
  check(isRegion, caller, 'region must be a name such as us-east-1')
  check(
    signal === undefined || signal instanceof AbortSignal,
    caller,
    'signal must be an AbortSignal',
  )
  return credentialsOf(nodeOutside(fetch, clock, signal), { profile, region })
}
