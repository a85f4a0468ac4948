import type { ApiKey } from '@svc/auth-sigv4'

/** Something that looks wrong with a key, without a character of it. */
export interface KeyFault {
  readonly problem: string
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
    if (value === '') return [{ problem: `the ${name} is empty`, isFatal: true }]
    const fatal = describeForeign(value)
    if (fatal) return [{ problem: `the ${name} ${fatal}`, isFatal: true }]
    const odd = describeOdd(value)
    return odd ? [{ problem: `the ${name} ${odd}`, isFatal: false }] : []
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

function describeForeign(value: string): string | undefined {
  const outer = /^[^\x21-\x7e]|[^\x21-\x7e]$/u.exec(value)
  if (outer) return `${outer.index === 0 ? 'begins' : 'ends'} with ${nameOf(outer[0])}`
  const inner = /[^\x21-\x7e]/u.exec(value)
  return inner ? `contains ${nameOf(inner[0])}` : undefined
}

function nameOf(character: string): string {
  const names: Readonly<Record<string, string>> = {
    ' ': 'a space',
    '\t': 'a tab',
    '\n': 'a line break',
    '\r': 'a carriage return, as files of Windows have it',
    '\u00a0': 'a no-break space',
    '\ufeff': 'a byte order mark',
  }
  return names[character] ?? 'a character that is not visible ASCII'
}

function describeOdd(value: string): string | undefined {
  if (/^(["'`]).*\1$/.test(value)) return 'stands in quotes'
  if (/^["'`]|["'`]$/.test(value)) return 'begins or ends with a quote'
  if (/\\[nrt]$/.test(value)) return 'ends with a backslash and a letter, as an escaped line break'
  if (/[,;]$/.test(value)) return `ends with a ${value.endsWith(',') ? 'comma' : 'semicolon'}`
  if (/%[\da-f]{2}/i.test(value)) return 'has percent escapes, as if it came from a URL'
  return undefined
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
