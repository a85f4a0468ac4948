import { Secret } from '@svc/auth-hooks'
import { isThenable } from '@svc/auth-hooks/scheme'
import type { SessionCredentials } from './credentials.ts'

/**
 * Returns credentials with a text that no others have, or the requirement that they do not meet: canonical JSON, so
 * that a value which JSON does not show cannot be mistaken for another.
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
  const copy = copyPlain(given, 'credentials', [])
  if (typeof copy === 'string' && !keyOf) return copy
  // The caller may change its own object after its key was made.
  const value = typeof copy === 'string' ? given : (copy.value as Credentials)
  const key: unknown = keyOf ? keyOf(value) : typeof copy === 'object' && copy.json
  if (typeof key !== 'string' || key === '') return 'keyOf must return a non-empty string'
  return {
    value,
    key: new Secret(key),
    secrets: () => textsIn(value, new Set()),
    ...(keyOf && value === given && { areSame: () => keyOf(value) === key }),
  }
}

/** A value as it was read, once, and its canonical JSON. */
interface PlainCopy {
  readonly value: unknown
  readonly json: string
}

/** Copies plain data, with its names sorted; returns the requirement that it does not meet. */
function copyPlain(value: unknown, path: string, above: readonly object[]): PlainCopy | string {
  const isText = typeof value === 'string' || typeof value === 'boolean' || value === null
  if (isText || (typeof value === 'number' && Number.isFinite(value))) {
    return { value, json: JSON.stringify(value) }
  }
  if (typeof value !== 'object' || above.includes(value) || !isPlain(value)) {
    return `${path} must be plain data (text, finite numbers, booleans, null, and objects and arrays of these), or keyOf must be given`
  }
  const isArray = Array.isArray(value)
  const names = isArray ? [...value.keys()].map(String) : Object.keys(value).sort()
  const copy: [name: string, value: unknown][] = []
  const parts: string[] = []
  for (const name of names) {
    const place = isArray ? `${path}[${name}]` : `${path}.${name}`
    const descriptor = Object.getOwnPropertyDescriptor(value, name)
    if (!descriptor || !('value' in descriptor)) return `${place} must be a value, not a getter`
    const part: unknown = descriptor.value
    if (part === undefined && !isArray) continue
    const copied = copyPlain(part, place, [...above, value])
    if (typeof copied === 'string') return copied
    copy.push([name, copied.value])
    parts.push(isArray ? copied.json : `${JSON.stringify(name)}:${copied.json}`)
  }
  const json = parts.join()
  return isArray
    ? { value: copy.map(([, part]) => part), json: `[${json}]` }
    : { value: Object.fromEntries(copy), json: `{${json}}` }
}

/** Tells if an object is nothing more than its own data. It may be of another realm, as in a test runner. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  const isKnown =
    prototype === null ||
    isObjectPrototype(Array.isArray(value) ? Object.getPrototypeOf(prototype) : prototype)
  return (
    isKnown &&
    Object.getOwnPropertySymbols(value).length === 0 &&
    !Object.hasOwn(value, 'toJSON') &&
    (!Array.isArray(value) || Object.hasOwn(Object(prototype), 'copyWithin'))
  )
}

function isObjectPrototype(value: unknown): boolean {
  const isLast = typeof value === 'object' && value !== null && !Object.getPrototypeOf(value)
  return isLast && Object.hasOwn(value, 'isPrototypeOf')
}

/** Returns the texts in a value, which must not stand in a message. */
function textsIn(value: unknown, seen: Set<unknown>): string[] {
  if (typeof value === 'string') return [value]
  if (value instanceof Secret) return [value.reveal()]
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  return Object.values(value).flatMap((part) => textsIn(part, seen))
}
