import { AuthError, Secret } from '@svc/auth-hooks'
import { check, isThenable, misnamed, type OptionNames } from '@svc/auth-hooks/scheme'

/**
 * The user who logs in.
 *
 * @see Interface of the service, section 4.1
 */
export interface UserCredentials {
  /** The user's account name; `Username` on the wire. */
  readonly username: string
  /** The user's password; `Password` on the wire. */
  readonly password: string
  /**
   * The external ID of the primary account, required for a subaccount user; `ParentUid` on the wire.
   *
   * @default not sent
   */
  readonly parentUid?: string | undefined
}

/** Returns the credentials; called at each login. */
export type CredentialsProvider = (context: {
  /** Aborts when the login is overdue. */
  readonly signal: AbortSignal
}) => UserCredentials | Promise<UserCredentials>

/** Usable credentials, whose password does not show itself. */
export interface LoginCredentials {
  readonly username: string
  readonly password: Secret
  readonly parentUid: string | undefined
}

/** Reads the credentials for one login. */
export type CredentialsSource = (
  signal: AbortSignal,
) => Promise<LoginCredentials> | LoginCredentials

/**
 * Checks the option, and returns fixed credentials or the function that reads them.
 *
 * @param caller - Begins the message about fixed credentials.
 * @param loginUrl - Stands in the message about those that a function returns.
 * @throws TypeError naming the option if fixed credentials cannot be used.
 */
export function readCredentialsOption(
  credentials: UserCredentials | CredentialsProvider,
  caller: string,
  loginUrl: URL,
): LoginCredentials | CredentialsSource {
  if (typeof credentials !== 'function') {
    const parsed = readCredentials(credentials)
    if (typeof parsed === 'string') check(false, caller, parsed)
    return parsed
  }
  return async (signal) => {
    let given: UserCredentials
    try {
      given = await credentials({ signal })
    } catch (cause) {
      throw credentialsError(loginUrl, 'the credentials function failed', { cause })
    }
    const parsed = readCredentials(given)
    if (typeof parsed === 'string') throw credentialsError(loginUrl, parsed)
    return parsed
  }
}

/** Tells if two logins would say the same of the user. */
export function sameCredentials(one: LoginCredentials, other: LoginCredentials): boolean {
  return (
    one.username === other.username &&
    one.parentUid === other.parentUid &&
    one.password.reveal() === other.password.reveal()
  )
}

/** Returns the credentials, or the requirement that they do not meet. */
function readCredentials(given: UserCredentials): LoginCredentials | string {
  try {
    return parseCredentials(given)
  } catch {
    // A getter of the caller's, whose error may quote the password.
    return 'credentials must be readable'
  }
}

const credentialNames: OptionNames<UserCredentials> = {
  username: 'user login email name',
  password: 'pass secret',
  parentUid: '',
}

function parseCredentials(given: UserCredentials): LoginCredentials | string {
  if (typeof given !== 'object' || given === null || isThenable(given)) {
    return 'credentials must be an object with username and password, or a function that returns it'
  }
  const misnomer = misnamed(given, 'credentials', credentialNames)
  if (misnomer) return misnomer
  const { username, password, parentUid } = given
  const texts = { username, password, ...(parentUid !== undefined && { parentUid }) }
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || value === '') {
      return `credentials.${name} must be a non-empty string`
    }
  }
  return { username, password: new Secret(password), parentUid }
}

/** Returns the error of a login that was not sent for want of credentials. */
export function credentialsError(
  { href }: URL,
  what: string,
  options?: { readonly cause: unknown },
): AuthError {
  const message = `[@svc/auth-token] POST ${href} was not sent: ${what}`
  return new AuthError('ERR_AUTH_CREDENTIALS', message, options)
}
