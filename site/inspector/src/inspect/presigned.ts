import { formatDuration, redact, type SignatureRead } from '@svc/auth-sigv4/inspect'
import { decode, textOf } from '../input/pasted-request.ts'
import { cut, type Finding, type ShownRow } from './inspection.ts'

const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'x-amz-algorithm': 'The algorithm of the signature.',
    'x-amz-credential': 'The access key that signed, and the scope: day, region, service.',
    'x-amz-date': 'When the URL was signed, in UTC.',
    'x-amz-expires': 'For how many seconds from then it is valid; at most 604800, which is 7 days.',
    'x-amz-signedheaders': 'The headers that whoever uses the URL must send as they were signed.',
    'x-amz-signature': 'The signature. Whoever has it can use the URL until it expires.',
    'x-amz-security-token': 'The session token of a temporary key, with which the URL expires too.',
    'x-amz-content-sha256': 'The payload hash, where the URL is for a certain body.',
  }),
)

/** Lists the parameters of a presigned URL with their meaning; none for any other URL. */
export function listParameters(url: string): ShownRow[] {
  const [, query = ''] = /^[^?]*\?(.*)$/s.exec(url) ?? []
  if (!/(?:^|&)x-amz-(?:signature|algorithm)=/i.test(query)) return []
  return query.split('&', 200).map((piece) => {
    const equals = piece.indexOf('=')
    const name = decode(equals < 0 ? piece : piece.slice(0, equals))
    const value = equals < 0 ? '' : decode(piece.slice(equals + 1))
    return {
      name: cut(name, 200),
      value: cut(textOf(redact(name, value)), 1000),
      meaning:
        meanings.get(name.toLowerCase()) ?? 'A parameter of the request itself; it is signed too.',
    }
  })
}

/** The clocks of servers may be so far apart. */
const toleratedMs = 15 * 60_000

/** Says when a presigned URL was made, and until when it is valid. */
export function validityOf(read: SignatureRead | undefined, now: number): Finding | undefined {
  const { form, signedAt, expiresInSeconds } = read ?? {}
  if (form !== 'query' || signedAt === undefined || expiresInSeconds === undefined) return undefined
  const endsAt = signedAt + expiresInSeconds * 1000
  const text = `Signed ${instant(signedAt)}, valid for ${formatDuration(expiresInSeconds * 1000)}, until ${instant(endsAt)}.`
  if (now > endsAt) {
    const ago = formatDuration(now - endsAt)
    return finding('wrong', 'The URL has expired', `It expired ${ago} ago.`, text)
  }
  if (signedAt - now > toleratedMs) {
    const ahead = formatDuration(signedAt - now)
    const meaning = `It is valid in ${ahead}: the clock of whoever signed it is ahead, or this one behind.`
    return finding('wrong', 'The URL is not yet valid', meaning, text)
  }
  const left = formatDuration(endsAt - now)
  return finding('right', 'The URL has not expired', `It is valid for ${left} more.`, text)
}

function finding(
  outcome: Finding['outcome'],
  title: string,
  meaning: string,
  remark: string,
): Finding {
  return { outcome, verdict: undefined, title, meaning, remarks: [remark] }
}

/** Writes an instant for people, in UTC. */
export function instant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
