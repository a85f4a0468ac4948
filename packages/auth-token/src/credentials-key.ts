import { Secret } from '@svc/auth-hooks'
import { isThenable } from '@svc/auth-hooks/scheme'
import type { SessionCredentials } from './credentials.ts'

/**
 * Returns credentials with a text that no others have, or the requirement that they do not meet. Plain data is copied,
 * since the caller may change its own object after the key was made.
 *
 * @param keyOf - Returns the text, for credentials that are no plain data.
 */
export function readKeyedCredentials<Credentials extends object>(
  given: Credentials,
  keyOf: ((credentials: Credentials) => string) | undefined,
): SessionCredentials | string {
  if (typeof given !== 'object' || given === null || isThenable(given)) {
    return 'credentials must be an object, or a function that returns it'
  }
  const json = canonicalJson(given)
  if (json === undefined && !keyOf) {
    return 'credentials must be plain data (text, finite numbers, booleans, null, and objects and arrays of these), or keyOf must be given'
  }
  const value: Credentials = json === undefined ? given : JSON.parse(json)
  const key: unknown = keyOf ? keyOf(value) : json
  if (typeof key !== 'string' || key === '') return 'keyOf must return a non-empty string'
  return {
    value,
    key: new Secret(key),
    secrets: () => textsIn(value),
    ...(keyOf && value === given && { areSame: () => keyOf(value) === key }),
  }
}

/** Returns plain data as JSON with its names sorted; `undefined` for anything that JSON does not show as it is. */
function canonicalJson(value: unknown): string | undefined {
  try {
    return jsonOf(value)
  } catch {
    // Also without an end, or with a getter that throws.
    return undefined
  }
}

function jsonOf(value: unknown): string {
  const isText = typeof value === 'string' || typeof value === 'boolean' || value === null
  if (isText || Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`
  const prototype: unknown = Object.getPrototypeOf(value)
  // An object of another realm, as in a test runner, has another `Object.prototype`.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  if (typeof value !== 'object' || !isPlain) throw new TypeError('no plain data')
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, part]) => `${JSON.stringify(name)}:${jsonOf(part)}`)
  return `{${parts.join()}}`
}

/** Returns the texts in a value, which must not stand in a message. */
export function textsIn(value: unknown, seen: Set<unknown> = new Set()): string[] {
  if (typeof value === 'string') return [value]
  if (value instanceof Secret) return [value.reveal()]
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  return Object.values(value).flatMap((part) => textsIn(part, seen))
}
