import type { RequestInspection, ShownLine } from '../inspect/inspection.ts'

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
  'The URL has expired',
  'The URL is not yet valid',
  'The URL has not expired',
])

/** Headers whose values are shared. */
const sharedHeaders = new Set([
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'host',
  'range',
  'x-amz-acl',
  'x-amz-date',
  'x-amz-decoded-content-length',
  'x-amz-storage-class',
  'x-amz-trailer',
])

/** Parameters whose values are shared. */
const sharedParameters = new Set([
  'delimiter',
  'encoding-type',
  'list-type',
  'max-keys',
  'partNumber',
  'X-Amz-Algorithm',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
])

/** The most that is shared. */
export const maxSharedLines = 60
export const maxSharedText = 400

const notShared = '(not shared)'

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

function shareLine({ line, text, theirs }: ShownLine): SharedLine {
  const isNamed = /^header [\w-]{1,60}$/.test(line) || !line.startsWith('header ')
  const shared = { line: isNamed ? line : 'header', text: shareText(line, text) }
  return theirs === undefined ? shared : { ...shared, theirs: shareText(line, theirs) }
}

function shareText(line: string, text: string): string {
  if (text === '') return ''
  return shareKnown(line, text).slice(0, maxSharedText)
}

function shareKnown(line: string, text: string): string {
  switch (line) {
    case 'method':
      return /^[A-Z]{1,16}$/.test(text) ? text : notShared
    case 'path':
      return text.split('/').map(withoutSecret).join('/')
    case 'query':
      return text.split('&').map(shareParameter).join('&')
    case 'signed headers':
      return /^[\w;-]+$/.test(text) ? text : notShared
    case 'payload hash':
      return /^(?:UNSIGNED-PAYLOAD|STREAMING-[A-Z0-9-]+)$/.test(text) ? text : notShared
    case 'algorithm':
    case 'date':
    case 'scope':
      return /^[\w./-]{1,120}$/.test(text) ? text : notShared
  }
  const [, name = '', value = ''] = /^([\w-]+):(.*)$/s.exec(text) ?? []
  if (!line.startsWith('header ') || name === '') return notShared
  const isShared = sharedHeaders.has(name) && value.length <= 200
  return `${name}:${isShared ? value : notShared}`
}

function shareParameter(piece: string): string {
  const equals = piece.indexOf('=')
  const name = equals < 0 ? piece : piece.slice(0, equals)
  const value = equals < 0 ? '' : piece.slice(equals + 1)
  const isShared = sharedParameters.has(name) && value.length <= 100
  return `${withoutSecret(name)}=${value === '' || isShared ? value : notShared}`
}

// A key, a token or a number of somebody may stand in a path as well.
function withoutSecret(segment: string): string {
  const isLong = segment.length >= 20 && /\d/.test(segment) && /[a-z]/i.test(segment)
  const isAddress = /@|%40/.test(segment)
  return isLong || isAddress || segment.startsWith('eyJ') ? notShared : segment
}
