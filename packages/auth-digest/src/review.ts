import type { AuthError } from '@svc/auth-hooks'
import { readAuthParameters } from '@svc/auth-hooks/challenge'
import { emit } from '@svc/auth-hooks/scheme'
import type { OutgoingRequest, ResponseHead } from '@svc/types'
import type { Answer, Session } from './answer.ts'
import { chooseOffer, digestError, isEchoable, type Offer, strengthOf } from './offer.ts'
import type { DigestSettings } from './options.ts'
import { enter, keep, nonceOf, type Place, type Trial } from './place.ts'

/** One attempt, until its response comes. */
export interface Lease {
  readonly settings: DigestSettings
  readonly place: Place
  readonly request: OutgoingRequest
  /** Given if others wait for its response. */
  readonly trial: Trial | undefined
  /** Given if it carried an answer. */
  readonly answered: Answered | undefined
}

interface Answered {
  readonly session: Session
  readonly answer: Answer
  /** `true` if it answered the challenge of the attempt before. */
  readonly isOwn: boolean
  /** `true` if the credentials were known to be right when it was sent. */
  readonly wasVerified: boolean
}

/** Learns from a response, and returns the reason to send its request again, if there is one. */
export async function review(lease: Lease, head: ResponseHead): Promise<string | undefined> {
  const { answered, place, request, trial } = lease
  try {
    if (head.status === 401) return await readRefusal(lease, head)
    // A failure, or the challenge of a proxy, may come from something in front that looked at nothing.
    if (head.status >= 500 || [407, 429].includes(head.status)) return undefined
    if (!answered) keep(place.open, new URL('.', request.url).href, true)
    else {
      await readProof(lease, answered, head)
      place.refusals.accepted()
      place.refused.clear()
      place.isVerified = true
      place.strength = Math.max(place.strength, strengthOf(answered.session.offer))
    }
    return undefined
  } finally {
    trial?.end()
  }
}

/** Reads a 401. Its challenge serves all callers from now on, unless a newer one is there. */
async function readRefusal(lease: Lease, head: ResponseHead): Promise<string | undefined> {
  const { answered, place, request, settings } = lease
  const offer = chooseOffer(settings, request, head, place.strength)
  // Somebody else may know more of this response.
  if (!offer && !answered) return undefined
  const reason = offer && reasonToRepeat(lease, offer)
  if (!reason) throw refused(lease, offer, head.status)
  const isNew = answered ? isCurrent(place, answered) : place.session === undefined
  if (isNew) {
    // A server may have forgotten its nonces, or the password is another one by now.
    if (answered?.session.offer.realm === offer.realm && !offer.isStale) place.isVerified = false
    await enter(settings, place, offer, lease.trial)
  }
  if (request.body?.replayable !== false) return reason
  const problem = 'challenged, its body cannot be repeated: call again'
  throw digestError('ERR_AUTH_BODY', request, problem, head.status)
}

/**
 * Returns the reason to answer a challenge, unless it says that the credentials were refused. It ends in the number of an
 * attempt, since each hop of a call may need one.
 */
function reasonToRepeat({ answered, request }: Lease, offer: Offer): string | undefined {
  const { attempt, reason } = request
  const isSameRealm = offer.realm === answered?.session.offer.realm
  if (offer.isStale && isSameRealm) {
    if (reason.startsWith('stale stale')) return undefined
    return `stale ${reason.startsWith('stale') ? reason : attempt}`
  }
  const isRefusal = answered && (answered.isOwn || (isSameRealm && !answered.wasVerified))
  return isRefusal ? undefined : `challenge ${attempt}`
}

/** Tells if nothing newer has come since a request was sent. */
function isCurrent(place: Place, { answer, session }: Answered): boolean {
  return place.session === session && session.nonce === answer.nonce
}

/** Takes note of refused credentials, and returns the error of the caller, which may begin a pause. */
function refused(
  { answered, place, request, settings: { onEvent } }: Lease,
  offer: Offer | undefined,
  status: number,
): AuthError {
  place.isVerified = false
  // Only an answer to a challenge of its own shows that a path asks for credentials at all.
  place.session = undefined
  if (answered) place.refused.add(JSON.stringify(answered.session.credentials))
  const [code, problem] = offer?.isStale
    ? (['ERR_AUTH_CHALLENGE', 'the server calls each nonce stale'] as const)
    : (['ERR_AUTH_LOGIN_REFUSED', 'the credentials were refused'] as const)
  const error = place.refusals.note(digestError(code, request, problem, status))
  const { retryAt } = error
  const about = { scheme: 'digest', origin: request.url.origin, status } as const
  emit(onEvent, () => ({ ...about, type: 'login.failed', code }))
  if (retryAt) emit(onEvent, () => ({ ...about, type: 'login.paused', retryAt }))
  return error
}

/**
 * Checks the proof that the server knows the password too, and takes the next nonce. With `auth-int` the proof covers
 * the body of the response, which is not there yet: it is not checked.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7616#section-3.5
 */
async function readProof(
  { place, request }: Lease,
  answered: Answered,
  { headers, status }: ResponseHead,
): Promise<void> {
  const { answer, session } = answered
  const told = readAuthParameters(headers.get('authentication-info'))
  const proof = session.offer.qop === 'auth-int' ? undefined : told.get('rspauth')
  if (proof !== undefined && proof.toLowerCase() !== (await answer.proof())) {
    const problem = 'the server does not know the password'
    throw digestError('ERR_AUTH_CHALLENGE', request, problem, status)
  }
  const next = told.get('nextnonce')
  // Of those who share a nonce, the first response brings the next one: the others' may be older.
  if (next && isEchoable(next) && isCurrent(place, answered)) session.nonce = nonceOf(place, next)
}
