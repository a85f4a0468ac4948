import { AuthError, type Fetch } from '@svc/auth-hooks'
import { emit } from '@svc/auth-hooks/scheme'
import { requestLogin } from '../login/login.ts'
import { readJson } from '../oauth2/grant-login.ts'
import { lockoutMs, pauseEnd } from '../session/back-off.ts'
import type { SharingSettings } from '../session/session-options.ts'
import { settleSoon } from '../sharing/refresh.ts'
import type { StoreSlot } from '../sharing/store-slot.ts'
import type { LoginAttempt, LoginOutcome } from '../token.ts'
import type { SignInSettings } from './options.ts'
import { registrationIn } from './registration.ts'
import { type Asking, noteSecrets, type Way } from './way.ts'

const mostSwaps = 100

/** What asks the user, for the sessions of a login. */
export interface Asker {
  readonly way: Way
  readonly settings: SignInSettings
  readonly options: Asking['options']
}

/** A question to the user, and the record that its answer is for. */
export interface Question {
  readonly record: StoreSlot
  /** The slot whose lock is the turn to ask. */
  readonly turns: StoreSlot
  readonly settings: SharingSettings
  readonly attempt: LoginAttempt
  readonly asker: Asker
  readonly signal: AbortSignal
  /** Told if it is the user who is waited for: not once they have answered, when only the server has to. */
  readonly onUserAwaited: (isAwaited: boolean) => void
}

/**
 * Asks the user, and stores what comes of it for all who share the record.
 *
 * @param onOver - Called once there is something to store.
 */
export async function askUser(question: Question, onOver: () => void): Promise<LoginOutcome> {
  const { record, turns, settings, attempt, asker, signal, onUserAwaited } = question
  const { clock, timers, loginTimeoutMs, name, origin, onEvent, purpose } = settings
  const { way, settings: own, options } = asker
  const { content } = await record.read()
  let isAsked = false
  const onAsked = (expiresAt: number | undefined): void => {
    isAsked = expiresAt !== undefined
    if (expiresAt === undefined) return
    emit(onEvent, () => ({
      type: 'sign-in.asked',
      scheme: name,
      origin,
      method: way.method,
      expiresAt,
    }))
  }
  const registration = registrationIn(turns, clock)
  const common = { options, settings: own, timers, requestMs: loginTimeoutMs, now: clock }
  const asking = { ...common, registration, onAsked }
  // Each of its steps has a limit of its own, and the user one for all.
  const limitMs = Math.min(own.timeoutMs + 10 * loginTimeoutMs, 2 ** 31 - 1)
  const watch =
    (fetch: Fetch): Fetch =>
    async (...sent) => {
      // The browser came back, and its code is good for one exchange.
      if (isAsked && way.method === 'loopback') onUserAwaited(false)
      const response = await fetch(...sent)
      if (!isAsked || !response.ok) return response
      // The device code was used up, unless this is one of the refusals with status 200.
      onUserAwaited(false)
      const body = await readJson(response.clone())
      if (body?.['error']) onUserAwaited(true)
      return response
    }
  const logIn: SharingSettings['logIn'] = ({ fetch, signal: until, credentials }) => {
    const noted: (string | undefined)[] = [options.clientSecret]
    const onSecret = (secret: string | undefined): void => {
      noted.push(secret)
      noteSecrets(credentials, ...noted)
    }
    return way.ask({ ...asking, onSecret, sender: { fetch: watch(fetch), signal: until } })
  }
  try {
    const around = { ...settings, loginTimeoutMs: limitMs, logIn }
    const grant = await requestLogin(around, attempt.credentials, signal)
    onOver()
    const { value, lifetimeMs, refreshToken, binding } = grant
    const [issuedAt, replacements] = [clock(), attempt.replacements()]
    const expiresAt = issuedAt + lifetimeMs
    const token = { value, purpose, issuedAt, expiresAt, replacements, binding }
    const next = { token, refreshToken }
    const result = { name: 'result', content: next, spent: content.refreshToken } as const
    const written = await settleSoon(record, crypto.randomUUID(), result, settings)
    if (options.clientId === undefined) await registration.write(undefined)
    return { name: 'issued', grant: { ...grant, generation: written?.generation } }
  } catch (error) {
    onOver()
    signal.throwIfAborted()
    if (options.clientId === undefined && mayBeOver(error, isAsked)) {
      await registration.write(undefined)
    }
    // What failed before the user was asked may pass, and nobody has been bothered.
    if (!isAsked || !AuthError.is(error)) throw error
    return lockOut(record, error, content.refreshToken, settings)
  }
}

/** Tells if a sign-in may have failed since its server does not know the client any more: its page does not come back. */
function mayBeOver(error: unknown, isAsked: boolean): boolean {
  if (!AuthError.is(error)) return false
  const isRefused =
    error.code === 'ERR_AUTH_SIGN_IN_FAILED' && (isAsked || error.status !== undefined)
  return isRefused || error.code === 'ERR_AUTH_SIGN_IN_TIMEOUT'
}

/** Keeps all who share the record from asking again at once, unless another has signed in since it had this refresh token. */
async function lockOut(
  record: StoreSlot,
  error: AuthError,
  refreshToken: string | undefined,
  { clock }: SharingSettings,
): Promise<LoginOutcome> {
  const { code, status, serverMessage } = error
  let lockout = { refusals: 1, retryAt: pauseEnd(clock(), lockoutMs(1), error.retryAt) }
  for (let turn = 0; turn < mostSwaps; turn += 1) {
    const opened = await record.read().catch(() => undefined)
    if (!opened || opened.content.refreshToken !== refreshToken) break
    const { content } = opened
    const last = content.lockout?.code === 'ERR_AUTH_SIGN_IN_NEEDED' ? undefined : content.lockout
    const refusals = (last?.refusals ?? 0) + 1
    lockout = { refusals, retryAt: pauseEnd(clock(), lockoutMs(refusals), error.retryAt) }
    const next = { ...content, lockout: { ...lockout, status, code, serverMessage } }
    if (await record.swap(opened, next).catch(() => opened)) break
  }
  return { name: 'locked-out', lockout, error, isOwn: true }
}
