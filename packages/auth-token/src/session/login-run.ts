import { abortError, type LoginStart, traceLogin } from '@svc/auth-hooks/scheme'
import type { LoginTrace } from '@svc/types'
import { keepAlive } from '#keep-alive'
import type { SessionCredentials } from '../credentials.ts'
import type { LoginProgress } from '../login/login-errors.ts'
import { startRun } from '../run.ts'
import type { SessionUser } from './session-types.ts'
import type { Timers } from '../timers.ts'
import type { Token } from '../token.ts'

/** The end of a login, for those who wait for it. */
export type LoginEnd =
  | { readonly kind: 'token'; readonly token: Token }
  /** The credentials of the scheme that began it have changed, so that this session is not the one it needs. */
  | { readonly kind: 'moved'; readonly credentials: SessionCredentials; readonly user: SessionUser }
  /** Nobody wanted its token any more. */
  | { readonly kind: 'superseded' }
  /** It died with the request that began it, as in workerd. */
  | { readonly kind: 'dead' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** A login that is under way, for all who wait for it. */
export interface LoginRun {
  readonly user: SessionUser
  readonly progress: LoginProgress
  /** Resolves to its end. It never rejects. */
  readonly ended: Promise<LoginEnd>
  /**
   * Waits for its end.
   *
   * @param isJoined - `true` for those who came after it had begun.
   * @throws the reason of the signal if that aborts first.
   */
  wait(signal: AbortSignal | undefined, isJoined: boolean): Promise<LoginEnd>
  /** Ends it as superseded. */
  cancel(): void
}

interface RunSettings {
  readonly user: SessionUser
  readonly timers: Timers
  readonly about: LoginStart
  /** The generation of the last token. */
  readonly generation: number
  /** Tells if something other than its waiters needs its token. */
  isWanted(): boolean
  /** The seconds for which it goes on while nobody waits. */
  patience(): number
  onUnwanted(run: LoginRun): void
  /** Called before anything can ask for a token because of it. */
  onBegun(run: LoginRun): void
  /** Called with its duration in seconds. */
  onToken(seconds: number): void
}

/** Begins a login. */
export function startLoginRun(
  settings: RunSettings,
  work: (own: LoginRun, signal: AbortSignal) => Promise<LoginEnd>,
): LoginRun {
  const { user, timers, about, generation } = settings
  const controller = new AbortController()
  const { signal } = controller
  const waitUntil = user.waitUntil ?? keepAlive
  let waiting = 0
  let seconds = 0
  let unwanted = 0
  const traced = traceLogin(about)
  const attempt = (): Promise<LoginEnd> => Promise.resolve().then(() => work(own, signal))
  const endOf = (error: unknown): LoginEnd =>
    signal.aborted && error === signal.reason ? { kind: 'superseded' } : { kind: 'failed', error }
  let tracedAttempt: Promise<LoginEnd> | undefined
  const run = startRun(
    timers,
    () => (tracedAttempt ?? attempt()).catch(endOf),
    () => {
      seconds += 1
      // It keeps a process from ending, so it is given up where nobody waits for it.
      const isWanted = waiting > 0 || waitUntil !== undefined || settings.isWanted()
      unwanted = isWanted ? 0 : unwanted + 1
      if (unwanted > settings.patience()) settings.onUnwanted(own)
    },
  )
  const ended = run.promise
  const own: LoginRun = {
    user,
    progress: { waitsFor: 'credentials' },
    ended,
    async wait(until, isJoined) {
      if (isJoined) traced?.awaited()
      waiting += 1
      try {
        return await run.join(async () => ({ kind: 'dead' }) as const, until)
      } finally {
        waiting -= 1
      }
    },
    cancel: () => controller.abort(abortError('The login was given up')),
  }
  settings.onBegun(own)
  // In this context and not in a microtask, since the trace is of the call that began it.
  tracedAttempt = traced?.run(attempt, (end) => outcomeOf(end, generation))
  const settled = ended.then(({ kind }) => void (kind === 'token' && settings.onToken(seconds)))
  try {
    const kept: unknown = waitUntil?.(settled)
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
