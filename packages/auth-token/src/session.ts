import { abortable, emit } from '@svc/auth-hooks/scheme'
import { createBackOff, isCredentialError, mayReplace, nextReplacements } from './back-off.ts'
import type { LoginCredentials } from './credentials.ts'
import { loginError, requestLogin } from './login.ts'
import type { TokenAuthSettings } from './options.ts'
import {
  type Grant,
  isAhead,
  issueToken,
  type LoginOutcome,
  type Pause,
  sharingFactory,
  type Token,
  type Urgency,
} from './token.ts'

/** The state of a session. Instants are epoch milliseconds. */
export interface SessionReport {
  /**
   * `empty`: no token and no login in progress; `logging-in`: no token yet; `valid`: a token, also while it
   * is being renewed; `paused`: no token, and no login until `retryAt`.
   */
  readonly state: 'empty' | 'logging-in' | 'valid' | 'paused'
  /** When the token expires, if there is one. */
  readonly expiresAt?: number
  /** When the next login may be made, if it has to wait. */
  readonly retryAt?: number
  /** The number of the last token; with a store, the generation of its record. */
  readonly generation: number
}

/** One token for many callers: its login, those who wait for it, its renewal and its replacement. */
export interface Session {
  /**
   * Returns the token at hand, and begins its renewal if that is due. Returns `undefined` for a
   * single-use request that may get a better one.
   */
  tokenAtHand(singleUse: boolean): Token | undefined
  /** Resolves to the token, after a login if one is needed. */
  token(signal: AbortSignal | undefined, singleUse?: boolean): Promise<Token>
  /** Counts a request that leaves with the token of this generation. */
  requestBegan(generation: number): void
  requestEnded(generation: number): void
  /** Takes note of a refusal. Returns `true` if the request can be tried again with another token. */
  rejected(generation: number, status: number, target: string): boolean | Promise<boolean>
  /** Takes note of a request for this target that succeeded. */
  accepted(generation: number, target: string): void
  invalidate(): void
  report(): SessionReport
}

interface Login {
  readonly startedAt: number
  readonly promise: Promise<Token>
  cancel(): void
}

/** Ends a login whose token nobody wants any more. */
const superseded = new DOMException('The session was invalidated', 'AbortError')
/** Bounds the targets that are remembered for having accepted a token. */
const mostTargets = 256

