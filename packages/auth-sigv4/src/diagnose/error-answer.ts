import { hexBytes } from './byte-string.ts'
import { canonicalParts, type CanonicalParts } from './canonical-parts.ts'
import { readErrorXml } from './server-evidence.ts'
import { parseInstant } from './instants.ts'

/** An answer of a server, as far as it can be read. */
export interface ErrorAnswer {
  readonly status: number
  /** The `Code` of the error; empty where the answer has none. */
  readonly code: string
  readonly message: string
  /** Whether the server accepted the request. */
  readonly isSuccess: boolean
  /** Its canonical request, taken apart. A byte string where `isExact`, else what XML can hold. */
  readonly canonical: CanonicalParts | undefined
  readonly isExact: boolean
  readonly stringToSign: string | undefined
  /** The instant that the request was signed for, as the server saw it. */
  readonly signedAt: number | undefined
  /** The instant of the answer itself. */
  readonly date: number | undefined
  readonly header: (name: string) => string | null
  readonly element: (name: string) => string | undefined
  /** What kept the answer from being read, in sentences. */
  readonly notes: readonly string[]
}

/** What is read of an answer; an error answer has a few kilobytes. */
const maxBytes = 1024 * 1024
/** For so long an answer that does not end is read. */
const maxReadMs = 2000

/** Reads an answer from a clone, so that the caller can still read it. Never throws. */
export async function readErrorAnswer(response: Response): Promise<ErrorAnswer> {
  const { status, headers, ok: isSuccess } = response
  const { text, notes } = isSuccess ? { text: '', notes: [] } : await readText(response)
  const { elements, state } = readErrorXml(text)
  const element = (name: string): string | undefined => elements.get(name)
  const isReadable = notes.length === 0 && !isSuccess

  const exact = hexBytes(element('CanonicalRequestBytes'))
  const canonicalText = exact ?? element('CanonicalRequest')
  const canonical = canonicalText === undefined ? undefined : canonicalParts(canonicalText)
  const stringToSign = hexBytes(element('StringToSignBytes')) ?? element('StringToSign')
  const header = (name: string): string | null => headers.get(name)
  return {
    status,
    isSuccess,
    code: element('Code')?.trim() ?? '',
    message: element('Message')?.trim() ?? '',
    canonical,
    isExact: exact !== undefined,
    stringToSign,
    signedAt:
      parseInstant(canonical?.headers.get('x-amz-date')) ??
      parseInstant(stringToSign?.split('\n', 2)[1]),
    // A cache's answer is as old as it says, and its Date with it.
    date: header('age') === null ? parseInstant(header('date')) : undefined,
    header,
    element,
    notes: [
      ...notes,
      ...(isReadable && elements.size === 0 ? [describe(text, header('content-type'))] : []),
      ...(elements.size > 0 && state === 'truncated'
        ? ['The response was cut off; what came before that was read.']
        : []),
      ...(canonicalText !== undefined && !canonical
        ? ['The canonical request that the server shows is invalid.']
        : []),
    ],
  }
}

async function readText(response: Response): Promise<{ text: string; notes: string[] }> {
  if (response.bodyUsed) {
    return {
      text: '',
      notes: [
        'The response body has already been read, so only the status and headers can be used; ' +
          'call diagnose first, or pass it a clone.',
      ],
    }
  }
  let text = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const { body } = response.clone()
    if (!body) return { text, notes: [] }
    const reader = body.getReader()
    timer = setTimeout(() => reader.cancel().catch(() => {}), maxReadMs)
    const decoder = new TextDecoder()
    for (let size = 0; size < maxBytes;) {
      const { done, value } = await reader.read()
      if (done) return { text: text + decoder.decode(), notes: [] }
      const chunk = value.subarray(0, maxBytes - size)
      size += chunk.byteLength
      text += decoder.decode(chunk, { stream: true })
    }
    // Not awaited: one branch of a tee settles its cancel only when the other one is done.
    reader.cancel().catch(() => {})
    return { text, notes: [] }
  } catch {
    // A connection that broke off, or a reader of somebody else's.
    return text === ''
      ? { text, notes: ['The response body could not be read.'] }
      : { text, notes: [] }
  } finally {
    clearTimeout(timer)
  }
}

function describe(text: string, contentType: string | null): string {
  const start = text.trimStart()
  if (start === '') return 'The response has no body, so the server gave nothing to compare.'
  let kind = 'not an error from an object store'
  if (/^(?:<!doctype html|<html)/i.test(start)) kind = 'an HTML page'
  else if (start.startsWith('<')) kind = 'XML without a readable Error'
  else if (/^[[{]/.test(start) || contentType?.includes('json')) kind = 'JSON'
  return `The response is ${kind}, so the server gave nothing to compare.`
}
