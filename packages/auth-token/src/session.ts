import { AuthError } from '@svc/auth-hooks'
import { emit, untilAborted } from '@svc/auth-hooks/scheme'
import { isLatching } from './back-off.ts'
import { loginError, requestLogin } from './login-request.ts'
import {
  initialState,
  invalidated,
  isCurrent,
  loginFailed,
  loginGivenUp,
  loginStarted,
  loginSucceeded,
  nextStep,
  type SessionState,
  type Token,
  tokenAccepted,
  tokenRejected,
  validToken,
} from './session-state.ts'
import type { TokenAuthSettings } from './token-auth-options.ts'
import { type HeldCredentials, sameCredentials } from './user-credentials.ts'

/**
 * What a session tells of itself. Instants are epoch milliseconds.
 *
 * @example
 * const { state, expiresAt } = auth.inspect()
 */
export interface SessionReport {
  /** `valid` also while a token is renewed; `latched` while no login is made. */
  readonly state: 'empty' | 'logging-in' | 'valid' | 'latched'
  /** When the token expires, where there is one. */
  readonly expiresAt?: number
  /** When the next login may be made, where it has to wait. */
  readonly retryAt?: number
  /** How many tokens were issued so far. */
  readonly generation: number
}

/** The thin shell around the states: the network, the clock and those who wait. */
export interface Session {
  /** The token that is there, at once; begins its renewal where that is due. */
  held(): Token | undefined
  /** The token, after a login where one is needed. */
  token(signal: AbortSignal | undefined): Promise<Token>
  /** Whether the request is worth another attempt with another token. */
  rejected(generation: number, status: number): boolean
  accepted(generation: number): void
  invalidate(): void
  report(): SessionReport
}

interface SharedLogin {
  readonly attempt: number
  readonly promise: Promise<Token>
}

/** A session with no token yet. Nothing happens until it is asked for one. */
export function createSession(settings: TokenAuthSettings): Session {
  const { clock, random, loginTimeoutMs, loginUrl, onEvent } = settings
  const about = { scheme: 'token', origin: loginUrl.origin } as const
  let state: SessionState = initialState
  let shared: SharedLogin | undefined
  let refused: HeldCredentials | undefined

  const start = (): Promise<Token> => {
    state = loginStarted(state, clock())
    const { attempt } = state
    // In a microtask, so that a provider or an observer that asks for a token finds this login.
    const promise = Promise.resolve().then(() => logIn(attempt))
    const settled = promise.then(ignore, ignore)
    shared = { attempt, promise }
    try {
      settings.waitUntil?.(settled)
    } catch {
      // A worker's context that has ended cannot be extended.
    }
    return promise
  }

  const logIn = async (attempt: number): Promise<Token> => {
    const deadline = new AbortController()
    const timer = setTimeout(() => {
      const what = `was not answered in ${loginTimeoutMs} ms`
      deadline.abort(loginError(loginUrl, 'ERR_AUTH_LOGIN_TIMEOUT', what))
    }, loginTimeoutMs)
    try {
      const grant = await untilAborted(obtain(attempt, deadline.signal), deadline.signal)
      return succeed(attempt, grant)
    } catch (error) {
      throw isCurrent(state, attempt) ? fail(error) : error
    } finally {
      clearTimeout(timer)
    }
  }

  const obtain = async (attempt: number, signal: AbortSignal) => {
    const credentials = await settings.readCredentials(signal)
    const { pause } = state
    if (pause && clock() < pause.retryAt && isCurrent(state, attempt)) {
      if (refused && sameCredentials(refused, credentials)) throw pause.error
    }
    // An abort that came meanwhile has been answered, and nothing may be sent after it.
    signal.throwIfAborted()
    emit(onEvent, () => ({ ...about, type: 'login.start' }))
    try {
      return await requestLogin(settings, credentials, signal)
    } catch (error) {
      if (AuthError.is(error) && isLatching(error)) refused = credentials
      throw error
    }
  }

  const succeed = (attempt: number, grant: { value: string; lifetimeMs: number }): Token => {
    const { renewBeforeMs } = settings
    const next = loginSucceeded(state, { ...grant, renewBeforeMs }, clock(), random)
    // Whoever waits for a login that was given up gets its token, and nobody else does.
    if (!isCurrent(state, attempt)) return { ...next.token, generation: 0 }
    state = next
    refused = undefined
    const { generation, expiresAt } = next.token
    emit(onEvent, () => ({ ...about, type: 'login.ok', generation, expiresAt }))
    return next.token
  }

  const fail = (error: unknown): unknown => {
    const earlier = state.pause
    if (!AuthError.is(error) || error.code === 'ERR_AUTH_CREDENTIALS' || error === earlier?.error) {
      state = loginGivenUp(state)
      return error
    }
    state = loginFailed(state, error, clock(), random)
    const { code, status } = error
    const known = status === undefined ? {} : { status }
    emit(onEvent, () => ({ ...about, type: 'login.failed', code, ...known }))
    const { pause } = state
    if (!pause) return error
    emit(onEvent, () => ({ ...about, type: 'latched', retryAt: pause.retryAt, ...known }))
    return pause.error
  }

  const token = async (signal: AbortSignal | undefined): Promise<Token> => {
    signal?.throwIfAborted()
    const step = nextStep(state, clock(), loginTimeoutMs)
    if (step.name === 'use') {
      if (step.isRenewalDue) renew()
      return step.token
    }
    if (step.name === 'wait' && shared) return untilAborted(join(shared, signal), signal)
    const mayHaveChanged = settings.credentialsCanChange
    if (step.name === 'fail' && !(mayHaveChanged && isLatching(step.pause.error))) {
      throw step.pause.error
    }
    return untilAborted(start(), signal)
  }

  // In workerd the login of another request may never settle, so those who join it keep the time.
  const join = (login: SharedLogin, signal: AbortSignal | undefined): Promise<Token> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (signal?.aborted) return
        const isDead = isCurrent(state, login.attempt)
        ;(isDead ? start() : token(signal)).then(resolve, reject)
      }, loginTimeoutMs)
      const settled = (): void => clearTimeout(timer)
      login.promise.then(resolve, reject).finally(settled)
    })

  const renew = (): void => {
    start().catch(ignore)
  }

  return {
    token,
    held() {
      const step = nextStep(state, clock(), loginTimeoutMs)
      if (step.name !== 'use') return undefined
      if (step.isRenewalDue) renew()
      return step.token
    },
    rejected(generation, status) {
      emit(onEvent, () => ({ ...about, type: 'token.rejected', generation, status }))
      const next = tokenRejected(state, generation, clock())
      state = next ?? state
      return next !== undefined
    },
    accepted(generation) {
      state = tokenAccepted(state, generation)
    },
    invalidate() {
      state = invalidated(state)
      refused = undefined
    },
    report() {
      const now = clock()
      const { generation, pause } = state
      const held = validToken(state, now)
      const retryAt = pause && now < pause.retryAt ? pause.retryAt : undefined
      const isLoggingIn = 'startedAt' in state
      return {
        state: held ? 'valid' : isLoggingIn ? 'logging-in' : retryAt ? 'latched' : 'empty',
        generation,
        ...(held && { expiresAt: held.expiresAt }),
        ...(retryAt && { retryAt }),
      }
    },
  }
}

function ignore(): void {}
