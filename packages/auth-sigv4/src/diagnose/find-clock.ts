import type { Finding } from './diagnosis.ts'
import type { ErrorAnswer } from './error-answer.ts'
import { formatDuration, parseInstant } from './instants.ts'
import type { OwnSignature } from './own-evidence.ts'

/** What S3 and its kin allow, either way. */
const allowedMs = 15 * 60_000

const oldSignature =
  'The request was delayed after it was signed, an old signature was sent again, or the clock has been corrected since, which the scheme does by itself after a refusal.'

/** Whether a server says that the request came too late or too early. */
export function isAboutTime({ code, message }: ErrorAnswer): boolean {
  if (['RequestTimeTooSkewed', 'RequestExpired', 'ExpiredRequest'].includes(code)) return true
  return code === 'AccessDenied' && (isOver(message) || isAhead(message))
}

/** How far apart the clocks are, or how long ago a presigned URL has ended. */
export function clockFinding(answer: ErrorAnswer, own: OwnSignature): Finding {
  const { code, message, element } = answer
  const serverAt = parseInstant(element('ServerTime')) ?? answer.date
  const endsAt = parseInstant(element('Expires')) ?? own.presigned?.endsAt
  if (code !== 'RequestTimeTooSkewed' && !isAhead(message) && (endsAt || own.presigned)) {
    return expiredFinding(endsAt, serverAt)
  }
  const namedAt =
    parseInstant(element('RequestTime')) ??
    parseInstant(element('X-Amz-Date')) ??
    own.presigned?.signedAt
  return skewFinding(namedAt, ownDate(own), serverAt, readAllowedMs(element))
}

/** What the date of an answer without a word says: a clock so far off is refused by every server. */
export function overdueFinding(answer: ErrorAnswer, own: OwnSignature): Finding | undefined {
  const { status, date } = answer
  const ours = ownDate(own)
  if (![400, 401, 403].includes(status) || date === undefined || ours === undefined)
    return undefined
  // A presigned URL is used long after it was signed.
  const { presigned } = own
  const lastAt = presigned ? (presigned.endsAt ?? Number.POSITIVE_INFINITY) : ours + allowedMs
  if (date >= ours - allowedMs && date <= lastAt) return undefined
  return presigned && date > ours
    ? expiredFinding(lastAt, date)
    : skewFinding(undefined, ours, date, allowedMs)
}

function skewFinding(
  namedAt: number | undefined,
  nowAt: number | undefined,
  serverAt: number | undefined,
  maxMs: number,
): Finding {
  const ours = namedAt ?? nowAt
  if (ours === undefined || serverAt === undefined) {
    return {
      verdict: 'clock',
      meaning: 'The clocks are too far apart, but the server does not say by how much.',
    }
  }
  const skewMs = serverAt - ours
  const isLate = skewMs > 0
  // The clock of this side may be right by now, or have been right all along.
  const isFineNow = nowAt !== undefined && Math.abs(serverAt - nowAt) <= maxMs
  if (isFineNow && namedAt === undefined) {
    return {
      verdict: 'clock',
      meaning: 'The request came too late or too early for the server, but the clocks agree now.',
      notes: [oldSignature],
    }
  }
  const distance = formatDuration(skewMs)
  return {
    verdict: 'clock',
    meaning: isFineNow
      ? `The request was signed ${distance} ${isLate ? 'before' : 'after'} the server's time.`
      : `This clock is ${distance} ${isLate ? 'behind' : 'ahead of'} the server's.`,
    differences: [
      {
        line: 'date',
        ours: new Date(ours).toISOString(),
        theirs: new Date(serverAt).toISOString(),
        hint: isFineNow
          ? `The two clocks agree now. ${oldSignature}`
          : `Set this machine's clock, or pass the clock option. The server allows ${formatDuration(maxMs)}.`,
      },
    ],
  }
}

function expiredFinding(endsAt: number | undefined, serverAt: number | undefined): Finding {
  const hint =
    'Presign a new one, or one that lasts longer (expiresInSeconds, up to 7 days); it also expires when its session token does.'
  if (endsAt === undefined || serverAt === undefined || serverAt < endsAt) {
    return { verdict: 'clock', meaning: 'The presigned URL has expired.', notes: [hint] }
  }
  return {
    verdict: 'clock',
    meaning: `The presigned URL expired ${formatDuration(serverAt - endsAt)} before the server's time.`,
    differences: [
      {
        line: 'expiry',
        ours: new Date(endsAt).toISOString(),
        theirs: new Date(serverAt).toISOString(),
        hint,
      },
    ],
  }
}

function ownDate(own: OwnSignature): number | undefined {
  return parseInstant(own.stringToSign.split('\n', 2)[1])
}

function readAllowedMs(element: ErrorAnswer['element']): number {
  const text = element('MaxAllowedSkewMilliseconds')?.trim() ?? ''
  return /^\d{1,12}$/.test(text) ? Number(text) : allowedMs
}

function isOver(message: string): boolean {
  return /request has expired/i.test(message)
}

function isAhead(message: string): boolean {
  return /request is not (?:yet valid|valid yet)/i.test(message)
}
