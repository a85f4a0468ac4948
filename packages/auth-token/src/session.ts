import { AuthError } from '@svc/auth-hooks'
import { emit, abortable } from '@svc/auth-hooks/scheme'
import { isLatching } from './back-off.ts'
import { createLogin, type LoginView } from './obtain.ts'
import { loginError, loginRefused } from './login.ts'
import {
  activePause,
  type Grant,
  initialState,
  invalidated,
  isAhead,
  isCurrent,
  loginFailed,
  loginGivenUp,
  loginLatched,
  loginStarted,
  loginSucceeded,
  nextStep,
  type SessionState,
  type Step,
  type Token,
  tokenRejected,
  validToken,
} from './token.ts'
import type { TokenAuthSettings } from './options.ts'
import type { Need, Outcome } from './sharing/sharing.ts'

/** The state of a session. Instants are epoch milliseconds. */
export interface SessionReport {
  /**
   * `empty`: no token and no login in progress; `logging-in`: no token yet; `valid`: a token, also while it
   * is being renewed; `latched`: no token, and no login until `retryAt`.
   */
  readonly state: 'empty' | 'logging-in' | 'valid' | 'latched'
  /** When the token expires, if there is one. */
  readonly expiresAt?: number
  /** When the next login may be made, if it has to wait. */
  readonly retryAt?: number
  /** The number of the last token; with a store, the generation of its record. */
  readonly generation: number
}

/** The thin shell around the states: the network, the store, the clock and those who wait. */
export interface Session {
  /**
   * The token that is there, at once; begins its renewal where that is due. None for a request that
   * can be sent only once, where a better token may come.
   */
  held(isSentOnce: boolean): Token | undefined
  /** The token, after a login where one is needed. */
  token(signal: AbortSignal | undefined, isSentOnce?: boolean): Promise<Token>
  /** A request leaves with the token of this generation; to be called back once it is answered. */
  began(generation: number): void
  ended(generation: number): void
  /** Whether the request is worth another attempt with another token. */
  rejected(generation: number, status: number, target: string): boolean | Promise<boolean>
  /** A request for this target has succeeded. */
  accepted(generation: number, target: string): void
  invalidate(): void
  report(): SessionReport
}

type UseStep = Extract<Step, { name: 'use' }>

interface SharedLogin {
  readonly attempt: number
  readonly promise: Promise<Token>
}

/** How many targets that took a token are remembered. */
const mostTargets = 256
/** Why a login ends whose token nobody wants any more. */
const superseded = new DOMException('The session was invalidated', 'AbortError')
/** How often the store is asked for a better token where no login would help. */
const betterTokenMs = 1000

