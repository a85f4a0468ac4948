import { abortError, type LoginStart, traceLogin } from '@svc/auth-hooks/scheme'
import type { AuthEvent, LoginTrace } from '@svc/types'
import { keepAlive } from '#keep-alive'
import type { CredentialsSource, SessionCredentials } from '../credentials.ts'
import { startRun } from '../run.ts'
import type { Timers } from '../timers.ts'
import type { Token } from '../token.ts'

/** A scheme that uses a session. It is kept while a call of it runs, or a login that it began, and no longer. */
export interface SessionUser {
  readonly onEvent: ((event: AuthEvent) => void) | undefined
  readonly waitUntil: ((promise: Promise<unknown>) => void) | undefined
  /** Reads the credentials at each login; absent where they never change. */
  readonly readCredentials?: CredentialsSource | undefined
  /** Called with the credentials that were read for a renewal, if they are not those of the session. */
  readonly onOtherCredentials?: ((credentials: SessionCredentials) => void) | undefined
}

/** The end of a login, for those who wait for it. */
export type LoginEnd =
  | { readonly kind: 'token'; readonly token: Token }
  /** The credentials of its user are not those of the session. */
  | { readonly kind: 'moved'; readonly credentials: SessionCredentials; readonly user: SessionUser }
  /** It was given up, or died with the request that began it, as in workerd. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** A login that is under way, for all who wait for it. */
export interface LoginRun {
  readonly user: SessionUser
  /** Resolves to its end. It never rejects. */
  readonly ended: Promise<LoginEnd>
  /**
   * Waits for its end.
   *
   * @param isJoined - `true` for those who came after it had begun.
   * @throws the reason of the signal if that aborts first.
   */
  wait(signal: AbortSignal | undefined, isJoined: boolean): Promise<LoginEnd>
  cancel(): void
}

/** Holds the login that is under way for a session, or for a scheme that has none yet. */
export interface LoginSlot {
  login: LoginRun | undefined
}

/** Empties the slot of a login that is over, or given up. Returns `false` if it holds another one, or none. */
export function conclude(slot: LoginSlot, own: LoginRun): boolean {
  if (slot.login !== own) return false
  slot.login = undefined
  return true
}

interface RunSettings {
  readonly user: SessionUser
  readonly timers: Timers
  /** Describes its trace; absent where only credentials are read. */
  readonly about?: LoginStart
  /** The generation of the last token. */
  readonly generation?: number
  /** Tells if something other than its waiters needs its token. */
  readonly isWanted?: () => boolean
}

/** The signs of life, one a second, after which a login without waiters is given up. */
const unwantedSigns = 3

/** Begins a login, and puts it into the slot before anything can ask for a token because of it. */
export function startLoginRun(
  slot: LoginSlot,
  settings: RunSettings,
  work: (own: LoginRun, signal: AbortSignal) => Promise<LoginEnd>,
): LoginRun {
  const { user, timers, about, generation = 0, isWanted } = settings
  const controller = new AbortController()
  const { signal } = controller
  const waitUntil = user.waitUntil ?? keepAlive
  let waiting = 0
  let unwanted = 0
  const traced = about && traceLogin(about)
  const attempt = (): Promise<LoginEnd> => Promise.resolve().then(() => work(own, signal))
  const failureEnd = (error: unknown): LoginEnd =>
    signal.aborted && error === signal.reason ? { kind: 'gone' } : { kind: 'failed', error }
  let tracedAttempt: Promise<LoginEnd> | undefined
  const run = startRun(
    timers,
    () => (tracedAttempt ?? attempt()).catch(failureEnd),
    () => {
      unwanted = waiting > 0 || waitUntil || isWanted?.() ? 0 : unwanted + 1
      // It keeps a process from ending.
      if (unwanted < unwantedSigns) return
      conclude(slot, own)
      own.cancel()
    },
  )
  const own: LoginRun = {
    user,
    ended: run.promise,
    async wait(until, isJoined) {
      if (isJoined) traced?.awaited()
      waiting += 1
      try {
        return await run.join(async () => ({ kind: 'gone' }) as const, until)
      } finally {
        waiting -= 1
      }
    },
    cancel: () => controller.abort(abortError('The login was given up')),
  }
  slot.login = own
  // In this context and not in a microtask, since the trace is of the call that began it.
  tracedAttempt = traced?.run(attempt, (end) => outcomeOf(end, generation))
  try {
    const kept: unknown = waitUntil?.(run.promise.then(({ kind }) => void kind))
    // An asynchronous one may reject.
    Promise.resolve(kept).catch(() => {})
  } catch {
    // A worker's context that has ended cannot be extended.
  }
  return own
}

/** Returns the outcome of a login for its trace; `last` is the generation before it. */
function outcomeOf(end: LoginEnd, last: number): LoginTrace['outcome'] & string {
  if (end.kind !== 'token') return 'abandoned'
  const { generation, isAdopted } = end.token
  if (generation > 0 && generation === last) return 'unchanged'
  return isAdopted ? 'adopted' : 'issued'
}
