/** Headers to send, by their names in lower case; `undefined` leaves out one that is sent by default. */
export type HeaderLines = readonly (readonly [name: string, value: string | undefined])[]

/** Returns headers with those of the user in the place of the defaults, as names and values in turn. */
export function joinHeaders(defaults: HeaderLines, given: HeaderLines): string[] {
  const replaced = new Set(given.map(([name]) => name))
  const lines = [...defaults.filter(([name]) => !replaced.has(name)), ...given]
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
}
