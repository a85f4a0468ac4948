import { canonicalParts, type CanonicalParts } from './compare.ts'
import { readErrorJson, readQuotes } from './error-message.ts'
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
  const elements = readErrorXml(text)
  const element = (name: string): string | undefined => elements.get(name)
  const isReadable = notes.length === 0 && !isSuccess
  const isXml = elements.size > 0
  const json = isXml ? undefined : readErrorJson(text, header('x-amzn-errortype'))
  const told = json ?? {
    code: element('Code')?.trim() ?? '',
    ...readQuotes(element('Message') ?? ''),
  }

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
    isMismatch: mismatchCode.test(told.code) || (!isXml && canonical !== undefined),
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
      ...(isReadable && !isXml && !json ? [bodyNote(text, header('content-type'))] : []),
      ...(isXml && !errorEnd.test(text)
        ? ['The response was cut off; what came before that was read.']
        : []),
      ...(canonicalText !== undefined && !canonical
        ? ['The canonical request that the server shows is invalid.']
        : []),
    ],
  }
}

/** The codes of S3 and of other services of AWS. */
const mismatchCode = /^(?:SignatureDoesNotMatch|InvalidSignatureException)$/

function bodyNote(text: string, contentType: string | null): string {
  const start = text.trimStart()
  if (start === '') return 'The response has no body, so the server gave nothing to compare.'
  let kind = 'not an error from an object store'
  if (/^(?:<!doctype html|<html)/i.test(start)) kind = 'an HTML page'
  else if (start.startsWith('<')) kind = 'XML without a readable Error'
  else if (/^[[{]/.test(start) || contentType?.includes('json')) kind = 'JSON'
  return `The response is ${kind}, so the server gave nothing to compare.`
}

const errorStart = /<(?:[\w.-]+:)?Error(?:\s[^<>]*)?>/
const errorEnd = /<\/(?:[\w.-]+:)?Error\s*>/
// Each alternative ends at the next angle bracket, so that the time is linear.
const textElement = /<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>([^<]*)<\/(?:[\w.-]+:)?\1\s*>/g

/**
 * Reads the elements of an object store's error that hold text alone, by their local names; of two of one name the
 * first counts. Workers have no parser of XML, and this one expands nothing.
 */
export function readErrorXml(text: string): ReadonlyMap<string, string> {
  const elements = new Map<string, string>()
  const start = errorStart.exec(text)
  if (!start) return elements
  for (const [, name = '', content = ''] of text.slice(start.index).matchAll(textElement)) {
    if (!elements.has(name)) elements.set(name, decodeReferences(content))
  }
  return elements
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
])

function decodeReferences(content: string): string {
  return content
    .replace(/\r\n?/g, '\n')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|\w{2,4});/gi, (reference, decimal, hex) => {
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      if (Number.isNaN(code)) return entities.get(reference) ?? reference
      return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
    })
}
