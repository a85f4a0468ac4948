/**
 * The places where a text stands in whatever can be reached from a value: own properties, hidden ones
 * and symbols included, prototypes, maps, sets and bytes. No accessor is called.
 */
export function placesOf(text: string, root: unknown): string[] {
  const places: string[] = []
  const seen = new Set<unknown>([process, globalThis])
  const waiting: [value: unknown, place: string][] = [[root, '']]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [value, place] = next
    if (typeof value === 'string' && value.includes(text)) places.push(place)
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) continue
    if (seen.has(value)) continue
    seen.add(value)
    if (value instanceof Uint8Array) {
      if (Buffer.from(value).includes(text)) places.push(place)
      continue
    }
    if (value instanceof Map || value instanceof Set) waiting.push([[...value], `${place}.entries`])
    waiting.push([Object.getPrototypeOf(value), `${place}.__proto__`])
    for (const key of Reflect.ownKeys(value)) {
      const property = Reflect.getOwnPropertyDescriptor(value, key)
      if (property && 'value' in property) waiting.push([property.value, `${place}.${String(key)}`])
    }
  }
  return places
}
