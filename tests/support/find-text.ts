import { inspect } from 'node:util'

/**
 * Finds a text, or one of several, in everything that a value leads to: own properties, symbols and
 * hidden ones included, maps, sets and bytes, and what printing it shows. Gives the paths on which it
 * stands.
 */
export function findText(root: unknown, texts: string | readonly string[]): string[] {
  const wanted = typeof texts === 'string' ? [texts] : texts
  const shows = (text: string): boolean => wanted.some((one) => text.includes(one))
  const found: string[] = []
  const seen = new Set<unknown>()
  const queue: [path: string, value: unknown][] = [['', root]]
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [path, value] = next
    if (holds(value, shows)) found.push(path)
    if ((typeof value !== 'object' && typeof value !== 'function') || !value) continue
    if (seen.has(value)) continue
    seen.add(value)
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) continue
    if (value instanceof URL) queue.push([`${path} href`, value.href])
    if (value instanceof Headers) queue.push([`${path} headers`, [...value]])
    // The prototype of a class of requests is one by its class, and has no headers.
    const isRequest = value instanceof Request && !Object.hasOwn(value, 'constructor')
    if (isRequest) queue.push([`${path} request`, value.headers])
    if (value instanceof Map) queue.push([`${path} entries`, [...value]])
    if (value instanceof Set) queue.push([`${path} values`, [...value]])
    for (const key of Reflect.ownKeys(value)) {
      if (shows(String(key))) found.push(`${path} key`)
      const property = Object.getOwnPropertyDescriptor(value, key)
      if (property && 'value' in property) queue.push([`${path}.${String(key)}`, property.value])
    }
  }
  if (shows(inspect(root, { depth: 10, showHidden: true }))) found.push('util.inspect')
  if (shows(json(root))) found.push('JSON.stringify')
  return found
}

function holds(value: unknown, shows: (text: string) => boolean): boolean {
  if (typeof value === 'string') return shows(value)
  // As bytes: each character is one.
  if (value instanceof ArrayBuffer) return shows(Buffer.from(value).toString('latin1'))
  if (!ArrayBuffer.isView(value)) return false
  const { buffer, byteOffset, byteLength } = value
  return shows(Buffer.from(buffer, byteOffset, byteLength).toString('latin1'))
}

/** The JSON of a value, without what leads in circles. */
function json(root: unknown): string {
  const above: unknown[] = []
  const shown: string | undefined = JSON.stringify(
    root,
    function replace(this: unknown, _key, value: unknown) {
      while (above.length > 0 && above.at(-1) !== this) above.pop()
      if (above.includes(value)) return undefined
      above.push(value)
      return typeof value === 'bigint' ? String(value) : value
    },
  )
  return shown ?? ''
}
