import { assertNotAborted, isThenable, type MaybePromise } from '@svc/auth-hooks/scheme'
import type { OutgoingRequest } from '@svc/types'
import type { TokenAuth } from '../session-scheme.ts'
import type { Demand } from './demand.ts'
import { failedLogin, isRefusal, type Need, stepUpError } from './errors.ts'
import { countLogin, type Logins } from './logins.ts'
import { isMet, join, missingScopes, shown, toStepUp, type Wanted, widen } from './wanted.ts'

/** A session, and what its logins ask for. */
export interface Held {
  readonly wanted: Wanted
  readonly session: TokenAuth
}

/** A session that is used once it has a token. */
interface Next {
  readonly key: string
  readonly wanted: Wanted
  readonly session: MaybePromise<TokenAuth | undefined>
  readonly logins: Logins
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
  /** The last one that asks nothing of the user, which is used again from `plainFrom` on. */
  plain: Held
  plainFrom: number
  next?: Next | undefined
  /** What is demanded by those who wait for the logins of others. */
  readonly queued: Set<Demand>
  /** By origin: none uses up those of another. */
  readonly logins: Map<string, Logins>
}

const mostSessions = 20
/** After so many logins of others, none of them is waited for. */
const mostTurns = 5
const keptMs = 1_800_000
/** One that only failed for now does not count for more: its session has a pause. */
const countOfRefused = 4

/** Returns the session that is used. */
export function currentOf(place: Place): Held {
  if (place.clock() >= place.plainFrom) place.current = place.plain
  return place.current
}

export function loginsOf({ logins }: Place, { origin }: URL): Logins {
  const own: Logins = logins.get(origin) ?? new Map()
  logins.set(origin, own)
  return own
}

/** Returns what a request lacks, with the token that is used. */
export function needOf(place: Place, request: Need['request'], demand: Demand): Required<Need> {
  const { wanted } = currentOf(place)
  const missing = missingScopes(wanted, demand)
  const lacks = missing.length > 0 ? { ...demand, scopes: missing } : demand
  return { request, lacks, wanted: widen(wanted, demand, place.clock(), place.first.wanted) }
}

/**
 * Resolves to a session with a token that was asked for what is demanded: after one login for all who demand the same, and one
 * more for those who demand something else meanwhile. If that is refused, each is asked for alone.
 *
 * @throws AuthError saying what the request lacks, and why.
 */
export async function obtain(place: Place, demand: Demand, asked: OutgoingRequest): Promise<Held> {
  const { clock, first } = place
  for (let turn = 0; ; turn += 1) {
    assertNotAborted(asked.signal)
    const now = clock()
    const current = currentOf(place)
    const { next, queued } = place
    if (isMet(current.wanted, demand, now)) return current
    const isOfOthers = next && !isMet(next.wanted, demand, now)
    const need = needOf(place, asked, demand)
    if (isOfOthers && turn < mostTurns) {
      queued.add(demand)
      // Its failure is that of others.
      await outlast(place, next, need).catch(() => {})
      queued.delete(demand)
      continue
    }
    const alone = widen(first.wanted, demand, now, first.wanted)
    const all = widen(current.wanted, [...queued, demand].reduce(join), now, first.wanted)
    const joint = isOfOthers ? begin(place, alone, need) : (place.next ??= begin(place, all, need))
    const isAlone = joint.key === JSON.stringify(alone)
    const held = await outlast(place, joint, need).catch((error: unknown) => {
      // A user who denied is not asked again at once.
      if (isAlone || !isRefusal(error) || /DENIED|TIMEOUT/.test(error.code)) throw error
      const login = joint.logins.get(joint.key)
      if (login) login.count = 1
    })
    const given = held ?? (await outlast(place, isAlone ? joint : begin(place, alone, need), need))
    if (given) return given
    const what = `, which no login here gives: sign in with ${shown(need.wanted)}`
    throw stepUpError('ERR_AUTH_SIGN_IN_NEEDED', need, what)
  }
}

/** @throws AuthError if no login may be made now. */
function begin(place: Place, wanted: Wanted, need: Need): Next {
  const { made, clock } = place
  const logins = loginsOf(place, need.request.url)
  const key = JSON.stringify(wanted)
  const known = made.get(key)
  const isCounted = !known || isThenable(known) || known.inspect().state === 'empty'
  const retryAt = isCounted ? countLogin(logins, key, clock()) : undefined
  if (retryAt !== undefined) {
    const what = ', after too many logins for what servers ask: wait'
    throw stepUpError('ERR_AUTH_CHALLENGE', need, what, { retryAt })
  }
  const session = known ?? place.create(wanted)
  if (!known && made.size >= mostSessions) made.clear()
  made.set(key, session)
  if (!session) logins.delete(key)
  return { key, wanted, session, logins, waiting: 0 }
}

/** Waits for the token of a session, which is used from then on. Resolves to `undefined` if there is no such session. */
async function outlast(place: Place, own: Next, need: Need): Promise<Held | undefined> {
  const { signal } = need.request
  const { made } = place
  const { key, wanted, logins } = own
  let isOver = true
  own.waiting += 1
  try {
    const session = await own.session
    await session?.getToken({ signal })
    if (!session) return undefined
    const held = { wanted, session }
    // After `invalidate()`, it is that of these requests only.
    if (place.made === made) keep(place, held)
    return held
  } catch (error) {
    const login = isRefusal(error) ? logins.get(key) : undefined
    if (login) login.count = countOfRefused
    isOver = !signal?.aborted
    if (isOver && isThenable(own.session)) made.delete(key)
    throw failedLogin(error, need)
  } finally {
    own.waiting -= 1
    if (place.next === own && (isOver || own.waiting === 0)) place.next = undefined
  }
}

/** A user is not asked for ever for what one request demanded: neither at a renewal, nor for another scope. */
function keep(place: Place, held: Held): void {
  place.current = held
  if (toStepUp(held.wanted).parameters) place.plainFrom = place.clock() + keptMs
  else place.plain = held
}
