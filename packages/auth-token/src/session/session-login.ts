import type { AuthEvent } from '@svc/types'
import { abortable, emit } from '@svc/auth-hooks/scheme'
import { credentialsError, sameCredentials, type SessionCredentials } from '../credentials.ts'
import { startDeadline } from '../deadline.ts'
import { requestLogin } from '../login/login.ts'
import { type LoginProgress, loginTimeout } from '../login/login-errors.ts'
import type { LoginRun } from './login-run.ts'
import type { SessionSettings } from './session-options.ts'
import type { Grant, LoginAttempt, LoginOutcome, Sharing } from '../token.ts'

/** The state of a session, as far as its login needs it. */
export interface LoginState extends Omit<LoginAttempt, 'credentials' | 'logIn'> {
  /** Given by the last login that gave one. */
  readonly refreshToken: string | undefined
  /** `true` if the credentials of the session have just been read. */
  readonly isFresh: boolean
}

/** The end of an attempt to get a token, or the credentials that a scheme has now. */
export type Obtained =
  | LoginOutcome
  | { readonly name: 'moved'; readonly credentials: SessionCredentials }

/** Gets the tokens of a session from the service, or by way of its store. */
export type ObtainToken = (
  run: LoginRun,
  state: LoginState,
  signal: AbortSignal,
) => Promise<Obtained>

/** Returns the function that gets the tokens of a session. */
export function createObtainToken(
  settings: SessionSettings,
  credentials: SessionCredentials,
  sharing: Sharing | undefined,
  onEvent: (event: AuthEvent) => unknown,
): ObtainToken {
  const { title } = settings
  const about = { scheme: settings.name, origin: settings.origin } as const

  return async ({ user, progress }, state, signal) => {
    const { urgency, isFresh, refreshToken, ...rest } = state
    const { readCredentials } = user
    signal.throwIfAborted()
    if (readCredentials && !isFresh && urgency !== 'look' && urgency !== 'replace') {
      const current = await inTime(settings, progress, signal, async (deadline) =>
        readCredentials(deadline),
      )
      if (!sameCredentials(current, credentials)) return { name: 'moved', credentials: current }
    }
    progress.waitsFor = 'store'
    const logIn: LoginAttempt['logIn'] = async (last = refreshToken, spender?): Promise<Grant> => {
      // Its token would be given to all who have the key that they had before.
      if (credentials.areSame?.() === false) {
        throw credentialsError(
          title,
          'the credentials were changed after keyOf had told them apart',
        )
      }
      emit(onEvent, () => ({ ...about, type: 'login.start' }))
      progress.waitsFor = 'service'
      return inTime(settings, progress, signal, (deadline) =>
        requestLogin(settings, credentials, progress, deadline, last, spender),
      )
    }
    if (sharing) return sharing.obtain({ ...rest, urgency, credentials, logIn }, signal)
    rest.assertMayLogIn()
    return { name: 'issued', grant: await logIn() }
  }
}

/** Gives an action the whole time of a login, however long it had to wait for its turn. */
async function inTime<Result>(
  settings: SessionSettings,
  progress: LoginProgress,
  signal: AbortSignal,
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController()
  const abort = (): void => deadline.abort(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  const endDeadline = startDeadline(settings.timers, settings.loginTimeoutMs, () =>
    deadline.abort(loginTimeout(settings, progress)),
  )
  try {
    return await abortable(action(deadline.signal), deadline.signal)
  } finally {
    endDeadline()
    signal.removeEventListener('abort', abort)
  }
}
