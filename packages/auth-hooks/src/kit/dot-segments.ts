/**
 * Whether a path has a segment that decodes to `.` or `..`. A URL parser resolves those it sees,
 * but an encoded slash hides others from it, though not from the server.
 *
 * @example
 * import { hasDotSegment } from '@svc/auth-hooks/scheme'
 *
 * console.log(hasDotSegment('/V1/a%2f..%2fb')) // true
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-3.3
 */
export function hasDotSegment(pathname: string): boolean {
  return /(?:^|\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i.test(pathname)
}
