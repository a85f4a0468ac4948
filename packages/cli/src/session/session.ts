import { AuthError } from '@svc/auth-hooks'
import {
  createSessionAuth,
  createTokenAuth,
  type LoginResult,
  type TokenAuth,
} from '@svc/auth-token'
import type { Fetch } from '@svc/types'
import { type ConfiguredUser, passwordRemedy } from '../configuration/configured-user.ts'
import { type SecretPlace, withoutLineEnd } from '../configuration/settings.ts'
import type { CommandContext } from '../context.ts'
import { errorCode, UsageError } from '../exit.ts'
import {
  createMemoryRecord,
  findRecord,
  type SessionRecord,
  watchLocks,
  whyUnkept,
} from './record.ts'

/** A session of the user, which all commands share. */
export interface UserSession {
  readonly auth: TokenAuth
  /**
   * Logs in, if there is no token or `anew`, and resolves to the instant at which the token expires, as far as it is
   * known. A login anew that fails leaves the session as it is.
   */
  logIn(anew?: 'anew'): Promise<number | undefined>
  /** Resolves to the instant at which the token that is kept expires; `undefined` if there is none. Sends nothing. */
  expiresAt(): Promise<number | undefined>
  /** Resolves to why nothing of the session can be kept on this machine; `undefined` if it can. */
  whyUnkept(): Promise<string | undefined>
  /** Waits for the end of a login that is under way, and forgets a session that is over. */
  close(): Promise<void>
}

/** Settings of a session. */
export interface UserSessionSettings {
  readonly baseUrl: string
  readonly user: ConfiguredUser
  readonly fetch: Fetch
  readonly context: CommandContext
  /** `true` if http may be spoken beyond this machine. */
  readonly allowsInsecureHttp: boolean
  /** `false` for one that only looks for a token that is there. */
  readonly mayLogIn: boolean
}

/** The time that somebody has to type a password. */
const promptMs = 5 * 60_000

/**
 * Opens the session of a user. Its record is sealed with a random key instead of the password, so that a command
 * without the password can use the token of one that had it.
 */
export async function openUserSession(settings: UserSessionSettings): Promise<UserSession> {
  const { baseUrl, user, context } = settings
  const { username, parentUid } = user
  const kept = await findRecord([baseUrl, username.value, parentUid?.value], context)
  const place = settings.mayLogIn ? await user.find() : undefined
  const { clock } = context
  let inMemory: Promise<SessionRecord> | undefined
  const open = async (): Promise<SessionRecord> => {
    if (inMemory) return inMemory
    const reason = settings.mayLogIn ? await whyUnkept(kept, context) : undefined
    if (reason === undefined) return kept
    if (!place) throw new UsageError(`${reason}, or set SVC_AUTH_PASSWORD`)
    if (!inMemory) context.stderr.write(`svc-auth: ${reason}\n`)
    return (inMemory ??= createMemoryRecord(clock))
  }
  /** `true` once the service refused the token that was kept, or it ended, and there is no other one. */
  let isOver = false
  let keepsToken = false
  /** The status by which the service refused a token, which it had given. */
  let endedBy: number | undefined
  let login: Promise<unknown> | undefined
  const locks = watchLocks(async () => (await open()).openStore())
  const auth = createSessionAuth<{ readonly sealingKey: string }>({
    name: 'token',
    baseUrl,
    credentials: async () => ({ sealingKey: await (await open()).readKey() }),
    keyOf: ({ sealingKey: text }) => text,
    login: ({ signal }) => {
      isOver = !place && settings.mayLogIn
      const own = place
        ? logIn(settings, place, open, signal)
        : Promise.reject(notLoggedIn(settings, endedBy))
      login = own.catch((error: unknown) => {
        const isRefused = errorCode(error) === 'ERR_AUTH_LOGIN_FAILED'
        isOver ||= isRefused && !keepsToken && auth.inspect().state !== 'valid'
      })
      return own
    },
    headers: (token) => ({ 'x-svc-security-token': token, 'x-svc-route-token': 'login' }),
    store: locks.store,
    // Nobody wants to be asked while the token is still good.
    ...((!place || place.isPrompt) && { renewBeforeMs: 0 }),
    ...(place?.isPrompt && { loginTimeoutMs: promptMs }),
    fetch: settings.fetch,
    allowInsecureHttp: settings.allowsInsecureHttp,
    clock,
    onEvent: (event) => {
      if (event.type === 'token.rejected') endedBy = event.status
    },
  })
  const logInNow = async (anew?: 'anew'): Promise<number | undefined> => {
    await auth.getToken({ signal: context.signal })
    if (anew) {
      // Only the token that a session has taken from its record can be given up.
      keepsToken = true
      await auth.invalidate()
      await auth.getToken({ signal: context.signal })
    }
    return auth.inspect().expiresAt
  }
  return {
    auth,
    logIn: logInNow,
    whyUnkept: () => whyUnkept(kept, context),
    expiresAt: () =>
      logInNow()
        .catch(() => undefined)
        .finally(() => locks.unlocked()),
    async close() {
      await login
      await locks.unlocked()
      // Otherwise the next command would take it for good again.
      if (isOver) await (await open()).forget().catch(() => {})
    },
  }
}

/** Says that there is no session, or no more, and how to begin one. */
function notLoggedIn(
  { user, context, mayLogIn }: UserSessionSettings,
  endedBy: number | undefined,
): AuthError {
  const name = user.username.value
  const what =
    endedBy === undefined
      ? `${name} is not logged in`
      : `the service ended the session of ${name} (${endedBy}), as another login of this user may do`
  const remedy = mayLogIn ? `: ${passwordRemedy(context, user)}` : ''
  return new AuthError('ERR_AUTH_CREDENTIALS', `[@svc/cli] ${what}${remedy}`)
}

async function logIn(
  { baseUrl, user, context, ...settings }: UserSessionSettings,
  place: SecretPlace<string>,
  open: () => Promise<SessionRecord>,
  signal: AbortSignal | undefined,
): Promise<LoginResult> {
  const { clock } = context
  const record = await open()
  // Its record, which is sealed with the password, keeps the refusals of this very password.
  const locks = watchLocks(async () => record.openRefusals())
  let isSent = false
  // The login of the service, with its checks and messages; the session around it keeps the token.
  const login = createTokenAuth({
    baseUrl,
    credentials: {
      username: user.username.value,
      password: withoutLineEnd(await place.read()),
      ...(user.parentUid && { parentUid: user.parentUid.value }),
    },
    session: 'own',
    store: locks.store,
    fetch: (...request) => {
      isSent = true
      return settings.fetch(...request)
    },
    allowInsecureHttp: settings.allowsInsecureHttp,
    clock,
  })
  try {
    const token = await login.getToken({ signal })
    const { expiresAt } = login.inspect()
    await locks.unlocked()
    await record.forgetRefusals()
    return { token, ...(expiresAt !== undefined && { expiresAt }) }
  } catch (cause) {
    if (!AuthError.is(cause) || cause.code !== 'ERR_AUTH_LOGIN_REFUSED') throw cause
    const { message, status, serverMessage, retryAt } = cause
    const what = isSent
      ? message
      : `[@svc/cli] nothing was sent to ${baseUrl}, since the last login with this password was refused with status ${status}`
    const text = `${what}; the user is ${user.username.value}, the password from ${place.source}`
    // To the session around it, whose record knows no password, it is a failure that passes: another password is tried.
    throw new AuthError('ERR_AUTH_LOGIN_FAILED', text, { cause, serverMessage, retryAt })
  } finally {
    await locks.unlocked()
  }
}
