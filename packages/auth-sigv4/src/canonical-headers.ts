import { sort } from './sort.ts'

/** Headers as they stand in the canonical request, and the list of their names. */
export interface CanonicalHeaders {
  /** One line for each header, each ended by a line break. */
  readonly lines: string
  /** The names, in lower case, joined by `;`. */
  readonly signedHeaders: string
}

/**
 * The test whether a header is signed: an allow-list, since proxies, tracing and runtimes add and
 * rewrite whatever else is there.
 */
export function signedHeaderFilter(signHeaders: readonly string[]): (name: string) => boolean {
  const more = new Set(signHeaders.map((name) => name.toLowerCase()))
  return (name) =>
    /^(?:content-type|content-md5|range|if-.+|x-amz-.+)$/.test(name) || more.has(name)
}

/**
 * Sorts headers by name and folds blanks within their values.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#canonical-request
 */
export function canonicalHeaders(
  headers: (readonly [name: string, value: string])[],
): CanonicalHeaders {
  let lines = ''
  let signedHeaders = ''
  for (const [name, value] of sort(headers, byName)) {
    lines += `${name}:${/[\t ]{2}|\t/.test(value) ? value.replace(/[\t ]+/g, ' ') : value}\n`
    signedHeaders += signedHeaders === '' ? name : `;${name}`
  }
  return { lines, signedHeaders }
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1
}
