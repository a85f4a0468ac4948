import { abortable, emit } from '@svc/auth-hooks/scheme'
import type { BackOff } from './back-off.ts'
import {
  conclude,
  type LoginEnd,
  type LoginRun,
  type LoginSlot,
  type SessionUser,
  startLoginRun,
} from './login-run.ts'
import { type Obtained, obtainToken, type SessionBase } from './obtain-token.ts'
import type { ReplacementPolicy } from './replacement.ts'
import { issueToken, type Token, type TokenOutcome, type Urgency } from '../token.ts'

/** The time for which no renewal is tried that found the credentials of its scheme to be others. */
const otherCredentialsMs = 1000

/** The state of a session. Instants are epoch milliseconds. */
export interface SessionState extends SessionBase, LoginSlot {
  readonly about: { readonly scheme: string; readonly origin: string }
  readonly backOff: BackOff
  readonly replacing: ReplacementPolicy
  /** The last token. */
  last: Token | undefined
  /** `true` once that was refused or dropped. */
  isDropped: boolean
  /** Given by the last login that gave one. */
  refreshToken: string | undefined
  /** Requests under way with the last token. */
  inFlight: number
  /** The login whose user hears of events. */
  observed: LoginRun | undefined
  usedAt: number
}

/** Returns the token that can be used now. */
export function validToken(
  state: SessionState,
  now: number = state.settings.clock(),
): Token | undefined {
  const { last, isDropped } = state
  return last && !isDropped && now < last.expiresAt ? last : undefined
}

/** Begins a login, and makes it the one that the session waits for. */
export function startLogin(
  state: SessionState,
  urgency: Urgency,
  user: SessionUser,
  isFresh = false,
): LoginRun {
  const { settings, about, last } = state
  const run = startLoginRun(
    state,
    {
      user,
      timers: settings.timers,
      about,
      generation: last?.generation ?? 0,
      isWanted: () => state.inFlight > 0 || settings.spending !== undefined,
    },
    async (own, signal) => {
      try {
        return await logIn(state, own, urgency, isFresh, signal)
      } catch (error) {
        throw conclude(state, own) ? state.backOff.failed(error, state.onEvent) : error
      } finally {
        if (state.observed === own) state.observed = undefined
      }
    },
  )
  state.observed = run
  return run
}

async function logIn(
  state: SessionState,
  own: LoginRun,
  urgency: Urgency,
  isFresh: boolean,
  signal: AbortSignal,
): Promise<LoginEnd> {
  const { settings, backOff, replacing } = state
  for (let needed = urgency; ; needed = 'log-in') {
    const wish = {
      urgency: needed,
      isFresh,
      refreshToken: state.refreshToken,
      lastValue: state.last?.value,
      validToken: () => validToken(state),
      replacements: () => replacing.count,
      assertMayLogIn: () => backOff.assertMayLogIn(),
    }
    const obtained = obtainToken(state, own, wish, signal)
    // A refresh that is on the wire tells by its own end if the refresh token was lost.
    const end = endOf(
      state,
      own,
      await (settings.spending ? obtained : abortable(obtained, signal)),
    )
    if (end) return end
    // The token was refused or ran out while the store was asked.
  }
}

/** Returns the end of a login for its waiters; `undefined` if another attempt has to be made. */
function endOf(state: SessionState, own: LoginRun, outcome: Obtained): LoginEnd | undefined {
  switch (outcome.name) {
    case 'moved': {
      const held = validToken(state)
      const renewAt = state.settings.clock() + otherCredentialsMs
      if (held) state.last = { ...held, renewAt: Math.max(held.renewAt, renewAt) }
      conclude(state, own)
      return { kind: 'moved', credentials: outcome.credentials, user: own.user }
    }
    case 'locked-out': {
      const isOwn = conclude(state, own)
      const error = isOwn ? state.backOff.lockedOut(outcome, state.onEvent) : outcome.error
      return { kind: 'failed', error }
    }
    case 'failed':
      throw outcome.error
    case 'nothing-newer': {
      const held = validToken(state)
      if (held) conclude(state, own)
      return held && { kind: 'token', token: held }
    }
    default:
      return { kind: 'token', token: accept(state, own, outcome) }
  }
}

/** Makes the token of a login that of the session. */
function accept(state: SessionState, own: LoginRun, { name, grant }: TokenOutcome): Token {
  const { about, replacing, settings } = state
  const { clock, random, renewBeforeMs } = settings
  const last = { generation: state.last?.generation ?? 0, replacements: replacing.count }
  const next = issueToken(grant, last, renewBeforeMs, clock(), random)
  // Those who wait for a login that was given up get its token, and nobody else does.
  if (!conclude(state, own)) return { ...next, generation: 0 }
  replacing.issued()
  state.backOff.reset()
  state.last = next
  state.isDropped = false
  state.refreshToken = grant.refreshToken ?? state.refreshToken
  state.inFlight = 0
  const type = name === 'issued' ? 'login.ok' : 'token.adopted'
  const { expiresAt, generation } = next
  emit(state.onEvent, () => ({ ...about, type, generation, expiresAt }))
  return next
}
