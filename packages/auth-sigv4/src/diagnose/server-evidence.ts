import { canonicalParts, type CanonicalParts } from './compare.ts'
import { type MessageEvidence, readErrorJson, readQuotes } from './error-message.ts'
import type { Refusal } from './refusal.ts'
import { hexBytes, parseInstant } from './text.ts'

/** The response of a server, as far as it can be read. */
export interface ServerEvidence {
  readonly status: number
  /** The `Code` of the error; empty where the response has none. */
  readonly code: string
  readonly message: string
  /** `true` if the server says that the signature is not the one of the request. */
  readonly isMismatch: boolean
  /** `true` if the server accepted the request. */
  readonly isSuccess: boolean
  /** Its canonical request, taken apart. A byte string where `isExact`, else what XML can hold. */
  readonly canonical: CanonicalParts | undefined
  readonly isExact: boolean
  readonly stringToSign: string | undefined
  /** The instant that the request was signed for, as the server saw it. */
  readonly signedAt: number | undefined
  /** The instant of the response itself. */
  readonly date: number | undefined
  readonly header: (name: string) => string | null
  readonly element: (name: string) => string | undefined
  /** Reasons for which the response could not be read, in sentences. */
  readonly notes: readonly string[]
}

/** Reads the response of a refused request. Never throws. */
export async function readServerEvidence({
  status,
  header,
  readText,
}: Refusal): Promise<ServerEvidence> {
  const isSuccess = status >= 200 && status < 300
  const { text, notes } = isSuccess ? { text: '', notes: [] } : await readText()
  const { elements, state } = readErrorXml(text)
  const element = (name: string): string | undefined => elements.get(name)
  const isReadable = notes.length === 0 && !isSuccess
  const told =
    elements.size > 0
      ? { code: element('Code')?.trim() ?? '', ...readQuotes(element('Message') ?? '') }
      : (readErrorJson(text, header('x-amzn-errortype')) ?? nothingTold)

  const exact = hexBytes(element('CanonicalRequestBytes'))
  const canonicalText = exact ?? element('CanonicalRequest') ?? told.canonical
  const canonical = canonicalText === undefined ? undefined : canonicalParts(canonicalText)
  const stringToSign =
    hexBytes(element('StringToSignBytes')) ?? element('StringToSign') ?? told.stringToSign
  return {
    status,
    isSuccess,
    code: told.code,
    message: told.message,
    isMismatch: mismatchCodes.has(told.code) || (elements.size === 0 && canonical !== undefined),
    canonical,
    isExact: exact !== undefined,
    stringToSign,
    signedAt:
      parseInstant(canonical?.headers.get('x-amz-date')) ??
      parseInstant(stringToSign?.split('\n', 2)[1]),
    // A response from a cache is as old as it says, and its Date with it.
    date: header('age') === null ? parseInstant(header('date')) : undefined,
    header,
    element,
    notes: [
      ...notes,
      ...(isReadable && elements.size === 0 && told === nothingTold
        ? [bodyNote(text, header('content-type'))]
        : []),
      ...(elements.size > 0 && state === 'truncated'
        ? ['The response was cut off; what came before that was read.']
        : []),
      ...(canonicalText !== undefined && !canonical
        ? ['The canonical request that the server shows is invalid.']
        : []),
    ],
  }
}

/** The codes of S3 and of other services of AWS. */
const mismatchCodes: ReadonlySet<string> = new Set([
  'SignatureDoesNotMatch',
  'InvalidSignatureException',
])

const nothingTold: MessageEvidence = {
  code: '',
  message: '',
  canonical: undefined,
  stringToSign: undefined,
}

