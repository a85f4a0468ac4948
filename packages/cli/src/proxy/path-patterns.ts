import { percentDecode } from './target.ts'

/** A pattern of paths: its segments, each as the texts between its `*`, or `**` for any number of segments. */
export type PathPattern = readonly ('**' | readonly string[])[]

/** Reads a pattern such as `/V1/*.csv`. An escape stands for its byte, so that `%2A` is an asterisk. */
export function readPattern(text: string): PathPattern {
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  return bytes
    .slice(1)
    .split('/')
    .map((segment, index) => {
      if (segment === '**') return segment
      const texts = segment.split('*').map(percentDecode)
      return index === 0 ? texts.map(foldUser) : texts
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
  const [first = '', ...rest] = path.slice(1).split('/')
  return [foldUser(first), ...rest].map((segment) => segment.replaceAll(innerSlash, '/'))
}

// The service reads this one segment in any case.
function foldUser(segment: string): string {
  return /^user$/i.test(segment) ? 'user' : segment
}

/** Tells if a pattern matches a path. */
export function matchesPattern(pattern: PathPattern, segments: readonly string[]): boolean {
  // The last `**` takes one segment more whenever what follows it does not match; earlier ones need not.
  let [place, index] = [0, 0]
  let last: { readonly place: number; index: number } | undefined
  while (index < segments.length) {
    const part = pattern[place]
    if (part === '**') {
      last = { place, index }
      place += 1
    } else if (part !== undefined && matchesSegment(part, segments[index] ?? '')) {
      place += 1
      index += 1
    } else if (last === undefined) {
      return false
    } else {
      last.index += 1
      index = last.index
      place = last.place + 1
    }
  }
  return pattern.slice(place).every((part) => part === '**')
}

/** A `*` alone stands for at least one character, and beside others for any number. */
function matchesSegment(texts: readonly string[], segment: string): boolean {
  const [first = '', ...rest] = texts
  const end = rest.pop()
  if (end === undefined) return segment === first
  if (segment === '' || !segment.startsWith(first)) return false
  if (segment.length < first.length + end.length || !segment.endsWith(end)) return false
  let from = first.length
  const to = segment.length - end.length
  for (const text of rest) {
    const found = segment.indexOf(text, from)
    if (found === -1 || found + text.length > to) return false
    from = found + text.length
  }
  return true
}
