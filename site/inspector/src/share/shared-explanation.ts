import type { RequestInspection } from '../inspect/inspection.ts'
import {
  isHeaderName,
  lineForms,
  notShared,
  shareHeader,
  shareNames,
  sharePath,
  shareQuery,
  shareScope,
} from './shared-values.ts'

/** A line that is shared; `theirs` is the server's, where it is another one. */
export interface SharedLine {
  readonly line: string
  readonly text: string
  readonly theirs?: string
}

/** All that a link holds. Every part of it was let in by name; nothing is there because nobody left it out. */
export interface SharedExplanation {
  readonly version: 1
  readonly form: 'header' | 'query' | 'unsigned'
  readonly findings: readonly string[]
  readonly canonicalRequest: readonly SharedLine[]
  readonly stringToSign: readonly SharedLine[]
}

/** The titles of findings, which say nothing of the request; a link can show no other. */
export const sharedTitles: ReadonlySet<string> = new Set([
  'The server read another request',
  'Date, region or service differ',
  'The key is the cause',
  'The time is the cause',
  'The region is the cause',
  'The body is the cause',
  'The response does not say why',
  'The server gives a reason of its own',
  'The server shows no lines to compare',
  'The response is to another request',
  'Another secret, or another form of the request',
  'The server accepted the request',
  'The request is not signed',
  'The Authorization header is missing',
  'The signature is malformed',
  'A signed header is missing',
  'Signed headers are not known',
  'A header is not signed',
  'x-amz-content-sha256 is missing',
  'The body is not checked',
  'The body is not the one that was signed',
  'It is another key',
  'It is another session token',
  'The region is another one',
  'The service is another one',
  'The signature is not checked',
  'The signature is right',
  'The signature is wrong',
  'The signature is for another form',
  'The secret is not exact',
  'This key made the signature',
  'The URL has expired',
  'The URL is not yet valid',
  'The URL has not expired',
])

/** The most that is shared. */
export const maxSharedLines = 60
export const maxSharedText = 400

/**
 * Takes out of an inspection what may be shared: no value of a header or a parameter that is not known to be
 * harmless, no body and no hash of one, from which a short body could be found, and no signature.
 */
export function shareable({ form, findings, steps }: RequestInspection): SharedExplanation {
  const linesOf = (title: string): SharedLine[] =>
    (steps.find((step) => step.title === title)?.lines ?? [])
      .slice(0, maxSharedLines)
      .map(shareLine)
  return {
    version: 1,
    form,
    findings: findings.map(({ title }) => title).filter((title) => sharedTitles.has(title)),
    canonicalRequest: linesOf('Canonical request'),
    stringToSign: linesOf('String to sign'),
  }
}

/** The names of lines beside those of headers; the empty one ends the headers. */
const lineNames = new Set([
  '',
  'method',
  'path',
  'query',
  'signed headers',
  'payload hash',
  'algorithm',
  'date',
  'scope',
  'canonical request hash',
])

/**
 * Takes out of a line what may be shared, which of a line that is shared already is all of it. What comes with a link
 * goes through it too.
 */
export function shareLine({ line, text, theirs }: SharedLine): SharedLine {
  const [, header = ''] = /^header (.*)$/s.exec(line) ?? []
  const name = lineNames.has(line) || isHeaderName(header) ? line : 'header'
  const shared = { line: name, text: shareText(name, text) }
  return theirs === undefined ? shared : { ...shared, theirs: shareText(name, theirs) }
}

function shareText(line: string, text: string): string {
  const shared = text === '' ? '' : shareKnown(line, text)
  return shared.length > maxSharedText ? notShared : shared
}

function shareKnown(line: string, text: string): string {
  switch (line) {
    case 'path':
      return sharePath(text)
    case 'query':
      return shareQuery(text)
    case 'signed headers':
      return shareNames(text)
    case 'scope':
      return shareScope(text)
  }
  const name = /^header ([\w-]+)$/.exec(line)?.[1]
  if (name === undefined) return lineForms.get(line)?.(text) === true ? text : notShared
  return text.startsWith(`${name}:`)
    ? `${name}:${shareHeader(name, text.slice(name.length + 1))}`
    : notShared
}
