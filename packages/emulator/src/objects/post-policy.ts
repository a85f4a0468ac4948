/** A policy that a form must meet. All strings are byte strings. */
export interface PostPolicy {
  /** The end of its validity, in epoch milliseconds. */
  readonly expiresAt: number
  readonly conditions: readonly FieldCondition[]
  /** The sizes that the file may have, of each condition of a length. */
  readonly ranges: readonly (readonly [min: number, max: number])[]
}

interface FieldCondition {
  readonly match: 'eq' | 'starts-with'
  /** In lower case. */
  readonly field: string
  readonly value: string
}

/**
 * Reads a policy from its Base64 text. A string is what is wrong with it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
 */
export function readPostPolicy(encoded: string): PostPolicy | string {
  const document = readDocument(encoded)
  if (document === undefined) return 'Invalid JSON.'
  const { expiration, conditions, ...others } = document
  const [unexpected] = Object.keys(others)
  if (unexpected !== undefined) return `Unexpected: '${unexpected}'.`
  const isInstant = typeof expiration === 'string' && instantForm.test(expiration)
  const expiresAt = isInstant ? Date.parse(expiration) : Number.NaN
  if (Number.isNaN(expiresAt)) return "Policy must have an 'expiration' in ISO8601 and GMT."
  if (!Array.isArray(conditions)) return "Policy must have a list of 'conditions'."
  const read: FieldCondition[] = []
  const ranges: [number, number][] = []
  for (const condition of conditions as readonly unknown[]) {
    const range = readRange(condition)
    const fields = range === undefined ? readConditions(condition) : []
    if (fields === undefined) return `Invalid condition: ${JSON.stringify(condition)}.`
    if (range !== undefined) ranges.push(range)
    read.push(...fields)
  }
  return { expiresAt, conditions: read, ranges }
}

const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

function readDocument(encoded: string): Readonly<Record<string, unknown>> | undefined {
  const compact = encoded.replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return undefined
  try {
    const bytes = Buffer.from(compact, 'base64')
    const document: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return isObject(document) ? document : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readRange(condition: unknown): [min: number, max: number] | undefined {
  if (!Array.isArray(condition) || condition.length !== 3) return undefined
  const [name, ...bounds] = condition as readonly unknown[]
  // Some tools write them as texts.
  const [min, max] = bounds.map((bound) => (/^\d{1,15}$/.test(String(bound)) ? Number(bound) : -1))
  const isRange = String(name).toLowerCase() === 'content-length-range'
  return isRange && min !== undefined && max !== undefined && min >= 0 && max >= min
    ? [min, max]
    : undefined
}

function readConditions(condition: unknown): FieldCondition[] | undefined {
  if (isObject(condition)) {
    const entries = Object.entries(condition)
    const read = entries.flatMap(([name, value]) => conditionOf('eq', name, value) ?? [])
    return read.length === entries.length && read.length > 0 ? read : undefined
  }
  if (!Array.isArray(condition) || condition.length !== 3) return undefined
  const [match, field, value] = condition as readonly unknown[]
  const kind = String(match).toLowerCase()
  const [, name] = /^\$(.+)$/s.exec(String(field)) ?? []
  if ((kind !== 'eq' && kind !== 'starts-with') || name === undefined) return undefined
  const read = conditionOf(kind, name, value)
  return read && [read]
}

function conditionOf(
  match: FieldCondition['match'],
  name: string,
  value: unknown,
): FieldCondition | undefined {
  if (typeof value !== 'string') return undefined
  return { match, field: toByteString(name).toLowerCase(), value: toByteString(value) }
}

function toByteString(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Finds the first condition that the fields of a form fail, or the fields that no condition names. */
export function findViolation(
  { conditions }: PostPolicy,
  fields: ReadonlyMap<string, string>,
): string | undefined {
  const failed = conditions.find((condition) => !isMet(condition, fields.get(condition.field)))
  if (failed) {
    const { match, field, value } = failed
    return `Policy Condition failed: ["${match}", "$${field}", "${value}"]`
  }
  const named = new Set(conditions.map(({ field }) => field))
  const extra = [...fields.keys()].filter((name) => !named.has(name) && !needsNoCondition(name))
  return extra.length > 0 ? `Extra input fields: ${extra.join(', ')}` : undefined
}

function isMet({ match, field, value }: FieldCondition, given: string | undefined): boolean {
  if (given === undefined) return false
  if (match === 'eq') return given === value
  // A list of types must be of types that are allowed.
  const values = field === 'content-type' ? given.split(',').map((type) => type.trim()) : [given]
  return values.every((each) => each.startsWith(value))
}

function needsNoCondition(name: string): boolean {
  return name === 'policy' || name === 'x-amz-signature' || name.startsWith('x-ignore-')
}
