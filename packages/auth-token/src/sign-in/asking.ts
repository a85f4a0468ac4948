import { AuthError } from '@svc/auth-hooks'
import { mayBeRefusal, mostLiftedRefusals } from '../session/back-off.ts'
import type { SharingSettings } from '../session/session-options.ts'
import { settle, unstoredIn } from '../sharing/refresh.ts'
import { type StoreSlot, storeUnavailable } from '../sharing/store-slot.ts'
import { isAhead, type LoginAttempt, type LoginOutcome, type Sharing } from '../token.ts'
import { type SignInCode, signInError, signInFailed, signInNeeded } from './errors.ts'
import type { Asker } from './question.ts'
import { askInTurn, type Needed } from './turn.ts'
import { following } from './waiting.ts'

type LockedOut = Extract<LoginOutcome, { readonly name: 'locked-out' }>

/** Thrown, and never stored, where a record has no refresh token. */
const nothingStored: unique symbol = Symbol('there is no sign-in')
/** The age until which the token of a sign-in is a fresh one: another would be refused as well. */
const freshMs = 600_000

/** The sharing of a record, and where that is. */
export interface SharedRecord {
  readonly sharing: Sharing
  /** Returns its place, once it was looked for. */
  readonly slotOf: () => StoreSlot | undefined
  readonly settings: SharingSettings
}

/**
 * Asks the user around the sharing of a record: where that has no token, and no refresh token that the server takes.
 * The one with the lock asks, which is not that of the record; all others wait for a change of the record.
 */
export function askAround({ sharing, slotOf, settings }: SharedRecord, asker: Asker): Sharing {
  const { title } = settings
  let askingNow = 0
  let isAnew = false
  let isInvalidated = false

  return {
    ...sharing,
    isAsking: () => askingNow > 0,
    invalidate(isOver) {
      isInvalidated = true
      isAnew ||= Boolean(isOver)
      sharing.invalidate(isOver)
    },
    async obtain(attempt, signal) {
      const [anew, mayLift] = [isAnew, isInvalidated]
      isAnew = isInvalidated = false
      // What the user gave is not asked for again because the store was away.
      for (const id of unstoredIn(slotOf())) await settle(id).catch(() => {})
      let liftedUntil: number | undefined
      const look = async (): Promise<LoginOutcome | Needed> => {
        const found = await goOn(sharing, attempt, signal, title)
        const isLifted = found.name === 'locked-out' && found.lockout.retryAt === liftedUntil
        if (!isLifted) return found
        sharing.invalidate(true)
        return goOn(sharing, attempt, signal, title)
      }
      let first = await look()
      // The pause of a process before: the session knew of none that it could end.
      if (mayLift && first.name === 'locked-out' && isLiftable(first)) {
        liftedUntil = first.lockout.retryAt
        first = await look()
      }
      if (first.name !== 'needed') return first
      const record = slotOf()
      const mayAsk = attempt.urgency === 'log-in' && !attempt.validToken()
      if (!record || !mayAsk) return notNow(first, title)
      let isUserAwaited = false
      const onUserAwaited = (isAwaited: boolean): void => {
        askingNow += Number(isAwaited) - Number(isUserAwaited)
        isUserAwaited = isAwaited
      }
      onUserAwaited(true)
      try {
        await assertUseful(record, attempt, first, settings)
        // Beside the lock of the record, which no refresh may wait for that long.
        const turns = record.beside('sign-in')
        return await following([signal, asker.settings.signal], async (both) => {
          const again = (): Promise<LoginOutcome | Needed> => {
            // It ends no pause of others, but does not heed it either.
            if (anew) sharing.invalidate(true)
            return look()
          }
          const question = { record, settings, attempt, asker, signal: both, onUserAwaited }
          return askInTurn({ ...question, turns }, again)
        })
      } catch (error) {
        if (error !== storeUnavailable) throw error
        const what = `${title}: the user was not asked, since the token store is away`
        throw new AuthError('ERR_AUTH_STORE', `[@svc/auth-token] ${what}`)
      } finally {
        onUserAwaited(false)
      }
    },
  }
}

/** Goes on with the sign-in of the record, or tells that there is none. */
async function goOn(
  sharing: Sharing,
  attempt: LoginAttempt,
  signal: AbortSignal,
  title: string,
): Promise<LoginOutcome | Needed> {
  const logIn: LoginAttempt['logIn'] = async (stored, beforeSending) => {
    if (stored === undefined) throw nothingStored
    return attempt.logIn(stored, beforeSending)
  }
  try {
    const outcome = await sharing.obtain({ ...attempt, logIn }, signal)
    if (outcome.name !== 'locked-out') return outcome
    if (isNeeded(outcome.error)) return { name: 'needed', outcome }
    return { ...outcome, error: ownError(outcome.error, outcome.isOwn, title) }
  } catch (error) {
    if (error === nothingStored) return { name: 'needed' }
    if (isNeeded(error)) return { name: 'needed', error }
    throw error
  }
}

/** @throws AuthError if a server refuses the token that the user has just signed in for. `invalidate()` asks anew. */
async function assertUseful(
  record: StoreSlot,
  attempt: LoginAttempt,
  { outcome, error }: Needed,
  { title, clock }: SharingSettings,
): Promise<void> {
  const replacements = attempt.replacements()
  if (replacements === 0) return
  const { token } = (await record.read()).content
  const isLast = token?.value === attempt.lastValue
  const isFresh = token && isLast && isAhead(token.issuedAt + freshMs, clock(), freshMs)
  // A sign-in that its server has ended is over, whatever its age, but not twice in a row.
  const isOver = outcome !== undefined || error !== undefined
  if (isOver ? replacements === 1 : !isFresh) return
  const what =
    'the server refuses the token of a sign-in that was just made; check scope, and resource or audience; invalidate() asks anew'
  throw signInFailed(`${title}: ${what}`)
}

function isNeeded(error: unknown): boolean {
  const codes = ['ERR_AUTH_SIGN_IN_NEEDED', 'ERR_AUTH_REFRESH_LOST'] as const
  return AuthError.is(error) && codes.some((code) => code === error.code)
}

/** Leaves the token that the session has. */
function notNow({ outcome, error }: Needed, title: string): LoginOutcome {
  if (outcome) return outcome
  throw error ?? signInNeeded(`${title} has no refresh token`)
}

/** The sign-ins that came to nothing, of which another process tells. */
const words: Partial<Record<string, string>> = {
  ERR_AUTH_SIGN_IN_DENIED: 'the sign-in was denied',
  ERR_AUTH_SIGN_IN_TIMEOUT: 'nobody signed in in time',
  ERR_AUTH_SIGN_IN_FAILED: 'the sign-in failed',
}

/** Tells if `invalidate()` ends the pause of another process, as it ends one of this process. */
function isLiftable({ error, isOwn, lockout }: LockedOut): boolean {
  const isTooMany = mayBeRefusal(error) && lockout.refusals >= mostLiftedRefusals
  return !isOwn && words[error.code] !== undefined && !isTooMany
}

/** Returns the error of a sign-in that another process asked for. */
function ownError(error: AuthError, isOwn: boolean, title: string): AuthError {
  const { code, status, retryAt } = error
  const word = words[code]
  if (isOwn || word === undefined) return error
  const what = `${title}: ${word}, which another process had asked for; invalidate() asks anew`
  // One of the codes above.
  return signInError(code as SignInCode, what, { status, retryAt })
}
