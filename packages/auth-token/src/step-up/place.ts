import { assertNotAborted, isThenable, type MaybePromise } from '@svc/auth-hooks/scheme'
import type { OutgoingRequest } from '@svc/types'
import type { TokenAuth } from '../session-scheme.ts'
import { areNames, type Demand } from './demand.ts'
import { failedLogin, isRefusal, type Need, stepUpError } from './errors.ts'
import { countLogin, countRefusal, type Logins, whileMs } from './logins.ts'
import { ageMs, isMet, join, missingScopes, shown, type Wanted, widen } from './wanted.ts'

/** A session, and what its logins ask for. */
export interface Held {
  readonly wanted: Wanted
  readonly session: TokenAuth
  /** When what was asked of the user is forgotten, and what is used from then on. */
  readonly end?: { readonly at: number; readonly next: Held } | undefined
}

/** A session that is used once it has a token. */
interface Next {
  readonly key: string
  readonly wanted: Wanted
  readonly session: MaybePromise<TokenAuth | undefined>
  /** The number of those who wait for its token. */
  waiting: number
}

/** The sessions of a scheme. There is no promise of a login, which in a worker may die with the request that began it. */
export interface Place {
  readonly first: Held
  readonly clock: () => number
  /** Returns a session; `undefined` if there is none that asks for so much. */
  readonly create: (wanted: Wanted) => Next['session']
  /** Those that were made last, which know of their own pauses. */
  made: Map<string, Next['session']>
  /** Read it by {@link currentOf}. */
  current: Held
  next?: Next | undefined
  /** What is demanded by those who wait for the logins of others. */
  readonly queued: Set<Demand>
  readonly logins: Logins
}

const mostSessions = 20
/** Those who wait for the logins of others give up after so many. */
const mostTurns = 5
const longestEndMs = 3_600_000

/** Returns the session that is used. */
export function currentOf(place: Place): Held {
  const { end } = place.current
  if (end && place.clock() >= end.at) place.current = end.next
  return place.current
}

/** Returns what a request lacks, with the token that is used. */
export function needOf(place: Place, request: Need['request'], demand: Demand): Required<Need> {
  const { clock, first } = place
  const { wanted } = currentOf(place)
  const missing = missingScopes(wanted, demand)
  const lacks = missing.length > 0 ? { ...demand, scopes: missing } : demand
  return { request, lacks, wanted: widen(wanted, demand, clock(), first.wanted) }
}

/**
 * Resolves to a session with a token that was asked for what is demanded: after one login for all who demand the same, and one
 * more for those who demand something else meanwhile. If that is refused, each is asked for alone.
 *
 * @throws AuthError saying what the request lacks, and why.
 */
export async function obtain(
  place: Place,
  demand: Demand,
  request: Pick<OutgoingRequest, 'method' | 'signal' | 'url'>,
): Promise<Held> {
  const { clock, first } = place
  const { signal } = request
  for (let turn = 0; turn < mostTurns; turn += 1) {
    assertNotAborted(signal)
    const now = clock()
    const current = currentOf(place)
    const { next, queued } = place
    if (isMet(current.wanted, demand, now)) return current
    if (next && !isMet(next.wanted, demand, now)) {
      queued.add(demand)
      // Its failure is that of others.
      await outlast(place, next, signal).catch(() => {})
      queued.delete(demand)
      continue
    }
    const need = needOf(place, request, demand)
    const joint = (place.next ??= begin(place, joined(place, demand, now), need))
    const alone = widen(first.wanted, demand, now, first.wanted)
    const isAlone = joint.key === keyOf(alone)
    const held = await outlast(place, joint, signal).catch((error: unknown) => {
      if (isAlone || !isRefusal(error)) throw failedLogin(error, need)
      return undefined
    })
    if (held) continue
    const own = isAlone ? joint : begin(place, alone, need)
    const given = await outlast(place, own, signal).catch((error: unknown) => {
      throw failedLogin(error, { ...need, wanted: alone })
    })
    if (given) return given
    const what = `, which no login here gives: sign in with ${shown(need.wanted)}`
    throw stepUpError('ERR_AUTH_SIGN_IN_NEEDED', need, what)
  }
  const what = ', and others exclude that: call again'
  throw stepUpError('ERR_AUTH_CHALLENGE', needOf(place, request, demand), what)
}

/** Returns what to ask for: with what the others demand who wait, as far as it fits. */
function joined(place: Place, demand: Demand, now: number): Wanted {
  const first = place.first.wanted
  let all = demand
  for (const one of place.queued) {
    const more = join(one, all)
    if (areNames(missingScopes(first, more))) all = more
  }
  return widen(currentOf(place).wanted, all, now, first)
}

function keyOf(wanted: Wanted): string {
  return JSON.stringify(wanted)
}

/** @throws AuthError if no login may be made now. */
function begin(place: Place, wanted: Wanted, need: Need): Next {
  const { made, clock, logins } = place
  const key = keyOf(wanted)
  const known = made.get(key)
  const isCounted = known === undefined || isThenable(known) || known.inspect().state === 'empty'
  const retryAt = isCounted ? countLogin(logins, key, clock()) : undefined
  if (retryAt !== undefined) {
    const what = ', after too many logins for what servers asked for: none is made for a while'
    throw stepUpError('ERR_AUTH_CHALLENGE', need, what, { retryAt })
  }
  const session = known ?? place.create(wanted)
  made.delete(key)
  made.set(key, session)
  const [oldest = key] = made.keys()
  if (made.size > mostSessions) made.delete(oldest)
  return { key, wanted, session, waiting: 0 }
}

/** Waits for the token of a session, which is used from then on. Resolves to `undefined` if there is no such session. */
async function outlast(
  place: Place,
  own: Next,
  signal: AbortSignal | undefined,
): Promise<Held | undefined> {
  const { made, logins } = place
  const { key, wanted } = own
  own.waiting += 1
  try {
    const session = await own.session
    await session?.getToken({ signal })
    if (!session) return undefined
    const held = holdFor(place, wanted, session)
    // After `invalidate()`, it is that of these requests only.
    if (place.made === made) place.current = held
    return held
  } catch (error) {
    if (isRefusal(error)) countRefusal(logins, key)
    if (!signal?.aborted) {
      if (place.next === own) place.next = undefined
      if (isThenable(own.session)) made.delete(key)
    }
    throw error
  } finally {
    own.waiting -= 1
    const isOver = own.waiting === 0 || place.current.wanted === wanted
    if (place.next === own && isOver) place.next = undefined
  }
}

/** A user is not asked for ever for what one request demanded: neither at a renewal, nor for another scope. */
function holdFor(place: Place, wanted: Wanted, session: TokenAuth): Held {
  const { acrValues, maxAge } = wanted
  if (acrValues.length === 0 && maxAge === undefined) return { wanted, session }
  const current = currentOf(place)
  const at = place.clock() + Math.min(whileMs + ageMs(maxAge), longestEndMs)
  return { wanted, session, end: { at, next: current.end?.next ?? current } }
}
