import { check, readPath } from '@svc/auth-hooks/scheme'

/** The literal texts around the variables of each segment, in order: one more than the segment has variables. */
export type Template = readonly (readonly string[])[]

/**
 * Reads a path template, segment by segment.
 *
 * @throws TypeError if it is none; the message names the option.
 * @see https://spec.openapis.org/oas/v3.1.1#paths-object
 */
export function readTemplate(path: string, caller: string, option: string): Template {
  return segmentsOf(path).map((segment) => {
    const literals = segment.split(/\{[^{}]+\}/)
    const isVariable = !/[{}]/.test(literals.join('')) && !literals.slice(1, -1).includes('')
    check(
      isVariable,
      caller,
      `${option} must have variables such as {id}, each in one segment, with text between two of them`,
    )
    return literals.map(readLiteral)
  })
}

/** Reads the path of a request, segment by segment: an encoded slash is a part of its segment. */
export function readSegments(pathname: string): readonly string[] {
  return segmentsOf(pathname).map((segment) => readPath(segment).slice(1, -1))
}

/** Tells if a path has the segments of a template, with something for each variable. */
export function matchesTemplate(template: Template, path: readonly string[]): boolean {
  return (
    template.length === path.length &&
    template.every((literals, index) => matchesSegment(literals, path[index] ?? ''))
  )
}

/** Puts templates in order: concrete segments before variables, left to right. */
export function compareTemplates(one: Template, other: Template): number {
  for (const [index, literals] of one.entries()) {
    const difference = concreteness(other[index] ?? []) - concreteness(literals)
    if (difference) return difference
  }
  return 0
}

// Never goes back, so that the time is linear.
function matchesSegment([first = '', ...rest]: readonly string[], segment: string): boolean {
  const last = rest.pop()
  if (last === undefined) return segment === first
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false
  let at = first.length
  for (const literal of rest) {
    const found = segment.indexOf(literal, at + 1)
    if (found < 0) return false
    at = found + literal.length
  }
  return at < segment.length - last.length
}

/** Returns a path without the slashes at its end: a pattern would try each of those within, too. */
export function withoutEndSlashes(path: string): string {
  let { length } = path
  while (path.endsWith('/', length)) length -= 1
  return path.slice(0, length)
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** Reads a text as a URL would have it; alone, `.` would be a dot segment. */
function readLiteral(text: string): string {
  const url = new URL('http://localhost')
  url.pathname = `/x${text}`
  return readPath(url.pathname).slice(2, -1)
}

/** Returns the length of the literal text; more for a segment without variables. */
function concreteness(literals: readonly string[]): number {
  return literals.length === 1 ? 1e9 : literals.join('').length
}
