import { AuthError, type AuthErrorCode } from '@svc/auth-hooks'
import { misnamed, type OptionNames } from '@svc/auth-hooks/scheme'
import { type SessionCredentials, textsIn } from '../credentials.ts'
import { inTime } from '../timers.ts'
import type { SessionSettings } from '../session/session-options.ts'
import { type BeforeSending, type Grant, loginKey } from '../token.ts'
import { loginError, refusal } from './login-errors.ts'
import { type LastResponse, loginFetch } from './login-fetch.ts'
import type { LoginResult } from './login-function.ts'
import { causesOf, wasNeverSent } from './network-error.ts'
import { readServerMessage } from './server-message.ts'
import { boundedLifetime, tokenLifetime } from './token-lifetime.ts'

/**
 * Makes one login and checks its result. It has the whole time of a login, however long it had to wait for its turn.
 *
 * @param beforeSending - Called before each request that may spend the refresh token.
 * @throws AuthError with one of the codes `ERR_AUTH_LOGIN_…`, or the one that the login threw.
 */
export async function requestLogin(
  settings: SessionSettings,
  credentials: SessionCredentials,
  signal: AbortSignal,
  refreshToken?: string,
  beforeSending?: BeforeSending,
): Promise<Grant> {
  const { clock, loginTimeoutMs, timers, title } = settings
  const last: LastResponse = { text: '' }
  const secrets = (): string[] => [...credentials.secrets(), ...textsIn(refreshToken)]
  const what = `got no response of the service within ${loginTimeoutMs} ms (loginTimeoutMs)`
  const late = (): AuthError => last.failure ?? loginError(title, 'ERR_AUTH_LOGIN_TIMEOUT', what)
  let result: unknown
  try {
    result = await inTime(timers, loginTimeoutMs, late, signal, (deadline) => {
      const context = {
        credentials: credentials.value as never,
        fetch: loginFetch({ ...settings, secrets, beforeSending }, last, deadline),
        signal: deadline,
        ...(refreshToken !== undefined && { previous: { refreshToken } }),
        [loginKey]: settings,
      }
      return settings.logIn(context)
    })
  } catch (cause) {
    signal.throwIfAborted()
    if (AuthError.is(cause)) throw cause
    throw last.failure ?? failureOf(cause, last, title)
  }
  const now = clock()
  const wrong = wrongIn(result, now)
  if (wrong) {
    const [code, problem] = wrong
    // A login that does not look at the status has no token to return.
    if (code === 'ERR_AUTH_LOGIN_NO_TOKEN' && last.failure) throw last.failure
    // With status 200, a service may say that it refuses.
    const serverMessage = readServerMessage(last.text, [...secrets(), ...textsIn(result)])
    const told = last.status === undefined ? `${problem}; use the given fetch` : problem
    throw loginError(title, code, `returned ${told}`, { status: last.status, serverMessage })
  }
  const { token, expiresAt, expiresInMs, refreshToken: next, binding } = result as LoginResult
  const givenMs = expiresInMs ?? (expiresAt === undefined ? undefined : expiresAt - now)
  const ownMs = () => tokenLifetime(token, last.serverTimeMs, settings.defaultLifetimeMs, now)
  const lifetimeMs = givenMs === undefined ? ownMs() : boundedLifetime(givenMs)
  return { value: token, lifetimeMs, refreshToken: next, binding }
}

const resultNames: OptionNames<LoginResult> = {
  token: 'access_token accessToken jwt id_token',
  expiresAt: 'expires_at expiry exp',
  expiresInMs: 'expiresIn expires_in lifetimeMs',
  refreshToken: 'refresh_token',
  binding: '',
}

type Wrong = readonly [code: AuthErrorCode, what: string]

/** Returns what is wrong with the result of a login, and its code. */
function wrongIn(result: unknown, now: number): Wrong | undefined {
  const given = (typeof result === 'object' && result ? result : {}) as Record<string, unknown>
  const misnomer = misnamed(given, 'the result of login', resultNames)
  const bad = (what: string) => ['ERR_AUTH_LOGIN_BAD_TOKEN', what] as const
  if (misnomer) return bad(`something else: ${misnomer}`)
  const { token, expiresAt, expiresInMs, refreshToken } = given
  const missing = 'token' in given ? 'no token' : 'something else than an object { token }'
  if (token === undefined || token === null) return ['ERR_AUTH_LOGIN_NO_TOKEN', missing]
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token)) {
    return bad('a token that is empty or no header value; leave out `Bearer `')
  }
  const isTime = (ms: unknown): boolean =>
    ms === undefined || (typeof ms === 'number' && ms >= 0 && ms < Infinity)
  // An instant of seconds is far in the past.
  if (!isTime(expiresAt) || Number(expiresAt) < now / 100) {
    return bad('expiresAt, which is no epoch milliseconds, such as Date.parse(iso)')
  }
  if (!isTime(expiresInMs)) return bad('expiresInMs, which is no number of milliseconds')
  const isText = typeof refreshToken === 'string' && refreshToken !== ''
  return refreshToken === undefined || isText ? undefined : bad('refreshToken, which is no text')
}

/** Returns the failure of a login of one's own, which may have sent what it sent by a client of its own. */
function failureOf(cause: unknown, { status, type }: LastResponse, title: string): AuthError {
  if (status !== undefined && type?.startsWith('text/html')) {
    const what = `failed after a response with status ${status}, which is a page of HTML`
    return loginError(title, 'ERR_AUTH_LOGIN_NOT_JSON', what, { status, cause })
  }
  const told = statusIn(cause)
  if (told !== undefined) return refusal(title, 'ERR_AUTH_LOGIN_REFUSED', { status: told, cause })
  // Else any of them may have looked at the password: more of them could lock the account.
  const isTransient = Object(cause).transient === true || wasNeverSent(cause)
  const code = isTransient ? 'ERR_AUTH_LOGIN_FAILED' : 'ERR_AUTH_LOGIN_REFUSED'
  const [thrown] = causesOf(cause)
  const what = `failed${thrown?.name ? `: it threw ${thrown.name} ${thrown.code}`.trimEnd() : ''}`
  return loginError(title, code, what, { status: isTransient ? undefined : status, cause })
}

/** Returns the status of a refusal that an error of another client tells. */
function statusIn(error: unknown): number | undefined {
  for (const { link } of causesOf(error)) {
    const { status, statusCode, response } = Object(link) as Record<string, unknown>
    const told = [status, statusCode, Object(response).status].find(
      (one) => typeof one === 'number' && one >= 400 && one < 600,
    )
    if (told !== undefined) return told as number
  }
  return undefined
}
