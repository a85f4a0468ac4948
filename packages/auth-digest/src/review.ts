import type { AuthError } from '@svc/auth-hooks'
import { readAuthParameters } from '@svc/auth-hooks/challenge'
import { emit } from '@svc/auth-hooks/scheme'
import type { OutgoingRequest, ResponseHead } from '@svc/types'
import type { Answer, Session } from './answer.ts'
import {
  chooseOffer,
  digestError,
  isEchoable,
  needsChallenge,
  type Offer,
  strengthOf,
} from './offer.ts'
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
  /** `true` if it answered the challenge of the attempt before; otherwise, the credentials were known to be right. */
  readonly isOwn: boolean
}

/** Learns from a response, and returns the reason to send its request again, if there is one. */
export async function review(lease: Lease, head: ResponseHead): Promise<string | undefined> {
  const { answered, place, request, trial } = lease
  try {
    if (head.status === 401) return await readRefusal(lease, head)
    // A failure, or the challenge of a proxy, may come from something in front that looked at nothing.
    if (head.status < 500 && ![407, 429].includes(head.status)) {
      if (answered) await readProof(lease, answered, head)
      else keep(place.open, new URL('.', request.url).href, true)
    }
    return undefined
  } finally {
    // After a challenge, the trial goes on until it is answered.
    if (!trial?.nonce) trial?.end()
  }
}

/** Reads a 401, whose challenge belongs to its request. */
async function readRefusal(lease: Lease, head: ResponseHead): Promise<string | undefined> {
  const { answered, place, request, settings, trial } = lease
  const offer = chooseOffer(settings, request, head, place.strength)
  // Another scheme asks here, unless this path asked for Digest before, and the credentials were never right.
  if (!offer && (place.right || !answered?.isOwn)) return undefined
  place.isChallenged = true
  const reason = offer && reasonToRepeat(lease, offer)
  if (!reason) throw refused(lease, offer, head.status)
  if (request.body?.replayable === false) {
    const { right } = place
    if (right) place.session = await enter(settings, place, offer)
    const problem = right ? 'the body met a challenge: call again' : needsChallenge
    throw digestError('ERR_AUTH_BODY', request, problem, head.status)
  }
  if (trial) trial.nonce = offer.nonce
  return reason
}

/**
 * Returns the reason to answer a challenge, unless it says that the credentials were refused. It ends in the number of an
 * attempt, since each hop of a call may need one.
 */
function reasonToRepeat({ answered, place, request }: Lease, offer: Offer): string | undefined {
  const { attempt, reason } = request
  if (answered?.session.offer.realm === offer.realm) {
    const { nonce } = answered.answer
    // The server may have forgotten its nonces, or the password is another one by now.
    if (!offer.isStale && isCurrent(place, answered)) place.right = place.session = undefined
    // A nonce may count once: its second answer says nothing of the credentials.
    if (offer.isStale || (nonce.count > 1 && nonce.value !== offer.nonce)) {
      if (reason.startsWith('stale stale')) return undefined
      return `stale ${reason.startsWith('stale') ? reason : attempt}`
    }
  }
  return answered?.isOwn ? undefined : `challenge ${attempt}`
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
  place.right = place.session = undefined
  if (answered) place.refused.add(JSON.stringify(answered.session.credentials))
  const [code, problem] = offer?.isStale
    ? (['ERR_AUTH_CHALLENGE', 'each nonce is stale'] as const)
    : (['ERR_AUTH_LOGIN_REFUSED', 'the credentials were refused'] as const)
  const error = place.refusals.note(digestError(code, request, problem, status))
  const { retryAt } = error
  const about = { scheme: 'digest', origin: request.url.origin, status } as const
  emit(onEvent, () => ({ ...about, type: 'login.failed', code }))
  if (retryAt) emit(onEvent, () => ({ ...about, type: 'login.paused', retryAt }))
  return error
}

/**
 * Takes the answer for accepted, if its path asked for it or the server proves that it knows the password too, and takes
 * the next nonce. With `auth-int` the proof covers the body of the response, which is not there yet: it is not checked.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7616#section-3.5
 */
async function readProof(
  { place, request }: Lease,
  answered: Answered,
  { headers, status }: ResponseHead,
): Promise<void> {
  const { answer, isOwn, session } = answered
  const told = readAuthParameters(headers.get('authentication-info'))
  const proof = session.offer.qop === 'auth-int' ? undefined : told.get('rspauth')
  if (proof !== undefined && proof.toLowerCase() !== (await answer.proof())) {
    const problem = 'the server has another password'
    throw digestError('ERR_AUTH_CHALLENGE', request, problem, status)
  }
  // Any other path may be open to all.
  if (isOwn) {
    place.refusals.accepted()
    place.refused.clear()
    place.right = session.credentials
    place.session = session
    place.strength = Math.max(place.strength, strengthOf(session.offer))
  }
  const next = told.get('nextnonce')
  // Of those who share a nonce, the first response brings the next one: the others' may be older.
  if (next && isEchoable(next) && isCurrent(place, answered)) session.nonce = nonceOf(place, next)
}
