import { AuthError } from '@svc/auth-hooks'
import { isRefusal, pauseMs } from '../session/back-off.ts'
import type { Grant, LoginAttempt, LoginOutcome, SharingSettings } from '../token.ts'
import type { Claim } from './claim.ts'
import { outcomeOf } from './outcome.ts'
import { contentOf, prepareRefresh, type Refresh } from './refresh.ts'
import type { SharedContent } from './sealed-record.ts'
import type { StoreSlot } from './store-slot.ts'

/**
 * Logs in, and stores the token, the lockout or the failure for all who share the slot.
 *
 * @returns `undefined` if another process was faster, so that the record has to be looked at again.
 */
export async function logInForAll(
  slot: StoreSlot,
  held: Claim,
  attempt: LoginAttempt,
  settings: SharingSettings,
  onUnstored: (id: string) => void,
): Promise<LoginOutcome | undefined> {
  const { content } = held.opened
  const refresh = settings.spending && prepareRefresh(slot, held, settings, onUnstored)
  let grant: Grant
  try {
    grant = await attempt.logIn(content.refreshToken, refresh)
  } catch (error) {
    if (refresh && !(await refresh.failed(error))) return undefined
    return reportFailure(slot, held, attempt, settings, error)
  }
  const next = contentOf(grant, content, attempt.replacements(), settings)
  return storeResult(slot, held, attempt, settings, { grant, next, refresh })
}

async function storeResult(
  slot: StoreSlot,
  { fencingToken, opened }: Claim,
  attempt: LoginAttempt,
  settings: SharingSettings,
  { grant, next, refresh }: { grant: Grant; next: SharedContent; refresh: Refresh | undefined },
): Promise<LoginOutcome> {
  try {
    const written = refresh
      ? await refresh.succeeded(next)
      : await slot.swap(opened, next, fencingToken())
    if (written) return { name: 'issued', grant: { ...grant, generation: written.generation } }
    // Another has logged in meanwhile, which may have ended the session of this token.
    const found = refresh ? undefined : outcomeOf(await slot.read(), attempt, settings, undefined)
    if (found?.name === 'adopted') return found
  } catch {
    // A token that cannot be shared is a token all the same.
  }
  return { name: 'issued', grant }
}

/** Leaves a failed login in the record, with its pause, so that those who wait for it do not try each by itself. */
async function reportFailure(
  slot: StoreSlot,
  { fencingToken }: Claim,
  attempt: LoginAttempt,
  settings: SharingSettings,
  error: unknown,
): Promise<LoginOutcome> {
  const { clock, random } = settings
  try {
    const opened = await slot.read()
    const found = outcomeOf(opened, attempt, settings, opened.content.failure?.id)
    if (found) return found
    if (!AuthError.is(error)) throw error
    const { code, status, serverMessage, retryAt } = error
    const { content } = opened
    if (!isRefusal(error)) {
      const failure = { id: crypto.randomUUID(), at: clock(), code, status, serverMessage, retryAt }
      await slot.swap(opened, { ...content, failure }, fencingToken())
      throw error
    }
    const refusals = (content.lockout?.refusals ?? 0) + 1
    const pauseEndsAt = clock() + pauseMs(error, refusals, true, random)
    const lockout = { refusals, retryAt: Math.max(pauseEndsAt, retryAt ?? 0) }
    const isStillGood = attempt.validToken() || content.token?.value !== attempt.lastValue
    const token = isStillGood ? content.token : undefined
    const next = { ...content, token, lockout: { ...lockout, status, code, serverMessage } }
    await slot.swap(opened, { ...next, failure: undefined }, fencingToken())
    return { name: 'locked-out', lockout, error, isOwn: true }
  } catch {
    // The failed login is what the caller has to know.
    throw error
  }
}
