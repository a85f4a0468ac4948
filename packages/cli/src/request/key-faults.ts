import type { ApiKey } from '@svc/auth-sigv4'
import type { Found, SecretPlace } from '../configuration/settings.ts'
import { UsageError } from '../exit.ts'
import { formatDuration } from '../output/instant.ts'

/** Something that looks wrong with a key, without a character of it. */
export interface KeyFault {
  readonly problem: string
  /** The part that it is about, if it is one alone. */
  readonly field?: keyof ApiKey
  /** `true` if no request can be signed with it. */
  readonly isFatal: boolean
}

const fields = [
  ['accessKeyId', 'access key ID'],
  ['secretAccessKey', 'secret access key'],
  ['sessionToken', 'session token'],
] as const

/** Finds what usually happens to keys when they are copied: the most usual cause of refused signatures. */
export function findKeyFaults(apiKey: ApiKey): KeyFault[] {
  const faults = fields.flatMap(([field, name]): KeyFault[] => {
    const value = apiKey[field]
    if (value === undefined) return []
    if (value === '') return [{ field, problem: `the ${name} is empty`, isFatal: true }]
    const outer = /^[^\x21-\x7e]|[^\x21-\x7e]$/u.exec(value)
    const [foreign] = outer ?? /[^\x21-\x7e]/u.exec(value) ?? []
    if (foreign !== undefined) {
      return [{ field, problem: `the ${name} ${placeOf(foreign, value)}`, isFatal: true }]
    }
    if (trimValue(value) === value) return []
    return [{ field, problem: `the ${name} has quotes or other marks around it`, isFatal: false }]
  })
  const { accessKeyId, secretAccessKey, sessionToken } = apiKey
  if (isAwsId(secretAccessKey) && !isAwsId(accessKeyId)) {
    faults.push({ problem: 'the access key ID and the secret look swapped', isFatal: false })
  }
  if (accessKeyId.startsWith('ASIA') && sessionToken === undefined) {
    const problem = 'an access key ID that begins with ASIA is temporary and needs a session token'
    faults.push({ problem, isFatal: false })
  }
  return faults
}

/** Tells if a text has the form of an access key ID of AWS. */
function isAwsId(text: string): boolean {
  return /^A[KS]IA[A-Z\d]{16}$/.test(text)
}

function placeOf(character: string, value: string): string {
  const place = [
    value.startsWith(character) && 'begins with',
    value.endsWith(character) && 'ends with',
  ]
  const what = /\s/.test(character) ? 'a blank or a line break' : 'what is not visible ASCII'
  return `${place.find((one) => one !== false) ?? 'contains'} ${what}`
}

/** Returns the key without what copying may have put around its parts. */
export function trimKey({ accessKeyId, secretAccessKey, sessionToken }: ApiKey): ApiKey {
  return {
    accessKeyId: trimValue(accessKeyId),
    secretAccessKey: trimValue(secretAccessKey),
    ...(sessionToken !== undefined && { sessionToken: trimValue(sessionToken) }),
  }
}

function trimValue(value: string): string {
  const ascii = value.replace(/[^\x21-\x7e]/gu, '')
  // Of several layers, such as a quote before an escaped line break, each is taken off.
  // Nothing is left of some, which cannot be used as they are either.
  return ascii.replace(/^["'`]+|(?:["'`,;]|\\[nrt])+$/g, '') || value
}

/**
 * Reads a key from its place.
 *
 * @param accessKeyId - The ID, if it was found apart from the secret.
 * @throws UsageError for a key that is over, or that no request can be signed with, naming the place to look at.
 */
export async function readUsableKey(
  place: SecretPlace<ApiKey>,
  accessKeyId: Found | undefined,
  clock: () => number,
): Promise<ApiKey> {
  const apiKey = await place.read()
  const now = clock()
  const endsAt = keyEnd(apiKey)
  if (endsAt !== undefined && endsAt <= now) {
    throw new UsageError(
      `the session key ${apiKey.accessKeyId} expired at ${new Date(endsAt).toISOString()}, ` +
        `${formatDuration(now - endsAt)} ago: get a new one`,
    )
  }
  const fault = findKeyFaults(apiKey).find(({ isFatal }) => isFatal)
  if (!fault) return apiKey
  const sources: Partial<Record<keyof ApiKey, string | undefined>> = {
    accessKeyId: accessKeyId?.source,
    sessionToken: place.source.replace('_SECRET_ACCESS_KEY', '_SESSION_TOKEN'),
  }
  const source = (fault.field && sources[fault.field]) ?? place.source
  throw new UsageError(`${fault.problem}: copy it again (it is from ${source})`)
}

/** Returns the end of a session key, in epoch milliseconds. */
export function keyEnd({ expiresAt, expiration }: ApiKey): number | undefined {
  const ends = [expiresAt, expiration?.getTime()].filter((end) => end !== undefined)
  return ends.length === 0 ? undefined : Math.min(...ends)
}
