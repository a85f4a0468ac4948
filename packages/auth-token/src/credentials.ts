import { Secret } from '@svc/auth-hooks'
import { check, isThenable, misnamed, type OptionNames } from '@svc/auth-hooks/scheme'
import { loginError } from './login/login-errors.ts'

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

/**
 * Returns the credentials; called at each login.
 *
 * @template Credentials - The credentials that it returns.
 */
export type CredentialsProvider<Credentials = UserCredentials> = (context: {
  /** Aborts when the login is overdue. */
  readonly signal: AbortSignal
}) => Credentials | Promise<Credentials>

/** Credentials as a session keeps them. */
export interface SessionCredentials {
  /** As its login gets them. */
  readonly value: object
  /** A text that no other credentials have. */
  readonly key: Secret
  /** Tells if they are still those of the key; absent where they are a copy, which cannot be changed. */
  readonly areSame?: () => boolean
  /** Returns the texts that must not stand in a message. */
  readonly secrets: () => readonly string[]
}

export type CredentialsSource = (
  signal: AbortSignal,
) => Promise<SessionCredentials> | SessionCredentials

/**
 * Checks the option, and returns fixed credentials or the function that reads them.
 *
 * @param read - Returns the credentials, or the requirement that they do not meet.
 * @param caller - Begins the message about fixed credentials.
 * @param title - Stands in the message about those that a function returns.
 * @throws TypeError naming the option if fixed credentials cannot be used.
 */
export function readCredentialsOption<Given extends object>(
  credentials: Given | CredentialsProvider<Given>,
  read: (given: Given) => SessionCredentials | string,
  caller: string,
  title: string,
): SessionCredentials | CredentialsSource {
  const readSafely = (given: Given): SessionCredentials | string => {
    try {
      return read(given)
    } catch {
      // A getter of the caller's, whose error may quote the password.
      return 'credentials must be readable'
    }
  }
  if (typeof credentials !== 'function') {
    const parsed = readSafely(credentials)
    if (typeof parsed === 'string') check(false, caller, parsed)
    return parsed
  }
  return async (signal) => {
    let given: Given
    try {
      given = await credentials({ signal })
    } catch (cause) {
      const what = 'was not sent: the credentials function failed'
      throw loginError(title, 'ERR_AUTH_CREDENTIALS', what, { cause })
    }
    const parsed = readSafely(given)
    if (typeof parsed !== 'string') return parsed
    throw loginError(title, 'ERR_AUTH_CREDENTIALS', `was not sent: ${parsed}`)
  }
}

const credentialNames: OptionNames<UserCredentials> = {
  username: 'user login email name',
  password: 'pass secret',
  parentUid: '',
}

/** Returns the credentials of a user, or the requirement that they do not meet. */
export function readUserCredentials(given: UserCredentials): SessionCredentials | string {
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
  return {
    value: texts,
    key: new Secret(joinedKey([username, password, parentUid ?? false])),
    secrets: () => [password],
  }
}

/** Joins texts so that no two lists give the same key. Not as an array, which a library may turn into other JSON. */
export function joinedKey(parts: readonly (string | number | boolean)[]): string {
  return parts.map((part) => JSON.stringify(part)).join()
}

/**
 * Returns credentials with a text that no others have, or the requirement that they do not meet. Plain data is copied,
 * since the caller may change its own object after the key was made.
 *
 * @param keyOf - Returns the text, for credentials that are no plain data.
 */
export function readKeyedCredentials<Credentials extends object>(
  given: Credentials,
  keyOf: ((credentials: Credentials) => string) | undefined,
): SessionCredentials | string {
  if (typeof given !== 'object' || given === null || isThenable(given)) {
    return 'credentials must be an object, or a function that returns it'
  }
  const unset = Object.entries(given).find(([, value]) => value === undefined)
  if (unset && !keyOf) return `credentials.${unset[0]} must not be undefined`
  let json: string | undefined
  try {
    json = jsonOf(given)
  } catch {
    if (!keyOf)
      return 'credentials must be plain data (text, finite numbers, booleans, null, and objects and arrays of these), or keyOf must be given'
  }
  const value: Credentials = json === undefined ? given : JSON.parse(json)
  const key: unknown = keyOf ? keyOf(value) : json
  if (typeof key !== 'string' || key === '') return 'keyOf must return a non-empty string'
  return {
    value,
    key: new Secret(key),
    secrets: () => textsIn(value),
    ...(keyOf && value === given && { areSame: () => keyOf(value) === key }),
  }
}

/**
 * Returns plain data as JSON with its names sorted.
 *
 * @throws TypeError for anything that JSON does not show as it is; RangeError for data without an end.
 */
function jsonOf(value: unknown): string {
  const isText = typeof value === 'string' || typeof value === 'boolean' || value === null
  if (isText || Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`
  const prototype: unknown = Object.getPrototypeOf(value)
  // An object of another realm, as in a test runner, has another `Object.prototype`.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  if (typeof value !== 'object' || !isPlain) throw new TypeError('no plain data')
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, part]) => `${JSON.stringify(name)}:${jsonOf(part)}`)
  return `{${parts.join()}}`
}

/** Returns the texts in a value, which must not stand in a message. */
export function textsIn(value: unknown, seen: Set<unknown> = new Set()): string[] {
  if (typeof value === 'string') return [value]
  if (value instanceof Secret) return [value.reveal()]
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  return Object.values(value).flatMap((part) => textsIn(part, seen))
}
