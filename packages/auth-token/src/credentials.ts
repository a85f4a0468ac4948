import { AuthError, Secret } from '@svc/auth-hooks'

/**
 * Who logs in.
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

/** Credentials that are known to be usable, and whose password does not show itself. */
export interface HeldCredentials {
  readonly username: string
  readonly password: Secret
  readonly parentUid: string | undefined
}

/** Reads the credentials for one login. */
export type CredentialsSource = (signal: AbortSignal) => Promise<HeldCredentials> | HeldCredentials

/**
 * Checks the option once and gives what reads it at each login.
 *
 * @param operation - What a message names, such as `POST https://search.example.com/user/login`.
 * @throws TypeError naming the option where fixed credentials cannot be used.
 */
export function credentialsSource(
  credentials: UserCredentials | CredentialsProvider,
  operation: string,
): CredentialsSource {
  if (typeof credentials !== 'function') {
    const held = hold(credentials)
    return () => held
  }
  return async (signal) => {
    const refuse = (what: string, options?: { cause: unknown }): AuthError =>
      new AuthError(
        'ERR_AUTH_CREDENTIALS',
        `[@svc/auth-token] ${operation} was not sent: ${what}`,
        options,
      )
    let given: UserCredentials
    try {
      given = await credentials({ signal })
    } catch (cause) {
      throw refuse('the credentials function failed', { cause })
    }
    try {
      return hold(given)
    } catch (error) {
      throw refuse(error instanceof TypeError ? error.message : 'the credentials cannot be read')
    }
  }
}

/** Whether two logins would say the same of the user. */
export function sameCredentials(one: HeldCredentials, other: HeldCredentials): boolean {
  return (
    one.username === other.username &&
    one.parentUid === other.parentUid &&
    one.password.reveal() === other.password.reveal()
  )
}

function hold(given: UserCredentials): HeldCredentials {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError('credentials must be an object with username and password')
  }
  const { username, password, parentUid } = given
  const text = (name: string, value: unknown): string => {
    if (typeof value === 'string' && value !== '') return value
    throw new TypeError(`credentials.${name} must be a non-empty string`)
  }
  return {
    username: text('username', username),
    password: new Secret(text('password', password)),
    parentUid: parentUid === undefined ? undefined : text('parentUid', parentUid),
  }
}
