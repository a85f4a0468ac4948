import { chain, isThenable, type MaybePromise } from '@svc/auth-hooks/scheme'
import type { Authorization, OutgoingRequest, ResponseHead, RetryReason } from '@svc/types'
import type { TokenAuth } from '../session-scheme.ts'
import { type Demand, readDemand } from './demand.ts'
import { isRefusal, stepUpError } from './errors.ts'
import { countLogin } from './logins.ts'
import { currentOf, type Held, loginsOf, needOf, obtain, type Place } from './place.ts'
import { isMet } from './wanted.ts'

/** The reason of the attempt with the token that a response asked for. */
const steppedUp = 'step-up'

/** Returns the scheme of a session that is changed for another one when a response asks for more. */
export function answering(first: Held, clock: () => number, create: Place['create']): TokenAuth {
  const begun = { current: first, plain: first, plainFrom: Infinity, made: new Map() }
  const place: Place = { ...begun, first, clock, create, queued: new Set(), logins: new Map() }
  return Object.freeze<TokenAuth>({
    ...first.session,
    authorize: (request) => authorizeBy(place, request),
    prepare: async (request) => use(place, ({ session: used }) => used.prepare?.(request)),
    getToken: async (given) => use(place, ({ session: used }) => used.getToken(given)),
    inspect: () => currentOf(place).session.inspect(),
    async invalidate() {
      const used = currentOf(place).session
      Object.assign(place, { current: first, plain: first, next: undefined, made: new Map() })
      await used.invalidate()
      if (used !== first.session) await first.session.invalidate()
    },
  })
}

/** Uses the session that is used now, or the first one if the renewal of a wider one is refused. */
function use<T>(place: Place, by: (held: Held) => MaybePromise<T>): MaybePromise<T> {
  const held = currentOf(place)
  const used = by(held)
  if (held === place.first || !isThenable(used)) return used
  return used.catch((error: unknown) => {
    if (!isRefusal(error)) throw error
    if (place.current === held) Object.assign(place, { current: place.first, plain: place.first })
    return by(place.first)
  })
}

function authorizeBy(place: Place, request: OutgoingRequest): MaybePromise<Authorization> {
  const { previous, reason } = request
  const demand = reason === steppedUp && previous ? readDemand(previous) : undefined
  // Not before the response is read to its end: the login may need its connection.
  const authorizeWith = (held: Held): MaybePromise<Authorization> =>
    chain(held.session.authorize(request), (own) => ({
      ...own,
      review: (head) => review(place, held, own, request, head),
    }))
  if (typeof demand !== 'object') return use(place, authorizeWith)
  return chain(obtain(place, demand, request), authorizeWith)
}

/** @throws AuthError if the response asks for what a login cannot be asked for. */
function review(
  place: Place,
  held: Held,
  own: Authorization,
  request: OutgoingRequest,
  head: ResponseHead,
): MaybePromise<RetryReason | undefined> {
  const demand = readDemand(head)
  if (demand === undefined) return own.review?.(head)
  const { status } = head
  if (typeof demand === 'string') {
    own.abandon?.()
    throw stepUpError('ERR_AUTH_CHALLENGE', { request }, ` asks for ${demand}`, { status })
  }
  const answer = (): MaybePromise<RetryReason> => stepUp(place, held, request, demand, status)
  const { body, reason: attempt } = request
  const isFirst = attempt !== 'rejected' && attempt !== steppedUp && body?.replayable !== false
  const logins = loginsOf(place, request.url)
  const newer = `newer ${demand.claims}`
  // Most claims only ask for a token that is newer than an event at the authorization server.
  if (demand.isForNewer && isFirst && !countLogin(logins, newer, place.clock())) {
    return chain(own.review?.(head), (reason) => reason ?? answer())
  }
  own.abandon?.()
  return answer()
}

/** @throws AuthError if its login would be of no use, or the request cannot be sent again. */
function stepUp(
  place: Place,
  { wanted }: Held,
  request: OutgoingRequest,
  demand: Demand,
  status: number,
): MaybePromise<RetryReason> {
  const need = needOf(place, request, demand)
  const isGiven = isMet(wanted, demand, place.clock())
  if (isGiven || request.reason === steppedUp) {
    const given = ', but its token was asked for with that: see what was granted'
    const what = isGiven ? given : ' after one step-up: call again'
    throw stepUpError('ERR_AUTH_CHALLENGE', need, what, { status })
  }
  if (request.body?.replayable !== false) return steppedUp
  return obtain(place, demand, request).then(() => {
    const what = ', and its body cannot be sent again: call again, there is a token for it now'
    throw stepUpError('ERR_AUTH_BODY', need, what, { status })
  })
}
