import { assertNotAborted, isThenable, type MaybePromise } from '@svc/auth-hooks/scheme'
import type { OutgoingRequest } from '@svc/types'
import type { TokenAuth } from '../session-scheme.ts'
import { areNames, type Demand } from './demand.ts'
import { failedLogin, type Need, stepUpError } from './errors.ts'
import { isMet, join, missingScopes, shown, type Wanted, widen } from './wanted.ts'

/** A session, and what its logins ask for. */
export interface Held {
  readonly wanted: Wanted
  readonly session: TokenAuth
}

/** A session that is used once it has a token. */
interface Next {
  readonly wanted: Wanted
  readonly session: MaybePromise<TokenAuth | undefined>
  /** `true` if it logs in because of a server. */
  readonly isCounted: boolean
  /** The number of those who wait for its token. */
  waiting: number
}

/** The sessions of a scheme. There is no promise of a login, which in a worker may die with the request that began it. */
export interface Place {
  readonly first: Held
  readonly clock: () => number
  /** Returns a session; `undefined` if there is none that asks for so much. */
  readonly create: (wanted: Wanted) => Next['session']
  /** Those that were made, which know of their own pauses. */
  readonly made: Map<string, Next['session']>
  current: Held
  next?: Next | undefined
  /** What is demanded by those who wait for the logins of others. */
  readonly queued: Set<Demand>
  /** When servers caused a login. */
  logins: readonly number[]
}

/** The number of logins that servers may cause in a while: each may bother a user. One that fails counts as four. */
const mostLogins = 20
const whileMs = 600_000
const mostSessions = 20
/** Those who wait for the logins of others give up after so many. */
const mostTurns = 5

/** Returns what a request lacks, with the token that is used. */
export function needOf(place: Place, request: Need['request'], demand: Demand): Required<Need> {
  const { clock, current, first } = place
  const missing = missingScopes(current.wanted, demand)
  const lacks = missing.length > 0 ? { ...demand, scopes: missing } : demand
  return { request, lacks, wanted: widen(current.wanted, demand, clock(), first.wanted) }
}

/**
 * Resolves to a session with a token that was asked for what is demanded: after one login for all who demand the same, and one
 * more for those who demand something else meanwhile.
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
    const { current, next, queued } = place
    if (isMet(current.wanted, demand, now)) return current
    if (next && !isMet(next.wanted, demand, now)) {
      queued.add(demand)
      // Its failure is that of others.
      await outlast(place, next, signal).catch(() => {})
      queued.delete(demand)
      continue
    }
    const need = needOf(place, request, demand)
    const all = [...queued, demand].reduce(join)
    const own = (place.next ??= begin(place, widen(current.wanted, all, now, first.wanted), need))
    const isGiven = await outlast(place, own, signal).catch((error: unknown) => {
      throw failedLogin(error, need)
    })
    if (isGiven) continue
    const what = `, which no login here gives: sign in with ${shown(need.wanted)}`
    throw stepUpError('ERR_AUTH_SIGN_IN_NEEDED', need, what)
  }
  const what = ', and others exclude that: call again'
  throw stepUpError('ERR_AUTH_CHALLENGE', needOf(place, request, demand), what)
}

/** @throws AuthError if a login may not be asked for that, or not now. */
function begin(place: Place, wanted: Wanted, need: Need): Next {
  const { made, clock } = place
  if (!areNames(wanted.scopes)) {
    throw stepUpError(
      'ERR_AUTH_CHALLENGE',
      need,
      ' beside too many others: restart, or invalidate()',
    )
  }
  const now = clock()
  const last = place.logins.filter((at) => Math.abs(now - at) < whileMs)
  const assertMayLogIn = (): void => {
    if (last.length < mostLogins) return
    const retryAt = (last[0] ?? now) + whileMs
    const what = ', after too many logins for what servers asked for: none is made for a while'
    throw stepUpError('ERR_AUTH_CHALLENGE', need, what, { retryAt })
  }
  const key = JSON.stringify(wanted)
  if (!made.has(key)) assertMayLogIn()
  const session = made.get(key) ?? place.create(wanted)
  if (made.size >= mostSessions) made.clear()
  made.set(key, session)
  // Others may have logged in, or be about to.
  const isCounted = isThenable(session) || session?.inspect().state === 'empty'
  if (isCounted) {
    assertMayLogIn()
    place.logins = [...last, now]
  }
  return { wanted, session, isCounted, waiting: 0 }
}

/** Waits for the token of a session, which is used from then on. Resolves to `false` if there is no such session. */
async function outlast(place: Place, own: Next, signal: AbortSignal | undefined): Promise<boolean> {
  const { clock, made } = place
  const { wanted, isCounted } = own
  own.waiting += 1
  try {
    const session = await own.session
    await session?.getToken({ signal })
    if (session && place.next === own) place.current = { wanted, session }
    return session !== undefined
  } catch (error) {
    if (place.next === own && !signal?.aborted) {
      place.next = undefined
      if (isThenable(own.session)) made.delete(JSON.stringify(wanted))
      if (isCounted) place.logins = [...place.logins, ...Array.from({ length: 3 }, clock)]
    }
    throw error
  } finally {
    own.waiting -= 1
    const isOver = own.waiting === 0 || place.current.wanted === wanted
    if (place.next === own && isOver) place.next = undefined
  }
}
