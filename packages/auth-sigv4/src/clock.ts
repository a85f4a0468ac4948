import type { OutgoingRequest, ResponseHead } from '@svc/types'
import type { CredentialScope } from './engines/engine.ts'

/** The instant of a signature, by the clock of the service that will verify it. */
export interface SigningTime {
  readonly at: number
  /**
   * Learns from the head of the response to the request that was signed at this time.
   *
   * @returns `clock-skew` if another attempt is worthwhile, since it would be signed at another time.
   */
  readonly review: (head: ResponseHead) => 'clock-skew' | undefined
}

/** The clocks of services by the clock of this process, one for each origin. */
export interface ServiceClocks {
  /** Returns the time of an origin, as far as an accepted request has proven it. */
  now(url: URL): number
  /** Returns the time to sign a request at: that of {@link now}, unless the request is to test another. */
  timeFor(request: Pick<OutgoingRequest, 'url' | 'reason' | 'body'>): SigningTime
}

/** The difference that is no reason to be rejected: services allow 5 to 15 minutes. */
const toleratedMs = 4 * 60_000

/** The difference from which on a `Date` is wrong, and not the clock of this process. */
const implausibleMs = 24 * 60 * 60_000

/** The clock of one origin. */
interface OriginClock {
  provenMs: number
  /** The offset by a refusal's `Date`, until a request that was signed with it is accepted or refused. */
  supposedMs?: number | undefined
  /** `true` if the refused request cannot be sent again, so that the next one is the test. */
  isNextTest?: boolean
}

/**
 * Clocks that correct themselves by the `Date` of refusals. A correction is proven by a request that is
 * accepted with it, since the `Date` of something in front of the service may be wrong itself; and it
 * holds for its origin alone.
 *
 * @param onAdjusted - Receives the offset of each proven correction, in milliseconds.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1
 */
export function createServiceClocks(
  clock: () => number,
  onAdjusted: (origin: string, offsetMs: number) => void,
): ServiceClocks {
  const clocks = new Map<string, OriginClock>()
  // Most clocks are right, and `origin` is put together anew each time that it is read.
  const find = (url: URL): OriginClock | undefined =>
    clocks.size > 0 ? clocks.get(url.origin) : undefined

  return {
    now: (url) => clock() + (find(url)?.provenMs ?? 0),
    timeFor({ url, reason, body }) {
      const last = find(url)
      let offsetMs = last?.provenMs ?? 0
      // The time is known from the `Date` of a refusal alone, and this request tests it.
      let isTest = false
      if (last?.supposedMs !== undefined && (last.isNextTest || reason === 'clock-skew')) {
        offsetMs = last.supposedMs
        isTest = true
        last.isNextTest = false
      }
      // Lives until the response, and keeps only the URL, the body and the time of the request.
      const review = (head: ResponseHead): 'clock-skew' | undefined => {
        const { status } = head
        const isRefused = status === 403 || status === 400
        // Some clients make the headers only once they are asked for.
        if (!isRefused && !(isTest && isProofOfSignature(status))) return undefined
        const { origin } = url
        const known = clocks.get(origin) ?? { provenMs: 0 }
        // By the clock of now: when a long upload was signed does not matter. NaN where there is no `Date`.
        const toldMs = Date.parse(head.headers.get('date') ?? '') - clock()
        const isOff = isRefused && differ(toldMs, offsetMs) && Math.abs(toldMs) < implausibleMs
        if (known.supposedMs === offsetMs) known.supposedMs = undefined
        // Unless one of several that were under way has told or proven it already.
        if ((isOff || !isRefused) && differ(isOff ? toldMs : offsetMs, known.provenMs)) {
          clocks.set(origin, known)
          if (isOff) {
            known.supposedMs = toldMs
            known.isNextTest = body?.replayable === false
          } else {
            known.provenMs = offsetMs
            onAdjusted(origin, offsetMs)
          }
        }
        return isRefused && (isOff || differ(offsetMs, known.provenMs)) ? 'clock-skew' : undefined
      }
      return { at: clock() + offsetMs, review }
    },
  }
}

function differ(offsetMs: number, otherMs: number): boolean {
  return Math.abs(offsetMs - otherMs) > toleratedMs
}

/** Tells if a response comes from behind the check of signatures, and not from something in front of it. */
function isProofOfSignature(status: number): boolean {
  return (status >= 200 && status < 300) || [304, 404, 409, 412, 416].includes(status)
}

/** The date of a signature, in every form in which it is signed. */
export interface SigningDate {
  /** As it stands in `x-amz-date`: `20130524T000000Z`. */
  readonly amzDate: string
  readonly scope: CredentialScope
  /** The scope as it stands in the string to sign: `20130524/us-east-1/s3/aws4_request`. */
  readonly scopeText: string
}

/** Writes an instant as `x-amz-date` has it. */
export function amzDateOf(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '')
}

/** Returns a function that formats the date of a signature. It keeps the last second: many signatures share one. */
export function signingDates(region: string, service: string): (at: number) => SigningDate {
  let last: SigningDate | undefined
  let lastSecond: number | undefined
  return (at) => {
    const second = Math.floor(at / 1000)
    if (last && second === lastSecond) return last
    const amzDate = amzDateOf(at)
    const scope = { date: amzDate.slice(0, 8), region, service }
    last = { amzDate, scope, scopeText: `${scope.date}/${region}/${service}/aws4_request` }
    lastSecond = second
    return last
  }
}
