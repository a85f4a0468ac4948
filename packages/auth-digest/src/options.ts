import { AuthError } from '@svc/auth-hooks'
import {
  check,
  checkFunctions,
  checkOptions,
  type OptionNames,
  parseBaseUrl,
} from '@svc/auth-hooks/scheme'
import type { AuthEvent } from '@svc/types'
import { type DigestHashes, toHex } from './hashes.ts'

/** The user of a server with Digest. */
export interface DigestCredentials {
  /** The user's name, sent in UTF-8, unless the server asks for its hash. */
  readonly username: string
  /** The password, which is never sent. */
  readonly password: string
}

/** Options of {@link createDigestAuth}. */
export interface DigestAuthOptions {
  /** The server's base URL. Credentials go to its origin, and to no other: each server takes a scheme of its own. */
  baseUrl: string | URL
  /** The user, or a function that returns it: called until an answer was accepted, and again after a refusal. */
  credentials: DigestCredentials | (() => DigestCredentials | Promise<DigestCredentials>)
  /**
   * Answers challenges with MD5, and those without `qop`, for devices that know nothing else.
   *
   * @default `false`
   */
  allowMd5?: boolean | undefined
  /**
   * Computes MD5 and SHA-512/256, and SHA-256 where there is no Web Crypto: `nobleHashes()` of `@svc/auth-digest/noble`.
   *
   * @default none: SHA-256 alone, by Web Crypto
   */
  hashes?: DigestHashes | undefined
  /**
   * The longest time for which a caller waits for the challenge of another one, in milliseconds; the credentials function
   * has nine tenths of it, and fails for all who wait. Answers that were not accepted yet go one by one: each is waited for
   * so long.
   *
   * @default `15_000`
   */
  challengeTimeoutMs?: number | undefined
  /**
   * Returns a text that nobody can guess, for each answer: the `cnonce`.
   *
   * @default 128 random bits of `crypto`, which React Native does not have
   */
  createCnonce?: (() => string) | undefined
  /**
   * The time, in epoch milliseconds.
   *
   * @default `Date.now`
   */
  clock?: (() => number) | undefined
  /**
   * Receives `login.failed` and `login.paused` for refused credentials. Errors it throws are ignored.
   *
   * @default none
   */
  onEvent?: ((event: AuthEvent) => void) | undefined
}

const optionNames: OptionNames<DigestAuthOptions> = {
  baseUrl: 'url host',
  credentials: 'user username password',
  allowMd5: 'md5 algorithm algorithms',
  hashes: '',
  challengeTimeoutMs: 'timeoutMs',
  createCnonce: 'cnonce',
  clock: 'now',
  onEvent: '',
}

/** The options, checked and complete. */
export interface DigestSettings extends Pick<DigestAuthOptions, 'hashes' | 'onEvent'> {
  readonly origin: string
  readonly readCredentials: () => Promise<DigestCredentials>
  /** `true` if other credentials may come. */
  readonly mayChange: boolean
  readonly allowMd5: boolean
  readonly challengeTimeoutMs: number
  readonly createCnonce: () => string
  readonly clock: () => number
}

const caller = '[@svc/auth-digest] createDigestAuth'

/** @throws TypeError if an option is wrong; the message names it. */
export function readOptions(options: DigestAuthOptions): DigestSettings {
  const checked = checkOptions(options, caller, optionNames)
  const { origin } = parseBaseUrl(checked.baseUrl, caller)
  const { credentials, hashes, onEvent } = checked
  const { allowMd5 = false, challengeTimeoutMs = 15_000 } = checked
  const random = (): string => toHex(crypto.getRandomValues(new Uint8Array(16)))
  const { clock = Date.now, createCnonce = random } = checked
  check(typeof allowMd5 === 'boolean', caller, 'allowMd5 must be true or false')
  const areHashes = hashes ? typeof hashes.hash === 'function' : hashes === undefined && !allowMd5
  check(areHashes, caller, 'hashes must be like nobleHashes(), which allowMd5 needs')
  const isTime = challengeTimeoutMs > 0 && challengeTimeoutMs < 2 ** 31
  check(isTime, caller, 'challengeTimeoutMs must be a number of ms')
  checkFunctions({ clock, createCnonce, onEvent }, caller)
  const mayChange = typeof credentials === 'function'
  const fixed = mayChange ? undefined : copyCredentials(credentials)
  if (typeof fixed === 'string') check(false, caller, fixed)
  // Before those who wait for it give up, so that its failure is theirs too.
  const sourceTimeoutMs = challengeTimeoutMs * 0.9
  const readCredentials = async (): Promise<DigestCredentials> =>
    fixed ?? callForCredentials(credentials as () => unknown, sourceTimeoutMs)
  const given = { allowMd5, hashes, challengeTimeoutMs, createCnonce, clock, onEvent }
  return { ...given, origin, readCredentials, mayChange }
}

/** Waits for a promise. Rejects if it takes longer than so many milliseconds. */
export function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('timeout')), ms)
    void promise.then(resolve, reject).then(() => clearTimeout(timer))
  })
}

async function callForCredentials(source: () => unknown, ms: number): Promise<DigestCredentials> {
  const problem = '[@svc/auth-digest] digest was not sent: '
  let given: unknown
  try {
    given = await within(Promise.resolve(source()), ms)
  } catch (cause) {
    const failure = `${problem}the credentials function failed`
    throw new AuthError('ERR_AUTH_CREDENTIALS', failure, { cause })
  }
  const read = copyCredentials(given)
  if (typeof read !== 'string') return read
  throw new AuthError('ERR_AUTH_CREDENTIALS', problem + read)
}

/** Returns a copy of credentials, or the requirement that they do not meet. */
function copyCredentials(given: unknown): DigestCredentials | string {
  try {
    if (typeof given !== 'object' || given === null) {
      return 'credentials must be { username, password } or a function'
    }
    const { username, password } = given as Partial<DigestCredentials>
    if (typeof username !== 'string' || username === '' || /\p{Cc}/u.test(username)) {
      return 'credentials.username must be text without control characters'
    }
    if (typeof password !== 'string') return 'credentials.password must be text'
    // Half of a pair of surrogates has no UTF-8.
    encodeURIComponent(username + password)
    return { username, password }
  } catch {
    // A getter of the caller's, whose error may quote the password.
    return 'credentials must be readable'
  }
}
