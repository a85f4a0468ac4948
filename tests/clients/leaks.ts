import { inspect } from 'node:util'
import { encodedForms } from '../support/encoded-forms.ts'

/** Finds where a value shows one of these secrets, encoded or not; `undefined` if nowhere. */
export function leakOf(value: unknown, secrets: readonly string[]): string | undefined {
  const forms = secrets.flatMap(encodedForms)
  const shows = (text: string): boolean => forms.some((form) => text.includes(form))
  if (shows(inspect(value, { depth: 10, showHidden: true }))) return 'util.inspect'
  if (shows(asJson(value))) return 'JSON'
  return walk(value, shows)
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // A value that holds itself has no JSON, and shows nothing there.
    return ''
  }
}

/** The path to a text that shows a secret, through all properties that a program can get at. */
function walk(root: unknown, shows: (text: string) => boolean): string | undefined {
  const seen = new Set<object>()
  const rest: { readonly path: string; readonly value: unknown }[] = [{ path: '', value: root }]
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { path, value } = next
    if (typeof value === 'string' && shows(value)) return path
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) continue
    if (seen.has(value) || ArrayBuffer.isView(value)) continue
    seen.add(value)
    for (const [name, property] of propertiesOf(value)) {
      rest.push({ path: `${path}.${String(name)}`, value: property })
    }
  }
  return undefined
}

// Properties that the errors of clients give by getters that are hidden.
const accessors: ReadonlySet<PropertyKey> = new Set(['request', 'response', 'options', 'config'])

/** Own values, hidden ones too, getters that `for … in` finds, and entries. */
function propertiesOf(value: object): [name: PropertyKey, value: unknown][] {
  const names = new Set<PropertyKey>()
  for (const name of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, name)
    if (property?.enumerable || property?.value !== undefined || accessors.has(name))
      names.add(name)
  }
  for (const name in value) names.add(name)
  const properties = [...names].map((name): [PropertyKey, unknown] => [name, read(value, name)])
  const isCollection = value instanceof Map || value instanceof Set || value instanceof Headers
  return isCollection ? [...properties, ...[...value].map(entry)] : properties
}

function entry(value: unknown, index: number): [name: number, value: unknown] {
  return [index, value]
}

function read(holder: object, name: PropertyKey): unknown {
  try {
    return Reflect.get(holder, name)
  } catch {
    // Some getters are for instances alone.
    return undefined
  }
}
