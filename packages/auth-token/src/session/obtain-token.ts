import type { AuthEvent } from '@svc/types'
import { emit } from '@svc/auth-hooks/scheme'
import { credentialsError, type SessionCredentials } from '../credentials.ts'
import { inTime } from '../deadline.ts'
import { requestLogin } from '../login/login.ts'
import { type LoginProgress, loginTimeout } from '../login/login-errors.ts'
import type { LoginRun } from './login-run.ts'
import type { SessionSettings } from './session-options.ts'
import type { LoginAttempt, LoginOutcome, Sharing } from '../token.ts'

/** The parts of a session that do not change. */
export interface SessionBase {
  readonly settings: SessionSettings
  readonly credentials: SessionCredentials
  readonly sharing: Sharing | undefined
  /** Tells the scheme whose login was begun last, until that is over. */
  readonly onEvent: (event: AuthEvent) => unknown
}

/** The need of a session for a token. */
export interface LoginWish extends Omit<LoginAttempt, 'credentials' | 'logIn'> {
  /** Given by the last login that gave one. */
  readonly refreshToken: string | undefined
  /** `true` if the credentials of the session have just been read. */
  readonly isFresh: boolean
}

/** The end of an attempt to get a token, or the credentials that a scheme has now. */
export type Obtained =
  | LoginOutcome
  | { readonly name: 'moved'; readonly credentials: SessionCredentials }

/** Gets a token from the service, or by way of the store: reads the credentials, claims the login, sends it. */
export async function obtainToken(
  { settings, credentials, sharing, onEvent }: SessionBase,
  { user, progress }: LoginRun,
  { isFresh, refreshToken, ...wish }: LoginWish,
  signal: AbortSignal,
): Promise<Obtained> {
  const { urgency, assertMayLogIn } = wish
  const { readCredentials } = user
  signal.throwIfAborted()
  if (readCredentials && !isFresh && (urgency === 'renew' || urgency === 'log-in')) {
    const current = await inLoginTime(settings, progress, signal, readCredentials)
    if (current.key.reveal() !== credentials.key.reveal()) {
      return { name: 'moved', credentials: current }
    }
  }
  progress.waitsFor = 'store'
  const logIn: LoginAttempt['logIn'] = async (last = refreshToken, spender?) => {
    // Its token would be given to all who have the key that they had before.
    if (credentials.areSame?.() === false) {
      const what = 'the credentials were changed after keyOf had told them apart'
      throw credentialsError(settings.title, what)
    }
    const { name: scheme, origin } = settings
    emit(onEvent, () => ({ scheme, origin, type: 'login.start' }))
    progress.waitsFor = 'service'
    return inLoginTime(settings, progress, signal, (deadline) =>
      requestLogin(settings, credentials, progress, deadline, last, spender),
    )
  }
  if (sharing) return sharing.obtain({ ...wish, credentials, logIn }, signal)
  assertMayLogIn()
  return { name: 'issued', grant: await logIn() }
}

/** Gives an action the whole time of a login, however long it had to wait for its turn. */
export function inLoginTime<Result>(
  settings: SessionSettings,
  progress: LoginProgress,
  signal: AbortSignal,
  action: (signal: AbortSignal) => Promise<Result> | Result,
): Promise<Result> {
  const late = (): unknown => loginTimeout(settings, progress)
  return inTime(settings.timers, settings.loginTimeoutMs, late, signal, action)
}
