import { assertNoDotSegment } from '@svc/auth-hooks/scheme'
import type { Authorization, AuthScheme, OutgoingRequest } from '@svc/types'
import { answer, targetOf } from './answer.ts'
import { chooseOffer, digestError, needsChallenge, type Offer } from './offer.ts'
import { type DigestAuthOptions, type DigestSettings, readOptions, within } from './options.ts'
import { beginTrial, createPlace, enter, type Place, type Trial } from './place.ts'
import { review } from './review.ts'

/** What is known of the server. It contains no secrets. */
export interface DigestReport {
  /** `challenged`: no answer was accepted yet; `valid`: one was; `paused`: the credentials were refused. */
  readonly state: 'unknown' | 'challenged' | 'valid' | 'paused'
  /** When refused credentials may be sent again, in epoch milliseconds. */
  readonly retryAt?: number
}

/** Digest, as a scheme for `authFetch`, `authKy` and the adapters of other clients. */
export interface DigestAuth extends AuthScheme {
  /**
   * Forgets all challenges, and ends a pause, unless it follows five refusals or more. The next challenge may ask for a
   * weaker hash than the ones before.
   */
  invalidate(): void
  /** Returns the state of the server. It contains no secrets. */
  inspect(): DigestReport
}

/**
 * Authenticates requests with Digest. The first one is sent without credentials and brings a challenge, which then
 * serves any number of callers. Refused credentials are not sent again until a pause is over.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it.
 * @throws AuthError from each call: `ERR_AUTH_LOGIN_REFUSED` if the credentials are refused, with the `retryAt` of a
 * pause; `ERR_AUTH_CHALLENGE` if a challenge may not be answered, or the server's proof is wrong; `ERR_AUTH_BODY` if a
 * body must be sent again and cannot be; `ERR_AUTH_CRYPTO` if a hash cannot be computed; `ERR_AUTH_CREDENTIALS` if the
 * credentials function fails; `ERR_AUTH_URL` for a path with a dot segment.
 * @example
 * import { authFetch, createDigestAuth } from '@svc/auth-digest'
 *
 * const baseUrl = 'https://camera.example.com'
 * const credentials = { username: 'reader', password: 'a password' }
 * const cameraFetch = authFetch(createDigestAuth({ baseUrl, credentials }), { baseUrl })
 * const response = await cameraFetch('/status')
 * console.log(await response.json())
 * @see https://www.rfc-editor.org/rfc/rfc7616
 */
export function createDigestAuth(options: DigestAuthOptions): DigestAuth {
  const settings = readOptions(options)
  const { clock, origin } = settings
  let place = createPlace(clock)
  return Object.freeze<DigestAuth>({
    name: 'digest',
    covers: (url) => url.origin === origin,
    coverage: () => `${origin} (set by baseUrl)`,
    authorize(request) {
      assertNoDotSegment(request.url, `[@svc/auth-digest] ${request.method}`)
      return authorize(settings, place, request)
    },
    invalidate() {
      place.refusals.lift()
      // Another place: what is under way knows the one before, and makes no credentials of before the current ones.
      const { refusals, refused, nonces } = place
      place = { ...createPlace(clock), refusals, refused, nonces }
    },
    inspect() {
      const retryAt = place.refusals.pause()?.retryAt
      if (retryAt !== undefined) return { state: 'paused', retryAt }
      return { state: place.right ? 'valid' : place.isChallenged ? 'challenged' : 'unknown' }
    },
  })
}

/** The number of refused credentials after which no others are sent either, until the pause is over. */
const mostRefused = 5

/** Waits for whatever has to be known first, and returns the credential of an attempt, or none. */
async function authorize(
  settings: DigestSettings,
  place: Place,
  request: OutgoingRequest,
): Promise<Authorization> {
  const { body, previous, signal } = request
  const folder = new URL('.', request.url).href
  const asked =
    previous?.status === 401 ? chooseOffer(settings, request, previous, place.strength) : undefined
  // Its first trial is over. Those who wait look again once this call waits too, or has begun the trial of its answer.
  for (const trial of place.trials.values()) if (trial.nonce === asked?.nonce) trial.end()
  for (let overdue: Trial | undefined; ;) {
    if (signal?.aborted) throw signal.reason
    const pause = place.refusals.pause()
    // A function may return other credentials by now.
    if (pause && !(settings.mayChange && place.refused.size < mostRefused)) throw pause
    if (asked ? place.right : (place.session ?? place.open.has(folder))) {
      return attempt(settings, place, request, asked)
    }
    // Where one folder is open, another may be: none of them waits for the others.
    const name = asked || !place.open.size ? '' : folder
    const other = place.trials.get(name) ?? (place.isChallenged && place.trials.get(''))
    // Where no credentials were asked for, those who send none need not wait a second time.
    if (other && other !== overdue && (asked || place.isChallenged || !overdue)) {
      // Of those who waited in vain, the first begins the next trial, for which the others wait.
      const late = (): void => void (overdue = other)
      await within(other.ended, settings.challengeTimeoutMs).catch(late)
      if (other.error) throw other.error
      continue
    }
    if (body?.replayable === false) throw digestError('ERR_AUTH_BODY', request, needsChallenge)
    const trial = beginTrial(place, name, signal)
    try {
      return await attempt(settings, place, request, asked, trial)
    } catch (error) {
      trial.error = error
      trial.end()
      throw error
    }
  }
}

/** Returns the credential of one attempt: the answer to a challenge, or none if there is no challenge. */
async function attempt(
  settings: DigestSettings,
  place: Place,
  request: OutgoingRequest,
  asked: Offer | undefined,
  trial?: Trial,
): Promise<Authorization> {
  const session = asked ? await enter(settings, place, asked) : place.session
  if (session?.offer.qop === 'auth-int' && request.body?.replayable === false) {
    throw digestError('ERR_AUTH_BODY', request, 'auth-int hashes the body: buffer it')
  }
  const given = session && (await answer(session, request, settings.createCnonce))
  const answered = given && { session, answer: given, isOwn: asked !== undefined }
  return {
    scheme: 'digest',
    headers: [['authorization', given?.value ?? null]],
    // As it is answered for: without a fragment, or a `?` that nothing follows.
    url: settings.origin + targetOf(request.url),
    mismatchCode: '401',
    review: (head) => review({ settings, place, request, trial, answered }, head),
    abandon: () => trial?.end(),
  }
}
