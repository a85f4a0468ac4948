import type { ResponseHead } from '@svc/types'

/** An instant by the service's clock, as far as it is known. */
export interface ServiceTime {
  readonly at: number
  /** The lead over the clock of this process, in milliseconds. */
  readonly offsetMs: number
  /** The number of the correction that it rests on. */
  readonly generation: number
  /** `true` if no request has succeeded since that correction. */
  readonly isProvisional: boolean
}

/** The service's clock, by the clock of this process. */
export interface ServiceClock {
  now(): ServiceTime
  /**
   * Learns from the head of a response to a request that was signed at this time.
   *
   * @returns `true` if another attempt is worthwhile, since the clock is now another one.
   */
  learn(head: ResponseHead, signed: ServiceTime): boolean
}

/** The difference that is no reason to be rejected: services allow 5 to 15 minutes. */
const toleratedMs = 4 * 60_000

/**
 * A clock that corrects itself by the `Date` of refusals. A correction that did not help is taken
 * back, since the `Date` of something in front of the service may be wrong itself.
 *
 * @param onAdjusted - Receives the offset of each correction, in milliseconds.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1
 */
export function createServiceClock(
  clock: () => number,
  onAdjusted: (offsetMs: number) => void,
): ServiceClock {
  let offsetMs = 0
  let generation = 0
  /** The offset to go back to, until a request has succeeded with the new one. */
  let before: number | undefined

  const adjust = (nextMs: number, previousMs: number | undefined): void => {
    offsetMs = nextMs
    before = previousMs
    generation += 1
    onAdjusted(offsetMs)
  }

  return {
    now: () => ({
      at: clock() + offsetMs,
      offsetMs,
      generation,
      isProvisional: before !== undefined,
    }),
    learn({ status, headers }, signed) {
      const isCurrent = signed.generation === generation
      if (status !== 403 && status !== 400) {
        if (isCurrent && isProofOfSignature(status)) before = undefined
        return false
      }
      const serverTime = Date.parse(headers.get('date') ?? '')
      if (Number.isNaN(serverTime)) return false
      // By the clock of now: when a long upload was signed does not matter.
      const serverOffsetMs = serverTime - clock()
      const isOff = Math.abs(serverOffsetMs - signed.offsetMs) > toleratedMs
      // Otherwise one of several that were under way has corrected it already.
      if (isCurrent) {
        if (isOff) adjust(serverOffsetMs, offsetMs)
        else if (before !== undefined) adjust(before, undefined)
      }
      // A request that was spoilt by a correction since taken back is signed again too.
      return isOff || (signed.isProvisional && offsetMs !== signed.offsetMs)
    },
  }
}

/** Tells if a response comes from behind the check of signatures, and not from something in front of it. */
function isProofOfSignature(status: number): boolean {
  return (status >= 200 && status < 300) || [304, 404, 409, 412, 416].includes(status)
}
