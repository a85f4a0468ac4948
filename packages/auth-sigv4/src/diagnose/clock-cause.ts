import type { Difference, Finding } from './diagnosis.ts'
import type { LocalEvidence } from './local-evidence.ts'
import type { ServerEvidence } from './server-evidence.ts'
import { formatDuration, parseInstant } from './text.ts'

/** The difference that S3 and its kin allow, either way. */
const allowedMs = 15 * 60_000

const oldSignature =
  'The request was delayed after it was signed, an old signature was sent again, or the clock has been corrected since, which the scheme does by itself after a refusal.'

/** Tells if a server says that the request came too late or too early. */
export function isAboutTime({ code, message }: ServerEvidence): boolean {
  if (/^(?:RequestTimeTooSkewed|RequestExpired|ExpiredRequest)$/.test(code)) return true
  if (code === 'AccessDenied') return /request has expired/i.test(message) || isNotYetValid(message)
  return quotedTimes.test(message)
}

/** The services of AWS but S3 tell both times in the message: `… is now earlier than <limit> (<their time> - 15 min.)`. */
const quotedTimes =
  /^Signature (?:expired|not yet current): (\d{8}T\d{6}Z) is (?:now earlier|still later) than \d{8}T\d{6}Z \((\d{8}T\d{6}Z) [+-] (\d{1,4}) min/i

/** Says how far apart the clocks are, or how long ago a presigned URL has ended. */
export function clockFinding(server: ServerEvidence, local: LocalEvidence): Finding {
  const { code, message, element } = server
  const [, quotedAt, quotedServerAt, minutes] = quotedTimes.exec(message) ?? []
  const serverAt = parseInstant(element('ServerTime') ?? quotedServerAt) ?? server.date
  const endsAt = parseInstant(element('Expires')) ?? local.presigned?.endsAt
  if (code !== 'RequestTimeTooSkewed' && !isNotYetValid(message) && (endsAt || local.presigned)) {
    return expiredFinding(endsAt, serverAt)
  }
  const namedAt =
    parseInstant(element('RequestTime') ?? quotedAt) ??
    parseInstant(element('X-Amz-Date')) ??
    local.presigned?.signedAt
  const maxMs = minutes === undefined ? readAllowedMs(element) : Number(minutes) * 60_000
  return skewFinding(local, namedAt, serverAt, maxMs)
}

/** Reads the date of a response without an error body: every server rejects a clock so far off. */
export function overdueFinding(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  const { status, date } = server
  const signedAt = signingDate(local)
  if (![400, 401, 403].includes(status) || date === undefined || signedAt === undefined) {
    return undefined
  }
  // A presigned URL is used long after it was signed.
  const { presigned } = local
  const lastAt = presigned ? (presigned.endsAt ?? Number.POSITIVE_INFINITY) : signedAt + allowedMs
  if (date >= signedAt - allowedMs && date <= lastAt) return undefined
  return presigned && date > signedAt
    ? expiredFinding(lastAt, date)
    : skewFinding(local, undefined, date, allowedMs)
}

function skewFinding(
  local: LocalEvidence,
  namedAt: number | undefined,
  serverAt: number | undefined,
  maxMs: number,
): Finding {
  const nowAt = signingDate(local)
  const localAt = namedAt ?? nowAt
  if (localAt === undefined || serverAt === undefined) {
    return {
      verdict: 'clock',
      meaning: 'The clocks are too far apart, but the server does not say by how much.',
    }
  }
  const skewMs = serverAt - localAt
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
  // Of a request that was read, the clock was its signer's.
  const clock = local.isRead ? "The signer's clock" : 'This clock'
  return {
    verdict: 'clock',
    meaning: isFineNow
      ? `The request was signed ${distance} ${isLate ? 'before' : 'after'} the server's time.`
      : `${clock} is ${distance} ${isLate ? 'behind' : 'ahead of'} the server's.`,
    differences: [dateDifference('date', localAt, serverAt, skewHint(localAt, isFineNow, maxMs))],
  }
}

function skewHint(localAt: number, isFineNow: boolean, maxMs: number): string {
  if (isFineNow) return `The two clocks agree now. ${oldSignature}`
  // The seconds of any date until 2033, taken for milliseconds.
  if (localAt < 2_000_000_000) {
    return 'The clock option must return milliseconds, not seconds.'
  }
  return `Set the clock of the machine that signs, or pass the clock option. The server allows ${formatDuration(maxMs)}.`
}

function expiredFinding(endsAt: number | undefined, serverAt: number | undefined): Finding {
  const hint =
    'Presign a new one, or one that lasts longer (expiresInSeconds, up to 7 days); it also expires when its session token does.'
  if (endsAt === undefined || serverAt === undefined || serverAt < endsAt) {
    return { verdict: 'clock', meaning: 'The presigned URL has expired.', notes: [hint] }
  }
  const ago = formatDuration(serverAt - endsAt)
  return {
    verdict: 'clock',
    meaning: `The presigned URL expired ${ago} before the server's time.`,
    differences: [dateDifference('expiry', endsAt, serverAt, hint)],
  }
}

function dateDifference(line: string, ours: number, theirs: number, hint: string): Difference {
  return { line, ours: new Date(ours).toISOString(), theirs: new Date(theirs).toISOString(), hint }
}

function signingDate(local: LocalEvidence): number | undefined {
  return parseInstant(local.stringToSign.split('\n', 2)[1])
}

function readAllowedMs(element: ServerEvidence['element']): number {
  const text = element('MaxAllowedSkewMilliseconds')?.trim() ?? ''
  return /^\d{1,12}$/.test(text) ? Number(text) : allowedMs
}

function isNotYetValid(message: string): boolean {
  return /request is not (?:yet valid|valid yet)/i.test(message)
}
