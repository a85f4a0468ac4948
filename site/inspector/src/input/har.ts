import { InputError, placeOf } from './input-error.ts'
import {
  bytesOf,
  type HeaderLine,
  isHttpName,
  maxHeaders,
  type PastedRequest,
  type PastedResponse,
  readUrl,
} from './pasted-request.ts'

/** A request of a HAR, to choose from. */
export interface HarSummary {
  readonly index: number
  readonly method: string
  /** The URL without its query, which may hold secrets. */
  readonly url: string
  readonly status: number
  readonly isSigned: boolean
}

/**
 * Reads the entries of a HAR: a whole one, a list of entries, or one entry.
 *
 * @throws InputError naming the line where the JSON breaks.
 * @see https://w3c.github.io/web-performance/specs/HAR/Overview.html
 */
export function readHarEntries(text: string): readonly unknown[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw jsonError(text, error)
  }
  const entries = field(json, 'log', 'entries') ?? (field(json, 'request') ? [json] : json)
  if (!Array.isArray(entries) || entries.length === 0) {
    throw new InputError('HAR', 'the JSON has no log.entries, and is no entry with a request.', 1)
  }
  return entries
}

/** Makes an error of one of `JSON.parse`, of which only the position is taken, since it quotes the text. */
function jsonError(text: string, error: unknown): InputError {
  const position = /at position (\d+)/.exec(String(error))?.[1]
  const at = position === undefined ? text.length : Number(position)
  const isCutOff = at >= text.trimEnd().length || /unterminated/i.test(String(error))
  const { line, column } = placeOf(text, at)
  const message = isCutOff ? 'the JSON ends too early; it was cut off.' : 'the JSON is broken here.'
  return new InputError('HAR', message, line, column)
}

/** Lists entries, those that were refused and signed first. */
export function listHarEntries(
  entries: readonly unknown[],
  filter: string,
  atMost: number,
): { readonly found: number; readonly list: readonly HarSummary[] } {
  const wanted = filter.trim().toLowerCase()
  const all = entries.flatMap((entry, index): HarSummary[] => {
    const url = textOf(field(entry, 'request', 'url'))
    const method = textOf(field(entry, 'request', 'method'))
    const status = Number(field(entry, 'response', 'status') ?? 0)
    const line = `${method} ${url} ${status}`
    if (wanted !== '' && !line.toLowerCase().includes(wanted)) return []
    const plain = url
      .replace(/[?#].*/s, '')
      .replace(/\/\/[^/]*@/, '//')
      .replace(/\beyJ[\w.-]+/g, 'eyJ…')
    const isSigned =
      /x-amz-signature=/i.test(url) ||
      headersIn(field(entry, 'request', 'headers')).some(
        ([name, value]) => /^authorization$/i.test(name) && value.startsWith('AWS4-'),
      )
    return [{ index, method: method.slice(0, 20), url: plain.slice(0, 300), status, isSigned }]
  })
  const rank = ({ status, isSigned }: HarSummary): number =>
    (status >= 400 && status < 500 ? 0 : 2) + (isSigned ? 0 : 1)
  const list = all.sort((a, b) => rank(a) - rank(b) || a.index - b.index).slice(0, atMost)
  return { found: all.length, list }
}

/**
 * Reads the request of an entry, and its response.
 *
 * @throws InputError naming the field that is missing.
 */
export function readHarEntry(entry: unknown): PastedRequest {
  const method = field(entry, 'request', 'method')
  const given = field(entry, 'request', 'url')
  if (typeof method !== 'string' || !isHttpName(method)) {
    throw new InputError('HAR entry', 'request.method is no HTTP method.')
  }
  if (typeof given !== 'string') throw new InputError('HAR entry', 'request.url is missing.')
  const { url, secrets, notes } = readUrl(given, 'HAR entry, request.url')
  const [, host = ''] = /^https?:\/\/([^/?]*)/.exec(url) ?? []
  const read = headersIn(field(entry, 'request', 'headers'))
  const authority = read.find(([name]) => name === ':authority')?.[1]
  const headers = read.filter(([name]) => isHttpName(name))
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host')
  const response = responseOf(entry)
  return {
    method,
    url,
    headers: hasHost ? headers : [['host', authority ?? host], ...headers],
    ...bodyOf(entry),
    secrets,
    ...(response && { response }),
    notes,
  }
}

function bodyOf(entry: unknown): Pick<PastedRequest, 'body' | 'isForm'> {
  const text = field(entry, 'request', 'postData', 'text')
  const encoding = field(entry, 'request', 'postData', 'encoding')
  const params = field(entry, 'request', 'postData', 'params')
  const type = textOf(field(entry, 'request', 'postData', 'mimeType'))
  if (typeof text === 'string' && text !== '') {
    return { body: encoding === 'base64' ? bytesOfBase64(text) : bytesOf(text) }
  }
  const hasParams = Array.isArray(params) && params.length > 0
  if (hasParams && /^application\/x-www-form-urlencoded/i.test(type)) {
    const pairs = params.map((param): [string, string] => [
      textOf(field(param, 'name')),
      textOf(field(param, 'value')),
    ])
    return { body: bytesOf(String(new URLSearchParams(pairs))) }
  }
  const size = Number(field(entry, 'request', 'bodySize') ?? 0)
  return { body: undefined, isForm: hasParams || size > 0 }
}

function responseOf(entry: unknown): PastedResponse | undefined {
  const status = Number(field(entry, 'response', 'status'))
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined
  const content = field(entry, 'response', 'content', 'text')
  const isBase64 = field(entry, 'response', 'content', 'encoding') === 'base64'
  const text = typeof content === 'string' ? content : ''
  const headers: Record<string, string> = Object.create(null)
  for (const [name, value] of headersIn(field(entry, 'response', 'headers'))) {
    headers[name.toLowerCase()] = value
  }
  return { status, headers, body: isBase64 ? new TextDecoder().decode(bytesOfBase64(text)) : text }
}

function headersIn(list: unknown): HeaderLine[] {
  if (!Array.isArray(list)) return []
  return list.slice(0, maxHeaders).flatMap((one): HeaderLine[] => {
    const [name, value] = [field(one, 'name'), field(one, 'value')]
    // oxlint-disable-next-line no-control-regex -- no client sends them
    const isSent = typeof name === 'string' && typeof value === 'string' && !/[\0\r\n]/.test(value)
    return isSent ? [[name, value]] : []
  })
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0))
  } catch {
    throw new InputError('HAR entry', 'a body that should be base64 is not.')
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Reads a field of something that came from outside. */
function field(value: unknown, ...path: readonly string[]): unknown {
  let inner = value
  for (const name of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return undefined
    inner = Reflect.get(inner, name)
  }
  return inner
}
