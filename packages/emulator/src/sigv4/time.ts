import type { SignatureClaim } from './claim.ts'
import { reject, type Rejected } from './result.ts'

/** Rejects a signature that is not good at this instant: skewed, expired, or not valid yet. */
export function validateTime(
  claim: SignatureClaim,
  now: number,
  maxSkewMs: number,
): Rejected | undefined {
  if (claim.expiresSeconds !== undefined) {
    return validateExpiry(claim, claim.expiresSeconds, now, maxSkewMs)
  }
  if (Math.abs(now - claim.signedAt) <= maxSkewMs) return undefined
  return reject(
    'RequestTimeTooSkewed',
    'The difference between the request time and the current time is too large.',
    [
      ['RequestTime', claim.amzDate],
      ['ServerTime', formatInstant(now)],
      ['MaxAllowedSkewMilliseconds', String(maxSkewMs)],
    ],
  )
}

function validateExpiry(
  claim: SignatureClaim,
  expiresSeconds: number,
  now: number,
  maxSkewMs: number,
): Rejected | undefined {
  const expiresAt = claim.signedAt + expiresSeconds * 1000
  const times = [
    ['Expires', formatInstant(expiresAt)],
    ['ServerTime', formatInstant(now)],
  ] as const
  if (now > expiresAt) {
    return reject('AccessDenied', 'Request has expired', [
      ['X-Amz-Expires', String(expiresSeconds)],
      ...times,
    ])
  }
  if (claim.signedAt - now > maxSkewMs) {
    return reject('AccessDenied', 'Request is not yet valid', [
      // S3 gives epoch milliseconds here, and here alone.
      ['X-Amz-Date', String(claim.signedAt)],
      ...times,
    ])
  }
  return undefined
}

// The form of S3's error XML, `2026-01-02T03:04:05Z`.
function formatInstant(instant: number): string {
  return new Date(instant).toISOString().replace(/\.\d{3}/, '')
}