function bodyNote(text: string, contentType: string | null): string {
  const start = text.trimStart()
  if (start === '') return 'The response has no body, so the server gave nothing to compare.'
  let kind = 'not an error from an object store'
  if (/^(?:<!doctype html|<html)/i.test(start)) kind = 'an HTML page'
  else if (start.startsWith('<')) kind = 'XML without a readable Error'
  else if (/^[[{]/.test(start) || contentType?.includes('json')) kind = 'JSON'
  return `The response is ${kind}, so the server gave nothing to compare.`
}

/** The content of an error response, by the local names of its elements. */
export interface ErrorXml {
  /** The elements within `Error` that hold text alone; of two of one name the first counts. */
  readonly elements: ReadonlyMap<string, string>
  /**
   * `truncated`: the text ended too early, and `elements` holds what was complete by then.
   * `malformed`: the text is no XML that is read here, and `elements` is empty.
   */
  readonly state: 'complete' | 'truncated' | 'malformed'
}

interface OpenElement {
  readonly name: string
  isLeaf: boolean
  text: string
}

/** The deepest nesting that is read: far more than an error response has. */
const maxDepth = 32

/**
 * Reads the flat elements of an object store's error response. Workers have no parser of XML, and the
 * little that is needed here is safer without one: no document types, so that nothing expands; one
 * pass over the text, whatever it holds.
 *
 * @see https://www.w3.org/TR/xml/
 */
export function readErrorXml(text: string): ErrorXml {
  const elements = new Map<string, string>()
  const ended = (state: 'complete' | 'truncated'): ErrorXml => ({ elements, state })
  const open: OpenElement[] = []
  let hasRoot = false
  let position = 0

  for (;;) {
    const mark = text.indexOf('<', position)
    const innermost = open.at(-1)
    if (mark < 0) {
      if (!innermost && !isBlank(text.slice(position))) return malformed
      return ended(innermost || !hasRoot ? 'truncated' : 'complete')
    }
    const content = text.slice(position, mark)
    if (innermost) {
      const decoded = decodeEntities(content)
      if (decoded === undefined) return malformed
      innermost.text += decoded
    } else if (!isBlank(content)) return malformed

    if (text.startsWith('<!--', mark)) {
      position = after(text, '-->', mark + 4)
    } else if (text.startsWith('<?', mark)) {
      position = after(text, '?>', mark + 2)
    } else if (text.startsWith('<![CDATA[', mark)) {
      if (!innermost) return malformed
      position = after(text, ']]>', mark + 9)
      innermost.text += text.slice(mark + 9, position - 3)
    } else if (text.startsWith('<!', mark)) {
      // A document type, unless the text ends within the beginning of something harmless.
      const rest = text.slice(mark)
      return ['<!--', '<![CDATA['].some((start) => start.startsWith(rest))
        ? ended('truncated')
        : malformed
    } else if (text.startsWith('</', mark)) {
      position = after(text, '>', mark)
      if (position > 0) {
        if (text.slice(mark + 2, position - 1).trimEnd() !== innermost?.name) return malformed
        close(open, elements)
      }
    } else {
      if (hasRoot && !innermost) return malformed
      const tag = readStartTag(text, mark)
      if (!tag || open.length === maxDepth) return malformed
      if (tag === 'truncated') return ended(tag)
      position = tag.end
      hasRoot = true
      if (innermost) innermost.isLeaf = false
      open.push({ name: tag.name, isLeaf: true, text: '' })
      if (tag.isEmpty) close(open, elements)
    }
    // Nothing ends at the beginning.
    if (position === 0) return ended('truncated')
  }
}

const malformed: ErrorXml = { elements: new Map(), state: 'malformed' }

function close(open: OpenElement[], elements: Map<string, string>): void {
  const closed = open.pop()
  const parent = open.at(-1)
  if (!closed?.isLeaf || !parent || localName(parent.name) !== 'Error') return
  const name = localName(closed.name)
  if (!elements.has(name)) elements.set(name, closed.text)
}

type StartTag = { readonly name: string; readonly isEmpty: boolean; readonly end: number }

/** Reads the tag that begins at `mark`; `undefined` where it is none. */
function readStartTag(text: string, mark: number): StartTag | 'truncated' | undefined {
  let index = mark + 1
  while (index < text.length && !/[\s/<>="']/.test(text.charAt(index))) index += 1
  const name = text.slice(mark + 1, index)
  // Attributes are passed over; only their quotes may hide the end of the tag.
  for (; index < text.length; index += 1) {
    const character = text.charAt(index)
    if (character === '<') return undefined
    if (character === '>') {
      if (!/^[\p{L}_][\p{L}\p{N}_.:-]*$/u.test(name)) return undefined
      return { name, isEmpty: text.charAt(index - 1) === '/', end: index + 1 }
    }
    if (character === '"' || character === "'") {
      index = text.indexOf(character, index + 1)
      if (index < 0) return 'truncated'
    }
  }
  return 'truncated'
}

/** Returns the index after the next `end`, or 0 where there is none. */
function after(text: string, end: string, from: number): number {
  const index = text.indexOf(end, from)
  return index < 0 ? 0 : index + end.length
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1)
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
])

/** Decodes character data; `undefined` where it holds an entity that nothing but a document type defines. */
function decodeEntities(content: string): string | undefined {
  let isKnown = true
  const decoded = content
    .replace(/\r\n?/g, '\n')
    .replace(
      /&(?:#(\d{1,7})|#x([\da-f]{1,6})|\w{1,5});|&/gi,
      (reference, decimal?: string, hex?: string) => {
        if (decimal) return characterOf(Number.parseInt(decimal, 10))
        if (hex) return characterOf(Number.parseInt(hex, 16))
        const entity = entities.get(reference)
        isKnown &&= entity !== undefined
        return entity ?? ''
      },
    )
  return isKnown ? decoded : undefined
}

// Some servers write references to what no XML can hold.
function characterOf(code: number): string {
  const isAllowed =
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0x10ffff && code !== 0xfffe && code !== 0xffff)
  return isAllowed ? String.fromCodePoint(code) : '\ufffd'
}
