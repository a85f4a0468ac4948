import { check, readPath } from '@svc/auth-hooks/scheme'

/** A segment of a template: `users`, `{id}`, or text with variables in it, such as `{name}.{format}`. */
export type TemplateSegment = string | SegmentPattern

/** The literal texts around the variables of a segment, in order; one more than there are variables. */
interface SegmentPattern {
  readonly literals: readonly string[]
}

/** Entries by their templates, in a tree with a level for each segment. */
interface Level<Entry> {
  /** The next level for each literal segment. */
  readonly literal: Map<string, Level<Entry>>
  /** The next level for each pattern, by its text. */
  readonly patterns: Map<string, { readonly pattern: SegmentPattern; readonly level: Level<Entry> }>
  /** The entries of the template that ends here. */
  readonly entries: Entry[]
}

/**
 * Finds the first entry that a test accepts, of the template that has a literal segment furthest to the left where
 * others have a variable.
 */
export type FindByTemplate<Entry> = (
  path: readonly string[],
  accepts: (entry: Entry) => boolean,
) => Entry | undefined

/**
 * Reads a path template, segment by segment.
 *
 * @throws TypeError if it is none; the message names the option.
 * @see https://spec.openapis.org/oas/v3.1.1#paths-object
 */
export function readTemplate(
  template: unknown,
  caller: string,
  option: string,
): readonly TemplateSegment[] {
  const isPath =
    typeof template === 'string' && template.startsWith('/') && !/[?#\p{Cc}]/u.test(template)
  check(
    isPath,
    caller,
    `${option} must be a path that begins with / and has no ?, # or control character`,
  )
  return template
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      const literals = segment.split(/\{[^{}]+\}/)
      const isBalanced = literals.every((literal) => !/[{}]/.test(literal))
      check(isBalanced, caller, `${option} must have variables such as {id}, each in one segment`)
      const isApart = literals.slice(1, -1).every((literal) => literal !== '')
      check(isApart, caller, `${option} must have text between two variables of a segment`)
      const texts = literals.map(readLiteral)
      const [only = ''] = texts
      return texts.length === 1 ? only : { literals: texts }
    })
}

/** Reads the path of a request, segment by segment: an encoded slash is a part of its segment. */
export function readSegments(pathname: string): readonly string[] {
  return pathname
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => readPath(segment).slice(1, -1))
}

/** Indexes entries by their templates. */
export function indexByTemplate<Entry>(
  entries: readonly (readonly [template: readonly TemplateSegment[], entry: Entry])[],
): FindByTemplate<Entry> {
  const root = createLevel<Entry>()
  // Those with more literal text are tried first.
  const sorted = [...entries].sort(([one], [other]) => literalLength(other) - literalLength(one))
  for (const [template, entry] of sorted) {
    let level = root
    for (const segment of template) level = levelBelow(level, segment)
    level.entries.push(entry)
  }
  return (path, accepts) => findBelow(root, path, 0, accepts)
}

function createLevel<Entry>(): Level<Entry> {
  return { literal: new Map(), patterns: new Map(), entries: [] }
}

/** Returns the next level for a segment, which is made if there is none. */
function levelBelow<Entry>(
  { literal, patterns }: Level<Entry>,
  segment: TemplateSegment,
): Level<Entry> {
  if (typeof segment === 'string') {
    const level = literal.get(segment) ?? createLevel()
    literal.set(segment, level)
    return level
  }
  const text = segment.literals.join('{}')
  const { level } = patterns.get(text) ?? { level: createLevel<Entry>() }
  patterns.set(text, { pattern: segment, level })
  return level
}

// Each level is visited once at most, since a path reaches it in one way.
function findBelow<Entry>(
  { literal, patterns, entries }: Level<Entry>,
  path: readonly string[],
  at: number,
  accepts: (entry: Entry) => boolean,
): Entry | undefined {
  const segment = path[at]
  if (segment === undefined) return entries.find(accepts)
  const next = literal.get(segment)
  const found = next && findBelow(next, path, at + 1, accepts)
  if (found) return found
  for (const { pattern, level } of patterns.values()) {
    const entry = matches(pattern, segment) ? findBelow(level, path, at + 1, accepts) : undefined
    if (entry) return entry
  }
  return undefined
}

/** Tells if a segment has the literal texts of a pattern in their order, with something for each variable. */
function matches({ literals }: SegmentPattern, segment: string): boolean {
  const [first = '', ...rest] = literals
  const last = rest.pop() ?? ''
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false
  let at = first.length
  for (const literal of rest) {
    const found = segment.indexOf(literal, at + 1)
    if (found < 0) return false
    at = found + literal.length
  }
  return at < segment.length - last.length
}

/** Reads a text as a URL would have it; alone, `.` would be a dot segment. */
function readLiteral(text: string): string {
  const url = new URL('http://localhost')
  url.pathname = `/x${text}`
  return readPath(url.pathname).slice(2, -1)
}

function literalLength(template: readonly TemplateSegment[]): number {
  return template
    .map((segment) => (typeof segment === 'string' ? segment : segment.literals.join('')))
    .join('').length
}
