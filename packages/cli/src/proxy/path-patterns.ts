import { percentDecode } from '@svc/auth-hooks/scheme'

/** The characters of a segment, with `undefined` for a `*`. */
type SegmentPattern = readonly (string | undefined)[]

/** A pattern of paths: its segments, with `undefined` for a `**`. */
export type PathPattern = readonly (SegmentPattern | undefined)[]

/** Reads a pattern such as `/V1/*.csv`. An escape stands for its byte, so that `%2A` is an asterisk. */
export function readPattern(text: string): PathPattern {
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  return segmentsOf(bytes).map((segment) => {
    if (segment === '**') return undefined
    const pieces = segment.split(/(\*)/)
    return pieces.flatMap((piece) =>
      piece === '*' ? [undefined] : Array.from(percentDecode(piece)),
    )
  })
}

/** Ways in which servers read a path that is decoded already, each beside those before it. */
const readers: readonly ((path: string) => string)[] = [
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replace(/;[^/]*/g, ''),
  (path) => path.replace(/\/+/g, '/'),
]

/** Stands for an escaped slash that separates nothing. No byte is this character. */
const innerSlash = '\u0100'

/**
 * Returns the segments of a path in every way in which a server may read it: an escaped slash separates or does
 * not, a backslash separates or does not, a semicolon ends its segment or does not, and repeated slashes are one
 * or several.
 */
export function pathReadings(path: string): readonly (readonly string[])[] {
  const readings = new Set(
    [path, path.replace(/%2f/gi, innerSlash)].map((one) => percentDecode(one)),
  )
  for (const read of readers) {
    for (const reading of Array.from(readings)) readings.add(read(reading))
  }
  return Array.from(readings, segmentsOf)
}

function segmentsOf(path: string): readonly string[] {
  // The service reads this one segment in any case.
  const folded = path.slice(1).replace(/^user(?=\/|$)/i, 'user')
  return folded.split('/').map((segment) => segment.replaceAll(innerSlash, '/'))
}

/** Tells if a pattern matches a path. A `*` alone stands for at least one character, beside others for any number. */
export function matchesPattern(pattern: PathPattern, segments: readonly string[]): boolean {
  return matches(pattern, segments, (part, segment) =>
    !segment
      ? part.length === 0
      : matches(part, Array.from(segment), (one, other) => one === other),
  )
}

/** Matches items against parts, of which `undefined` stands for any number of items. */
function matches<Part, Item>(
  parts: readonly (Part | undefined)[],
  items: readonly Item[],
  fits: (part: Part, item: Item | undefined) => boolean,
): boolean {
  // The last wildcard takes one item more whenever what follows it does not match; earlier ones need not.
  let [place, index] = [0, 0]
  let last: { readonly place: number; index: number } | undefined
  while (index < items.length) {
    const part = parts[place]
    if (part !== undefined && fits(part, items[index])) {
      place += 1
      index += 1
    } else if (part === undefined && place < parts.length) {
      last = { place, index }
      place += 1
    } else if (last === undefined) {
      return false
    } else {
      last.index += 1
      index = last.index
      place = last.place + 1
    }
  }
  return parts.slice(place).every((part) => part === undefined)
}
