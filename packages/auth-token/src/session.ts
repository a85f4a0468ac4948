import type { AuthEvent, LoginTrace } from '@svc/types'
import {
  abortable,
  abortError,
  assertNotAborted,
  emit,
  nextTurn,
  type TracedLogin,
  traceLogin,
} from '@svc/auth-hooks/scheme'
import {
  createBackOff,
  isRefusal,
  mayReplace,
  nextReplacements,
  type Prospect,
} from './back-off.ts'
import {
  credentialsError,
  type CredentialsSource,
  sameCredentials,
  type SessionCredentials,
} from './credentials.ts'
import { type Life, signMs, startDeadline, startLife } from './deadline.ts'
import { keepAlive } from '#keep-alive'
import { loginError, type LoginProgress, loginTimeout, requestLogin } from './login/login.ts'
import type { SessionSettings } from './session-options.ts'
import {
  type LoginAttempt,
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
  /** `true` while the next refresh token is known to this process alone, since the store did not take it. */
  readonly unstored?: true
  /** The number of the last token; with a store, the generation of its record. */
  readonly generation: number
}

/** A scheme that uses a session. It is kept while a call of it runs, or a login that it began, and no longer. */
export interface SessionUser {
  readonly onEvent: ((event: AuthEvent) => void) | undefined
  readonly waitUntil: ((promise: Promise<unknown>) => void) | undefined
  /** Reads the credentials at each login; absent where they never change. */
  readonly readCredentials?: CredentialsSource | undefined
  /** Called with the credentials that were read for a renewal, if they are not those of the session. */
  readonly onOtherCredentials?: ((credentials: SessionCredentials) => void) | undefined
}

/** Thrown to a scheme whose credentials have changed, so that this session is not the one it needs. */
export interface OtherCredentials {
  readonly otherCredentials: SessionCredentials
  readonly user: SessionUser
}

/** Tells if an error is {@link OtherCredentials}, also of another copy of this package. */
export function isOtherCredentials(error: unknown): error is OtherCredentials {
  return 'otherCredentials' in Object(error)
}

/** The wish for a token. */
export interface TokenRequest {
  readonly signal?: AbortSignal | undefined
  /** `true` for a request that can be sent only once. */
  readonly singleUse?: boolean | undefined
  /** `true` if the credentials of the session have just been read. */
  readonly isFresh?: boolean | undefined
}

/** The last that a scheme got of its session. */
export interface LastGiven {
  readonly generation: number
  readonly error?: unknown
}

/** One token for many callers: its login, those who wait for it, its renewal and its replacement. */
export interface Session {
  /**
   * Returns the token at hand, and begins its renewal if that is due. Returns `undefined` for a
   * single-use request that may get a better one.
   */
  tokenAtHand(user: SessionUser, singleUse: boolean): Token | undefined
  /**
   * Resolves to the token, after a login if one is needed.
   *
   * @throws OtherCredentials if the user's credentials have changed.
   */
  token(user: SessionUser, request?: TokenRequest): Promise<Token>
  /** Counts a request that leaves with the token of this generation. */
  requestBegan(generation: number): void
  requestEnded(user: SessionUser, generation: number, now?: number): void
  /** Takes note of a refusal. Returns `true` if the request can be tried again with another token. */
  rejected(
    user: SessionUser,
    generation: number,
    status: number,
    target: string,
  ): boolean | Promise<boolean>
  /** Takes note of a request for this target whose token was not refused. */
  accepted(generation: number, target: string, now?: number): void
  /**
   * Drops the token and any pause.
   *
   * @param last - Drops no newer token, and no pause but the one that this scheme met or the first: others
   * share the session.
   */
  invalidate(user: SessionUser, last?: LastGiven): void
  report(): SessionReport
  /** The instant of the last call, or until which failed logins count. */
  usedAt(): number
  /** Tells if requests or a login are under way. */
  isInUse(): boolean
}

interface Login {
  readonly user: SessionUser
  waiting: number
  readonly life: Life
  readonly promise: Promise<Token>
  readonly progress: LoginProgress
  /** `undefined` if nobody listens. */
  readonly traced: TracedLogin | undefined
  cancel(): void
}