/** A session with no token yet. Nothing happens until it is asked for one. */
export function createSession(settings: TokenAuthSettings): Session {
  const { clock, random, loginTimeoutMs, loginUrl, onEvent, renewBeforeMs } = settings
  const login = createLogin(settings)
  const about = { scheme: 'token', origin: loginUrl.origin } as const
  let state: SessionState = initialState
  let shared: SharedLogin | undefined
  let lastValue: string | undefined
  let cancel = ignore
  let inFlight = 0
  /** The methods and addresses that took the last token. */
  const accepted = new Set<string>()
  let betterTokenAt = 0

  const start = (need: Need): Promise<Token> => {
    state = loginStarted(state, clock())
    const { attempt } = state
    const deadline = new AbortController()
    const end = (): void => deadline.abort(superseded)
    cancel = end
    const timer = setTimeout(() => {
      const what = `was not answered within ${loginTimeoutMs} ms`
      deadline.abort(loginError(loginUrl, 'ERR_AUTH_LOGIN_TIMEOUT', what))
    }, loginTimeoutMs)
    // In a microtask, so that a provider or an observer that asks for a token finds this login.
    const promise = Promise.resolve()
      .then(() => logIn(attempt, need, deadline.signal))
      .finally(() => {
        clearTimeout(timer)
        // In workerd the controller of a request that has gone must not be touched.
        if (cancel === end) cancel = ignore
      })
    const settled = promise.then(ignore, ignore)
    shared = { attempt, promise }
    try {
      settings.waitUntil?.(settled)
    } catch {
      // A worker's context that has ended cannot be extended.
    }
    return promise
  }

  const logIn = async (attempt: number, need: Need, signal: AbortSignal): Promise<Token> => {
    try {
      for (let needed = need; ; needed = 'log-in') {
        const view = { ...viewOf(attempt), need: needed, lastValue }
        const outcome = await abortable(login.obtain(view, signal), signal)
        const token = conclude(attempt, outcome)
        if (token) return token
        // It was refused or ran out while the store was asked.
      }
    } catch (error) {
      throw isCurrent(state, attempt) ? fail(error) : error
    }
  }

  const viewOf = (attempt: number): Omit<LoginView, 'lastValue' | 'need'> => ({
    pause: () => (isCurrent(state, attempt) ? activePause(state, clock()) : undefined),
    held: () => validToken(state, clock()),
    replacements: () => state.replacements,
  })

  const conclude = (attempt: number, outcome: Outcome): Token | undefined => {
    if (outcome.name === 'issued' || outcome.name === 'adopted') {
      return succeed(attempt, outcome.grant, outcome.name)
    }
    if (outcome.name === 'latched') {
      const { status, retryAt } = outcome.latch
      const error = outcome.error ?? loginRefused(loginUrl, status, retryAt)
      if (!isCurrent(state, attempt)) throw error
      const next = loginLatched(state, outcome.latch, error)
      state = next
      login.latched(next.pause)
      if (outcome.error) tellOfFailure(error)
      emit(onEvent, () => ({ ...about, type: 'login.paused', retryAt, status }))
      throw next.pause.error
    }
    const held = validToken(state, clock())
    if (held && isCurrent(state, attempt)) state = loginGivenUp(state)
    return held
  }

  const succeed = (attempt: number, grant: Grant, how: 'issued' | 'adopted'): Token => {
    const next = loginSucceeded(state, grant, renewBeforeMs, clock(), random)
    // Whoever waits for a login that was given up gets its token, and nobody else does.
    if (!isCurrent(state, attempt)) return { ...next.token, generation: 0 }
    state = next
    lastValue = next.token.value
    login.forgetRefusals()
    inFlight = 0
    accepted.clear()
    const { generation, expiresAt } = next.token
    const type = how === 'issued' ? 'login.ok' : 'token.adopted'
    emit(onEvent, () => ({ ...about, type, generation, expiresAt }))
    return next.token
  }

  const fail = (error: unknown): unknown => {
    const isKnown = error === state.pause?.error || login.isLatchedBy(error)
    if (!AuthError.is(error) || error.code === 'ERR_AUTH_CREDENTIALS' || isKnown) {
      state = loginGivenUp(state)
      return error
    }
    state = loginFailed(state, error, clock(), random)
    tellOfFailure(error)
    const { pause } = state
    if (!pause) return error
    if (isLatching(error)) login.latched(pause)
    emit(onEvent, () => ({
      ...about,
      type: 'login.paused',
      retryAt: pause.retryAt,
      ...statusOf(error),
    }))
    return pause.error
  }

  const tellOfFailure = (error: AuthError): void => {
    emit(onEvent, () => ({
      ...about,
      type: 'login.failed',
      code: error.code,
      ...statusOf(error),
    }))
  }

  const token = async (signal?: AbortSignal, isSentOnce = false): Promise<Token> => {
    signal?.throwIfAborted()
    const step = nextStep(state, clock(), loginTimeoutMs)
    if (step.name === 'use') {
      renew(step, isSentOnce)
      const better = isSentOnce ? pending() : undefined
      if (!better) return step.token
      const orHeld = join(better, signal).catch(
        (error: unknown) => validToken(state, clock()) ?? raise(error),
      )
      return follow(orHeld, signal)
    }
    if (step.name === 'wait' && shared) return follow(join(shared, signal), signal)
    if (step.name === 'fail' && !mayHaveChanged(step.pause.error)) throw step.pause.error
    return follow(start('log-in'), signal)
  }

  /** Waits for a login, and for the one that is made in its place where the caller invalidates it. */
  const follow = (begun: Promise<Token>, signal: AbortSignal | undefined): Promise<Token> =>
    abortable(begun, signal).catch(async (error: unknown) => {
      if (error !== superseded) throw error
      // Not at once: a credentials function that invalidates would keep everything else waiting.
      await new Promise((resolve) => setTimeout(resolve))
      return token(signal)
    })

  /** Whether what stopped the last login may be over: other credentials, or a login elsewhere. */
  const mayHaveChanged = (error: AuthError): boolean =>
    login.asksStore() || (settings.credentialsCanChange && isLatching(error))

  /** Begins what is due, and what may give a better token to a request that can be sent only once. */
  const renew = ({ renewal }: UseStep, isSentOnce: boolean): void => {
    // Nearly every request ends here.
    if (renewal === 'none' && !isSentOnce) return
    const asksStore = login.asksStore()
    const mayRenew = settings.store === undefined || asksStore
    // A login ends the session of the token before, and with it requests that are under way.
    const isDrained = !settings.uniqueSession || inFlight === 0
    if (renewal === 'pressing') start('log-in').catch(ignore)
    else if (renewal === 'due' && isDrained && mayRenew) start('renew').catch(ignore)
    else if (isSentOnce && renewal !== 'pending' && asksStore) start('look').catch(ignore)
  }

  const pending = (): SharedLogin | undefined => ('startedAt' in state ? shared : undefined)

  // In workerd the login of another request may never settle, so those who join it keep the time.
  const join = (begun: SharedLogin, signal: AbortSignal | undefined): Promise<Token> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (signal?.aborted) return
        const isDead = isCurrent(state, begun.attempt)
        ;(isDead ? start('log-in') : token(signal)).then(resolve, reject)
      }, loginTimeoutMs)
      const settled = (): void => clearTimeout(timer)
      begun.promise.then(resolve, reject).finally(settled)
    })

  return {
    token,
    held(isSentOnce) {
      const step = nextStep(state, clock(), loginTimeoutMs)
      if (step.name !== 'use') return undefined
      renew(step, isSentOnce)
      return isSentOnce && pending() ? undefined : step.token
    },
    began(generation) {
      if (generation === state.generation) inFlight += 1
    },
    ended(generation) {
      if (generation !== state.generation) return
      inFlight = Math.max(0, inFlight - 1)
      const step = nextStep(state, clock(), loginTimeoutMs)
      if (step.name === 'use') renew(step, false)
    },
    rejected(generation, status, target) {
      emit(onEvent, () => ({ ...about, type: 'token.rejected', generation, status }))
      const next = tokenRejected(state, generation, accepted.has(target), clock())
      state = next ?? state
      if (next) return true
      // No login would help, but others may have a better token.
      const underWay = pending()
      if (!underWay) {
        if (!login.asksStore() || isAhead(betterTokenAt, clock(), betterTokenMs)) return false
        betterTokenAt = clock() + betterTokenMs
      }
      const better = underWay ? join(underWay, undefined) : start('replace')
      return better.then(
        (found) => found.generation !== generation,
        (error: unknown) => error === superseded,
      )
    },
    accepted(generation, target) {
      if (generation === state.generation && accepted.size < mostTargets) accepted.add(target)
    },
    invalidate() {
      const { generation } = state
      state = invalidated(state)
      login.forgetRefusals()
      login.ignoreStore()
      emit(onEvent, () => ({ ...about, type: 'token.invalidated', generation }))
      try {
        // What it would give is not wanted any more, and might end the session of the next token.
        cancel()
      } catch {
        // In workerd it is another request's, and what it gives is not kept.
      }
    },
    report() {
      const now = clock()
      const { generation } = state
      const held = validToken(state, now)
      const retryAt = activePause(state, now)?.retryAt
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

function statusOf({ status }: AuthError): { status?: number } {
  return status === undefined ? {} : { status }
}

function ignore(): void {}

function raise(error: unknown): never {
  throw error
}
