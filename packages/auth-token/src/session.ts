import type { AuthEvent } from '@svc/types'
import { abortable, assertNotAborted, emit, nextTurn } from '@svc/auth-hooks/scheme'
import { type BackOff, createBackOff, isRefusal } from './back-off.ts'
import type { SessionCredentials } from './credentials.ts'
import { signMs } from './deadline.ts'
import { type LoginEnd, type LoginRun, startLoginRun } from './login-run.ts'
import { loginError } from './login/login.ts'
import { createReplacementPolicy } from './replacement.ts'
import { createObtainToken, type Obtained } from './session-login.ts'
import type { SessionSettings } from './session-options.ts'
import type { Session, SessionUser } from './session-types.ts'
import {
  isAhead,
  issueToken,
  type Pause,
  sharingFactory,
  type Token,
  type TokenOutcome,
  type Urgency,
} from './token.ts'

/** Returns a session with no token yet. Nothing happens until it is asked for one. */
export function createSession(
  settings: SessionSettings,
  credentials: SessionCredentials,
  backOff: BackOff = createBackOff(settings),
): Session {
  const { clock, random, timers, renewBeforeMs, store } = settings
  const about = { scheme: settings.name, origin: settings.origin } as const
  /** The login whose user hears of events: the last one, until it is over. */
  let observed: LoginRun | undefined
  const onEvent = (event: AuthEvent): unknown => observed?.user.onEvent?.(event)
  const sharing = store?.[sharingFactory](store, { ...settings, onEvent })
  const obtain = createObtainToken(settings, credentials, sharing, onEvent)
  const replacing = createReplacementPolicy()

  /** The last token, which may have expired; `undefined` once it was refused or dropped. */
  let token: Token | undefined
  let generation = 0
  let lastValue: string | undefined
  let refreshToken: string | undefined
  let inFlight = 0
  /** The login that the session waits for. */
  let login: LoginRun | undefined
  /** Seconds that a login goes on for while nobody waits, so that a slow service gets to its end. */
  let patience = 1
  let usedAt = clock()
  /** When a renewal found that the credentials of a scheme had changed. */
  let changedAt = -Infinity

  const validToken = (now = clock()): Token | undefined =>
    token && now < token.expiresAt ? token : undefined

  const getToken: Session['token'] = async (user, request = {}) => {
    const { signal, singleUse = false } = request
    for (let { isFresh = false } = request; ; isFresh = false) {
      assertNotAborted(signal)
      const now = touch()
      const held = validToken(now)
      let own = login
      const isJoined = own !== undefined
      if (held) {
        renew(user, held, now, singleUse)
        own = singleUse ? login : undefined
        if (!own) return { kind: 'token', token: held }
      }
      const pause = own ? undefined : backOff.activePause(now)
      if (pause && !mayBeOver(pause, user)) throw pause.error
      own ??= start('log-in', user, isFresh)
      const end = await own.wait(signal, isJoined)
      if (end.kind === 'token') return end
      if (end.kind === 'moved' && end.user === user) return end
      if (end.kind === 'failed') {
        const stillValid = held && validToken()
        if (stillValid) return { kind: 'token', token: stillValid }
        throw end.error
      }
      if (end.kind === 'dead') conclude(own)
      // Not at once: a credentials function that invalidates would keep everything else waiting.
      else await new Promise<void>((resolve) => nextTurn(resolve))
    }
  }

  /** Takes note that the session is used. */
  const touch = (now = clock()): number => {
    usedAt = now
    if (sharing?.hasUnstored()) sharing.storeAgain()
    return now
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
      const told = start(urgency, user).ended
      void told.then((end) => end.kind === 'moved' && user.onOtherCredentials?.(end.credentials))
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

  const start = (urgency: Urgency, user: SessionUser, isFresh = false): LoginRun => {
    token = validToken()
    const isWanted = (): boolean => inFlight > 0 || settings.spending !== undefined
    const onToken = (seconds: number): void => void (patience = Math.max(1, 2 * seconds))
    const onBegun = (own: LoginRun): void => void (login = observed = own)
    const run = { user, timers, about, generation, isWanted, onBegun, onToken, onUnwanted: giveUp }
    return startLoginRun({ ...run, patience: () => patience }, async (current, signal) => {
      try {
        return await logIn(current, urgency, isFresh, signal)
      } finally {
        if (observed === current) observed = undefined
      }
    })
  }

  /** Returns `false` if the session waits for another login, or for none. */
  const conclude = (own: LoginRun): boolean => {
    if (login !== own) return false
    login = undefined
    return true
  }

  /** Ends a login that lasts, and whose token nobody is there to use: another may be made for the next caller. */
  const giveUp = (own: LoginRun): void => {
    patience *= 2
    if (conclude(own)) {
      const what = 'got no response while anyone waited'
      const error = loginError(settings.title, 'ERR_AUTH_LOGIN_TIMEOUT', what)
      backOff.failed(error, !validToken(), onEvent)
    }
    own.cancel()
  }

  const logIn = async (
    own: LoginRun,
    urgency: Urgency,
    isFresh: boolean,
    signal: AbortSignal,
  ): Promise<LoginEnd> => {
    const assertMayLogIn = (): void => backOff.assertMayLogIn(login === own)
    try {
      for (let needed = urgency; ; needed = 'log-in') {
        const state = { urgency: needed, isFresh, refreshToken, lastValue, validToken }
        const replacements = (): number => replacing.count
        const obtained = obtain(own, { ...state, replacements, assertMayLogIn }, signal)
        // A refresh that is on the wire tells by its own end if the refresh token was lost.
        const outcome = await (settings.spending ? obtained : abortable(obtained, signal))
        const end = take(own, outcome)
        if (end) return end
        // It was refused or ran out while the store was asked.
      }
    } catch (error) {
      throw conclude(own) ? backOff.failed(error, !validToken(), onEvent) : error
    }
  }

  /** Returns the end of a login for its waiters; `undefined` if another attempt has to be made. */
  const take = (own: LoginRun, outcome: Obtained): LoginEnd | undefined => {
    switch (outcome.name) {
      case 'moved':
        changedAt = clock()
        conclude(own)
        return { kind: 'moved', credentials: outcome.credentials, user: own.user }
      case 'locked-out': {
        const { error } = outcome
        return {
          kind: 'failed',
          error: conclude(own) ? backOff.lockedOut(outcome, onEvent) : error,
        }
      }
      case 'failed':
        throw outcome.error
      case 'nothing-newer': {
        const held = validToken()
        if (held) conclude(own)
        return held && { kind: 'token', token: held }
      }
      default:
        return { kind: 'token', token: accept(own, outcome) }
    }
  }

  const accept = (own: LoginRun, { name, grant }: TokenOutcome): Token => {
    const last = { generation, replacements: replacing.count }
    const next = issueToken(grant, last, renewBeforeMs, clock(), random)
    // Whoever waits for a login that was given up gets its token, and nobody else does.
    if (!conclude(own)) return { ...next, generation: 0 }
    replacing.issued()
    backOff.reset()
    token = next
    generation = next.generation
    lastValue = next.value
    refreshToken = grant.refreshToken ?? refreshToken
    inFlight = 0
    const type = name === 'issued' ? 'login.ok' : 'token.adopted'
    const { expiresAt } = next
    emit(onEvent, () => ({ ...about, type, generation: next.generation, expiresAt }))
    return next
  }

  return {
    token: getToken,
    tokenAtHand(user, singleUse) {
      const now = touch()
      const held = validToken(now)
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
      const held = validToken(touch(now))
      if (held) renew(user, held, now, false)
    },
    rejected(user, used, status, target) {
      emit(user.onEvent, () => ({ ...about, type: 'token.rejected', generation: used, status }))
      // A late refusal of an old token drops no newer one.
      if (token?.generation !== used) return true
      if (replacing.allows(token, target, clock())) {
        token = undefined
        return true
      }
      // No login would help, but others may have a better token.
      const isJoined = login !== undefined
      if (!isJoined && !sharing?.mayHaveBetter()) return false
      const better = (login ?? start('replace', user)).wait(undefined, isJoined)
      return better.then((end) => {
        if (end.kind === 'token') return end.token.generation !== used
        return end.kind === 'moved' || end.kind === 'superseded'
      })
    },
    accepted(used, target, now = clock()) {
      if (used === generation) replacing.accepted(target, now)
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
        replacing.reset()
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
    usedAt: () => usedAt,
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