/** Ends a login whose token nobody wants any more. */
const superseded = /* @__PURE__ */ abortError('The login was given up')
/** Bounds the targets that are remembered for having accepted or refused a token. */
const mostTargets = 256
/** The time for which a token that was accepted gives hope that the next one will be. */
const hopeMs = 120_000
const mostReplacements = 30
/** The time for which so many replacements are enough. */
const replacementsMs = 600_000

/** Returns a session with no token yet. Nothing happens until it is asked for one. */
export function createSession(settings: SessionSettings, credentials: SessionCredentials): Session {
  const { clock, random, timers, loginTimeoutMs, renewBeforeMs, store, title } = settings
  const about = { scheme: settings.name, origin: settings.origin } as const
  /** The login whose user hears of events: the last one, until it is over. */
  let observed: Login | undefined
  const onEvent = (event: AuthEvent): unknown => observed?.user.onEvent?.(event)
  const observable = { ...settings, onEvent }
  const sharing = store?.[sharingFactory](store, observable)
  const backOff = createBackOff(observable)

  /** The last token, which may have expired; `undefined` once it was refused or dropped. */
  let token: Token | undefined
  let generation = 0
  let lastValue: string | undefined
  /** Given by the last login that gave one, here or by way of the store. */
  let refreshToken: string | undefined
  /** Number of logins in a row, the next one included, that replace a refused token. */
  let replacements = 0
  /** Targets that accepted the last token. */
  const acceptedTargets = new Set<string>()
  /** Targets that refused the last token, or one before, and have accepted none since. */
  const refusedTargets = new Set<string>()
  let acceptedAt = -Infinity
  /** The instants of the last replacements. */
  let replacedAt: readonly number[] = []
  let inFlight = 0
  /** The login that the session waits for. */
  let login: Login | undefined
  /**
   * The watches that a login goes on for while nobody waits: twice those of the last one, and more after each
   * that was given up, so that a slow service gets to its end.
   */
  let patience = 1
  let usedAt = clock()
  /** When a renewal found that the credentials of a scheme had changed. */
  let changedAt = -Infinity

  const validToken = (now = clock()): Token | undefined =>
    token && now < token.expiresAt ? token : undefined

  const getToken = async (user: SessionUser, request: TokenRequest = {}): Promise<Token> => {
    const { signal, singleUse = false } = request
    assertNotAborted(signal)
    const now = clock()
    usedAt = now
    if (sharing?.hasUnstored()) sharing.storeAgain()
    const held = validToken(now)
    if (held) {
      renew(user, held, now, singleUse)
      if (!singleUse || !login) return held
      const better = join(login, user, request).catch((error: unknown) => {
        const stillValid = validToken()
        if (stillValid) return stillValid
        throw error
      })
      return follow(better, user, request)
    }
    if (login) return follow(join(login, user, request), user, request)
    const pause = backOff.activePause(now)
    if (pause && !mayBeOver(pause, user)) throw pause.error
    return follow(start('log-in', user, request.isFresh), user, request)
  }

  /** Begins what is due, and what may give a better token to a request that can be sent only once. */
  const renew = (
    user: SessionUser,
    { renewAt, expiresAt }: Token,
    now: number,
    singleUse: boolean,
  ): void => {
    if (login) return
    const begin = (urgency: Urgency): void => {
      start(urgency, user).catch((error: unknown) => {
        if (isOtherCredentials(error)) user.onOtherCredentials?.(error.otherCredentials)
      })
    }
    const isDue = now >= renewAt && !backOff.activePause(now)
    if (isDue && !isAhead(changedAt + signMs, now, signMs)) {
      if (now >= (renewAt + expiresAt) / 2) return begin('log-in')
      // A login ends the session of the token before, and with it requests that are under way.
      const isDrained = !settings.uniqueSession || inFlight === 0
      if (isDrained && sharing?.isReachable() !== false) return begin('renew')
    }
    if (singleUse && sharing?.isReachable()) begin('look')
  }

  /** Tells if a pause may be over early: other credentials, or a login of another session. */
  const mayBeOver = ({ error }: Pause, { readCredentials }: SessionUser): boolean =>
    sharing?.isReachable() || (readCredentials !== undefined && isRefusal(error))

  const start = (urgency: Urgency, user: SessionUser, isFresh = false): Promise<Token> => {
    const startedAt = clock()
    token = validToken(startedAt)
    const end = new AbortController()
    const attempt = (): Promise<Token> => logIn(own, urgency, isFresh, end.signal)
    let tracedAttempt: Promise<Token> | undefined
    // In a microtask, so that a provider or an observer that asks for a token finds this login.
    const promise = Promise.resolve()
      .then(() => tracedAttempt ?? attempt())
      .finally(() => {
        life.end()
        if (observed === own) observed = undefined
      })
    // It keeps a process from ending, so it is given up where nobody waits for it.
    const waitUntil = user.waitUntil ?? keepAlive
    let signs = 0
    let unwanted = 0
    const life = startLife(timers, () => {
      signs += 1
      const isWanted = own.waiting > 0 || inFlight > 0 || waitUntil || settings.spending
      unwanted = isWanted ? 0 : unwanted + 1
      if (unwanted > patience) giveUp(own)
    })
    const own: Login = {
      user,
      waiting: 0,
      life,
      promise,
      progress: { waitsFor: 'credentials' },
      traced: traceLogin(about),
      cancel: () => end.abort(superseded),
    }
    login = observed = own
    const last = generation
    // Now that the login is there: a subscriber may ask for a token, too.
    tracedAttempt = own.traced?.run(
      () => Promise.resolve().then(attempt),
      (given) => outcomeOf(given, last),
    )
    const settled = promise.then(() => void (patience = Math.max(1, 2 * signs)), ignore)
    try {
      waitUntil?.(settled)
    } catch {
      // A worker's context that has ended cannot be extended.
    }
    return promise
  }

  /** Returns `false` if the session waits for another login, or for none. */
  const conclude = (own: Login): boolean => {
    if (login !== own) return false
    login = undefined
    return true
  }

  /** Ends a login that lasts, and whose token nobody is there to use: another may be made for the next caller. */
  const giveUp = (own: Login): void => {
    patience *= 2
    if (conclude(own)) {
      const what = 'got no response while anyone waited'
      backOff.failed(loginError(title, 'ERR_AUTH_LOGIN_TIMEOUT', what), !validToken())
    }
    own.cancel()
  }

  /** Follows the login of another, or replaces it once that is dead. */
  const join = (joined: Login, user: SessionUser, request: TokenRequest): Promise<Token> => {
    joined.traced?.awaited()
    return new Promise((resolve, reject) => {
      const endWatch = joined.life.watch(() => {
        if (request.signal?.aborted) return
        const next = login === joined ? start('log-in', user) : getToken(user, request)
        next.then(resolve, reject)
      })
      joined.promise.then(resolve, reject).finally(endWatch)
    })
  }

  /** Waits for the login that is under way. */
  const wait = (begun: Promise<Token>, signal: AbortSignal | undefined): Promise<Token> => {
    const own = login
    if (own) own.waiting += 1
    return abortable(begun, signal).finally(() => {
      if (own) own.waiting -= 1
    })
  }

  /** Waits for a login, and for the next one if it was given up. */
  const follow = (
    begun: Promise<Token>,
    user: SessionUser,
    request: TokenRequest,
  ): Promise<Token> =>
    wait(begun, request.signal).catch(async (error: unknown) => {
      if (!isGivenUp(error) || (isOtherCredentials(error) && error.user === user)) throw error
      // Not at once: a credentials function that invalidates would keep everything else waiting.
      await new Promise<void>((resolve) => nextTurn(resolve))
      return getToken(user, { ...request, isFresh: false })
    })

  const logIn = async (
    own: Login,
    urgency: Urgency,
    isFresh: boolean,
    signal: AbortSignal,
  ): Promise<Token> => {
    try {
      for (let needed = urgency; ; needed = 'log-in') {
        const obtained = obtain(own, needed, isFresh, signal)
        // Its own end, which comes soon after an abort, tells if a refresh token was lost.
        const outcome = await (settings.spending ? obtained : abortable(obtained, signal))
        const given = take(own, outcome)
        if (given) return given
        // It was refused or ran out while the store was asked.
      }
    } catch (error) {
      throw conclude(own) ? backOff.failed(error, !validToken()) : error
    }
  }

  /** Gives a login the whole of its time, however long it had to wait for its turn. */
  const withDeadline = async <Result>(
    progress: LoginProgress,
    signal: AbortSignal,
    action: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const deadline = new AbortController()
    const abort = (): void => deadline.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const endDeadline = startDeadline(timers, loginTimeoutMs, () =>
      deadline.abort(loginTimeout(settings, progress)),
    )
    try {
      return await abortable(action(deadline.signal), deadline.signal)
    } finally {
      endDeadline()
      signal.removeEventListener('abort', abort)
    }
  }

  /** Gets a token from the service, or by way of the store. */
  const obtain = async (
    own: Login,
    urgency: Urgency,
    isFresh: boolean,
    signal: AbortSignal,
  ): Promise<LoginOutcome> => {
    const { readCredentials } = own.user
    signal.throwIfAborted()
    if (readCredentials && !isFresh && urgency !== 'look' && urgency !== 'replace') {
      const otherCredentials = await withDeadline(own.progress, signal, (deadline) =>
        Promise.resolve(readCredentials(deadline)),
      )
      if (!sameCredentials(otherCredentials, credentials)) {
        changedAt = clock()
        const other: OtherCredentials = { otherCredentials, user: own.user }
        throw other
      }
    }
    own.progress.waitsFor = 'store'
    const assertMayLogIn = (): void => backOff.assertMayLogIn(login === own)
    const send: LoginAttempt['logIn'] = async (last = refreshToken, spender?) => {
      // Its token would be given to all who have the key that they had before.
      if (credentials.areSame && !credentials.areSame()) {
        throw credentialsError(
          title,
          'the credentials were changed after keyOf had told them apart',
        )
      }
      emit(onEvent, () => ({ ...about, type: 'login.start' }))
      own.progress.waitsFor = 'service'
      const { progress } = own
      return withDeadline(progress, signal, (deadline) =>
        requestLogin(settings, credentials, progress, deadline, last, spender),
      )
    }
    if (!sharing) {
      assertMayLogIn()
      return { name: 'issued', grant: await send() }
    }
    const attempt = { urgency, credentials, lastValue, assertMayLogIn, logIn: send }
    return sharing.obtain({ ...attempt, validToken, replacements: () => replacements }, signal)
  }

  const take = (own: Login, outcome: LoginOutcome): Token | undefined => {
    if (outcome.name === 'locked-out') {
      throw conclude(own) ? backOff.lockedOut(outcome) : outcome.error
    }
    if (outcome.name === 'failed') throw outcome.error
    if (outcome.name === 'nothing-newer') {
      const held = validToken()
      if (held) conclude(own)
      return held
    }
    const last = { generation, replacements }
    const next = issueToken(outcome.grant, last, renewBeforeMs, clock(), random)
    // Whoever waits for a login that was given up gets its token, and nobody else does.
    if (!conclude(own)) return { ...next, generation: 0 }
    replacements = 0
    backOff.reset()
    token = next
    generation = next.generation
    lastValue = next.value
    refreshToken = outcome.grant.refreshToken ?? refreshToken
    inFlight = 0
    acceptedTargets.clear()
    const type = outcome.name === 'issued' ? 'login.ok' : 'token.adopted'
    const { expiresAt } = next
    emit(onEvent, () => ({ ...about, type, generation: next.generation, expiresAt }))
    return next
  }

  const prospectOf = (target: string, now: number): Prospect => {
    if (acceptedTargets.has(target)) return 'good'
    // Where others accept the token, one that refuses it time and again refuses every token.
    const mayHaveEnded = acceptedTargets.size === 0 || !refusedTargets.has(target)
    return mayHaveEnded && isAhead(acceptedAt + hopeMs, now, hopeMs) ? 'fair' : 'bad'
  }

  /** Returns `false` after more replacements than help, whatever the reason. */
  const mayReplaceAgain = (now: number): boolean => {
    const [first = -Infinity] = replacedAt
    const isFull = replacedAt.length === mostReplacements
    return !isFull || !isAhead(first + replacementsMs, now, replacementsMs)
  }

  return {
    token: getToken,
    tokenAtHand(user, singleUse) {
      const now = clock()
      usedAt = now
      const held = validToken(now)
      if (sharing?.hasUnstored()) sharing.storeAgain()
      // Nearly every request ends here.
      if (!held || (now < held.renewAt && !singleUse)) return held
      renew(user, held, now, singleUse)
      return singleUse && login ? undefined : held
    },
    requestBegan(used) {
      if (used === generation) inFlight += 1
    },
    requestEnded(user, used, now = clock()) {
      if (used !== generation) return
      inFlight = Math.max(0, inFlight - 1)
      usedAt = now
      const held = validToken(now)
      if (held) renew(user, held, now, false)
    },
    rejected(user, used, status, target) {
      emit(user.onEvent, () => ({ ...about, type: 'token.rejected', generation: used, status }))
      // A late refusal of an old token drops no newer one.
      if (token?.generation !== used) return true
      const now = clock()
      const prospect = prospectOf(target, now)
      if (refusedTargets.size < mostTargets) refusedTargets.add(target)
      if (mayReplace(token, prospect, now) && mayReplaceAgain(now)) {
        replacements = nextReplacements(token, now)
        replacedAt = [...replacedAt, now].slice(-mostReplacements)
        token = undefined
        return true
      }
      // No login would help, but others may have a better token.
      if (!login && !sharing?.mayHaveBetter()) return false
      const better = login ? join(login, user, {}) : start('replace', user)
      return wait(better, undefined).then((found) => found.generation !== used, isGivenUp)
    },
    accepted(used, target, now = clock()) {
      if (used !== generation) return
      acceptedAt = now
      if (acceptedTargets.size < mostTargets) acceptedTargets.add(target)
      if (refusedTargets.size > 0) refusedTargets.delete(target)
    },
    invalidate(user, last) {
      const isAll = last === undefined
      const ownLogin = isAll || login?.user === user ? login : undefined
      const dropsToken = isAll || (token !== undefined && token.generation === last.generation)
      const liftsPause = backOff.lift(isAll ? undefined : last.error, isAll)
      if (!dropsToken && !liftsPause && !ownLogin) return
      if (ownLogin) login = undefined
      if (dropsToken) token = undefined
      if (dropsToken || liftsPause) {
        replacements = 0
        sharing?.skipStored()
      }
      emit(user.onEvent, () => ({ ...about, type: 'token.invalidated', generation }))
      try {
        // Its token is not wanted any more, and might end the session of the next one; the next refresh token is.
        if (!settings.spending) ownLogin?.cancel()
      } catch {
        // In workerd it is another request's, whose controller must not be touched.
      }
    },
    usedAt: () => Math.max(usedAt, backOff.countsUntil()),
    // Not all clients tell of the end of a request.
    isInUse: () => login !== undefined || (inFlight > 0 && validToken() !== undefined),
    report() {
      const now = clock()
      const held = validToken(now)
      const retryAt = backOff.activePause(now)?.retryAt
      return {
        state: held ? 'valid' : login ? 'logging-in' : retryAt ? 'paused' : 'empty',
        generation,
        ...(held && { expiresAt: held.expiresAt }),
        ...(retryAt && { retryAt }),
        ...(sharing?.hasUnstored() && { unstored: true }),
      }
    },
  }
}

/** Returns the outcome of a login for its trace; `last` is the generation before it. */
function outcomeOf({ generation, isAdopted }: Token, last: number): LoginTrace['outcome'] & string {
  if (generation > 0 && generation === last) return 'unchanged'
  return isAdopted ? 'adopted' : 'issued'
}

/** Tells if a login ended without an outcome for those who waited for it. */
function isGivenUp(error: unknown): boolean {
  return error === superseded || isOtherCredentials(error)
}

function ignore(): void {}
