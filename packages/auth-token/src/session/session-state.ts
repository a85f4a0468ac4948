import type { AuthEvent } from '@svc/types'
import { emit } from '@svc/auth-hooks/scheme'
import type { BackOff } from './back-off.ts'
import type { LoginRun } from './login-run.ts'
import { createReplacementPolicy, type ReplacementPolicy } from './replacement.ts'
import { createObtainToken, type ObtainToken } from './session-login.ts'
import type { SessionSettings } from './session-options.ts'
import type { SessionCredentials } from '../credentials.ts'
import {
  issueToken,
  type Sharing,
  sharingFactory,
  type Token,
  type TokenOutcome,
} from '../token.ts'

/** The state of a session. Instants are epoch milliseconds. */
export interface SessionState {
  readonly settings: SessionSettings
  readonly about: { readonly scheme: string; readonly origin: string }
  readonly backOff: BackOff
  readonly replacing: ReplacementPolicy
  readonly sharing: Sharing | undefined
  readonly obtain: ObtainToken
  /** Tells the scheme whose login was begun last, until that is over. */
  readonly onEvent: (event: AuthEvent) => unknown
  /** The last token, which may have expired; `undefined` once it was refused or dropped. */
  token: Token | undefined
  generation: number
  lastValue: string | undefined
  /** Given by the last login that gave one. */
  refreshToken: string | undefined
  /** Requests under way with the last token. */
  inFlight: number
  /** The login that the session waits for. */
  login: LoginRun | undefined
  /** The login whose user hears of events. */
  observed: LoginRun | undefined
  /** Seconds that a login goes on for while nobody waits, so that a slow service gets to its end. */
  patience: number
  usedAt: number
  /** When a renewal found that the credentials of a scheme had changed. */
  changedAt: number
}

/** Returns the state of a session that was not used yet. */
export function createState(
  settings: SessionSettings,
  credentials: SessionCredentials,
  backOff: BackOff,
): SessionState {
  const onEvent = (event: AuthEvent): unknown => state.observed?.user.onEvent?.(event)
  const sharing = settings.store?.[sharingFactory](settings.store, { ...settings, onEvent })
  const state: SessionState = {
    settings,
    about: { scheme: settings.name, origin: settings.origin },
    backOff,
    replacing: createReplacementPolicy(),
    sharing,
    obtain: createObtainToken(settings, credentials, sharing, onEvent),
    onEvent,
    token: undefined,
    generation: 0,
    lastValue: undefined,
    refreshToken: undefined,
    inFlight: 0,
    login: undefined,
    observed: undefined,
    patience: 1,
    usedAt: settings.clock(),
    changedAt: -Infinity,
  }
  return state
}

/** Returns the token that can be used now. */
export function validToken(
  state: SessionState,
  now: number = state.settings.clock(),
): Token | undefined {
  const { token } = state
  return token && now < token.expiresAt ? token : undefined
}

/** Takes note that the session is used, and offers the store what it did not take. */
export function touch(state: SessionState, now: number = state.settings.clock()): number {
  state.usedAt = now
  if (state.sharing?.hasUnstored()) state.sharing.storeAgain()
  return now
}

/** Takes note that a login is over. Returns `false` if the session waits for another one, or for none. */
export function conclude(state: SessionState, own: LoginRun): boolean {
  if (state.login !== own) return false
  state.login = undefined
  return true
}

/** Makes the token of a login that of the session. */
export function accept(state: SessionState, own: LoginRun, { name, grant }: TokenOutcome): Token {
  const { about, replacing } = state
  const { clock, random, renewBeforeMs } = state.settings
  const last = { generation: state.generation, replacements: replacing.count }
  const next = issueToken(grant, last, renewBeforeMs, clock(), random)
  // Whoever waits for a login that was given up gets its token, and nobody else does.
  if (!conclude(state, own)) return { ...next, generation: 0 }
  replacing.issued()
  state.backOff.reset()
  state.token = next
  state.generation = next.generation
  state.lastValue = next.value
  state.refreshToken = grant.refreshToken ?? state.refreshToken
  state.inFlight = 0
  const type = name === 'issued' ? 'login.ok' : 'token.adopted'
  const { expiresAt, generation } = next
  emit(state.onEvent, () => ({ ...about, type, generation, expiresAt }))
  return next
}
