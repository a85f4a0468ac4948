import { chain, isThenable, type MaybePromise } from '@svc/auth-hooks/scheme'
import type { Authorization, OutgoingRequest, ResponseHead, RetryReason } from '@svc/types'
import type { TokenAuth } from '../session-scheme.ts'
import { type Demand, readDemand } from './demand.ts'
import { isRefusal, stepUpError } from './errors.ts'
import { countLogin } from './logins.ts'
import { currentOf, type Held, loginsOf, needOf, obtain, type Place } from './place.ts'
import { isMet } from './wanted.ts'

/** The reason of an attempt with the token that a response asked for, before a number: each hop of a call may need one. */
const steppedUp = 'step-up'
let steps = 0

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
  const demand = reason.includes(steppedUp) && previous ? readDemand(previous) : undefined
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
  const { body, reason, url } = request
  const { status, headers } = head
  const isFirst = !/^(?:rejected|step-up)/.test(reason) && body?.replayable !== false
  // Most claims only ask for a token that is newer than an event at the authorization server.
  const newer = typeof demand === 'object' && demand.isForNewer && `newer ${demand.claims}`
  const isOld = newer && isFirst && !countLogin(loginsOf(place, url), newer, place.clock())
  // Any other demand takes the token, and may come with what its session has to know.
  const found = own.review?.(isOld ? head : { status: 200, headers })
  if (typeof demand === 'string') {
    throw stepUpError('ERR_AUTH_CHALLENGE', { request }, ` asks for ${demand}`, { status })
  }
  return chain(found, (again) => again ?? stepUp(place, held, request, demand, status))
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
  if (isGiven || request.reason.includes(steppedUp)) {
    const given = ', but its token was asked for with that: see what was granted'
    const what = isGiven ? given : ' after one step-up: call again'
    throw stepUpError('ERR_AUTH_CHALLENGE', need, what, { status })
  }
  if (request.body?.replayable !== false) return `${steppedUp} ${(steps += 1)}`
  return obtain(place, demand, request).then(() => {
    const what = ', and its body cannot be sent again: call again'
    throw stepUpError('ERR_AUTH_BODY', need, what, { status })
  })
}