/** Returns a session with no token yet. Nothing happens until it is asked for one. */
export function createSession(settings: TokenAuthSettings): Session {
  const { clock, random, loginTimeoutMs, loginUrl, onEvent, renewBeforeMs, store } = settings
  const about = { scheme: 'token', origin: loginUrl.origin } as const
  const sharing = store?.[sharingFactory](store, settings)
  const backOff = createBackOff(settings)

  /** The last token, which may have expired; `undefined` once it was refused or dropped. */
  let token: Token | undefined
  let generation = 0
  let lastValue: string | undefined
  /** Number of logins in a row, the next one included, that replace a refused token. */
  let replacements = 0
  const acceptedTargets = new Set<string>()
  let inFlight = 0
  /** The login that the session waits for. */
  let login: Login | undefined
  let credentials: LoginCredentials | undefined

  const validToken = (now = clock()): Token | undefined =>
    token && now < token.expiresAt ? token : undefined
  // In workerd a login dies unsettled with the request that began it, so an overdue one is replaced.
  const isLoggingIn = (now: number): boolean =>
    login !== undefined && isAhead(login.startedAt + loginTimeoutMs, now, loginTimeoutMs)

  const getToken = async (signal?: AbortSignal, singleUse = false): Promise<Token> => {
    signal?.throwIfAborted()
    const now = clock()
    const held = validToken(now)
    if (held) {
      renew(held, now, singleUse)
      if (!singleUse || !login) return held
      const better = join(login, signal).catch((error: unknown) => validToken() ?? raise(error))
      return follow(better, signal)
    }
    if (login && isLoggingIn(now)) return follow(join(login, signal), signal)
    const pause = backOff.activePause(now)
    if (pause && !mayBeOver(pause)) throw pause.error
    return follow(start('log-in'), signal)
  }

  /** Begins what is due, and what may give a better token to a request that can be sent only once. */
  const renew = ({ renewAt, expiresAt }: Token, now: number, singleUse: boolean): void => {
    if (isLoggingIn(now)) return
    const isReachable = sharing?.isReachable()
    if (now >= renewAt && !backOff.activePause(now)) {
      if (now >= (renewAt + expiresAt) / 2) return void start('log-in').catch(ignore)
      // A login ends the session of the token before, and with it requests that are under way.
      const isDrained = !settings.uniqueSession || inFlight === 0
      if (isDrained && isReachable !== false) return void start('renew').catch(ignore)
    }
    if (singleUse && isReachable) start('look').catch(ignore)
  }

  /** Tells if a pause may be over early: other credentials, or a login of another session. */
  const mayBeOver = ({ error }: Pause): boolean =>
    sharing?.isReachable() || (settings.credentialsCanChange && isCredentialError(error))

  const start = (urgency: Urgency): Promise<Token> => {
    const startedAt = clock()
    token = validToken(startedAt)
    const deadline = new AbortController()
    const timer = setTimeout(() => {
      const what = `got no response within ${loginTimeoutMs} ms`
      deadline.abort(loginError(loginUrl, 'ERR_AUTH_LOGIN_TIMEOUT', what))
    }, loginTimeoutMs)
    // In a microtask, so that a provider or an observer that asks for a token finds this login.
    const promise = Promise.resolve()
      .then(() => logIn(own, urgency, deadline.signal))
      .finally(() => clearTimeout(timer))
    const own: Login = { startedAt, promise, cancel: () => deadline.abort(superseded) }
    login = own
    const settled = promise.then(ignore, ignore)
    try {
      settings.waitUntil?.(settled)
    } catch {
      // A worker's context that has ended cannot be extended.
    }
    return promise
  }

  // In workerd the login of another request may never settle, so those who join it keep the time.
  const join = (joined: Login, signal: AbortSignal | undefined): Promise<Token> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (signal?.aborted) return
        const next = login === joined ? start('log-in') : getToken(signal)
        next.then(resolve, reject)
      }, loginTimeoutMs)
      const settled = (): void => clearTimeout(timer)
      joined.promise.then(resolve, reject).finally(settled)
    })

  /** Waits for a login, and for the next one if the caller invalidates it. */
  const follow = (begun: Promise<Token>, signal: AbortSignal | undefined): Promise<Token> =>
    abortable(begun, signal).catch(async (error: unknown) => {
      if (error !== superseded) throw error
      // Not at once: a credentials function that invalidates would keep everything else waiting.
      await new Promise((resolve) => setTimeout(resolve))
      return getToken(signal)
    })

  const logIn = async (own: Login, urgency: Urgency, signal: AbortSignal): Promise<Token> => {
    try {
      for (let needed = urgency; ; needed = 'log-in') {
        const outcome = await abortable(obtain(own, needed, signal), signal)
        const given = conclude(own, outcome)
        if (given) return given
        // It was refused or ran out while the store was asked.
      }
    } catch (error) {
      if (login !== own) throw error
      login = undefined
      throw backOff.failed(error, credentials, !validToken())
    }
  }

  /** Gets a token from the service, or by way of the store. */
  const obtain = async (
    own: Login,
    urgency: Urgency,
    signal: AbortSignal,
  ): Promise<LoginOutcome> => {
    const known = urgency === 'look' || urgency === 'replace' ? credentials : undefined
    const used = known ?? (await settings.readCredentials(signal))
    signal.throwIfAborted()
    credentials = used
    const assertMayLogIn = (): void => backOff.assertMayLogIn(used, login === own)
    const send = (): Promise<Grant> => {
      emit(onEvent, () => ({ ...about, type: 'login.start' }))
      return requestLogin(settings, used, signal)
    }
    if (!sharing) {
      assertMayLogIn()
      return { name: 'issued', grant: await send() }
    }
    const attempt = { urgency, credentials: used, lastValue, assertMayLogIn, logIn: send }
    return sharing.obtain({ ...attempt, validToken, replacements: () => replacements }, signal)
  }

  const conclude = (own: Login, outcome: LoginOutcome): Token | undefined => {
    const isCurrent = login === own
    if (outcome.name === 'locked-out') {
      if (isCurrent) login = undefined
      throw isCurrent ? backOff.lockedOut(outcome, credentials) : outcome.error
    }
    if (outcome.name === 'nothing-newer') {
      const held = validToken()
      if (held && isCurrent) login = undefined
      return held
    }
    const last = { generation, replacements }
    const next = issueToken(outcome.grant, last, renewBeforeMs, clock(), random)
    // Whoever waits for a login that was given up gets its token, and nobody else does.
    if (!isCurrent) return { ...next, generation: 0 }
    reset()
    token = next
    generation = next.generation
    lastValue = next.value
    inFlight = 0
    acceptedTargets.clear()
    const type = outcome.name === 'issued' ? 'login.ok' : 'token.adopted'
    const { expiresAt } = next
    emit(onEvent, () => ({ ...about, type, generation: next.generation, expiresAt }))
    return next
  }

  const reset = (): void => {
    login = undefined
    token = undefined
    replacements = 0
    backOff.reset()
  }

  return {
    token: getToken,
    tokenAtHand(singleUse) {
      const now = clock()
      const held = validToken(now)
      // Nearly every request ends here.
      if (!held || (now < held.renewAt && !singleUse)) return held
      renew(held, now, singleUse)
      return singleUse && login ? undefined : held
    },
    requestBegan(used) {
      if (used === generation) inFlight += 1
    },
    requestEnded(used) {
      if (used !== generation) return
      inFlight = Math.max(0, inFlight - 1)
      const now = clock()
      const held = validToken(now)
      if (held) renew(held, now, false)
    },
    rejected(used, status, target) {
      emit(onEvent, () => ({ ...about, type: 'token.rejected', generation: used, status }))
      // A late refusal of an old token drops no newer one.
      if (token?.generation !== used) return true
      const now = clock()
      if (mayReplace(token, acceptedTargets.has(target), now)) {
        replacements = nextReplacements(token, now)
        token = undefined
        return true
      }
      // No login would help, but others may have a better token.
      if (!login && !sharing?.mayHaveBetter()) return false
      const better = login ? join(login, undefined) : start('replace')
      return better.then(
        (found) => found.generation !== used,
        (error: unknown) => error === superseded,
      )
    },
    accepted(used, target) {
      if (used === generation && acceptedTargets.size < mostTargets) acceptedTargets.add(target)
    },
    invalidate() {
      const given = login
      reset()
      sharing?.skipStored()
      emit(onEvent, () => ({ ...about, type: 'token.invalidated', generation }))
      try {
        // Its token is not wanted any more, and might end the session of the next one.
        given?.cancel()
      } catch {
        // In workerd it is another request's, whose controller must not be touched.
      }
    },
    report() {
      const now = clock()
      const held = validToken(now)
      const retryAt = backOff.activePause(now)?.retryAt
      return {
        state: held ? 'valid' : login ? 'logging-in' : retryAt ? 'paused' : 'empty',
        generation,
        ...(held && { expiresAt: held.expiresAt }),
        ...(retryAt && { retryAt }),
      }
    },
  }
}

function ignore(): void {}

function raise(error: unknown): never {
  throw error
}
