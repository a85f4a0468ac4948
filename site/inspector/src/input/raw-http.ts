import { readResponse } from '@svc/auth-sigv4/inspect'
import { InputError } from './input-error.ts'
import { LineReader } from './line-reader.ts'
import { dechunked } from './chunked-body.ts'
import {
  bytesOf,
  type HeaderLine,
  headerOf,
  isHttpName,
  maxHeaders,
  type PastedRequest,
  readUrl,
} from './pasted-request.ts'
import { isTranscript, readTranscript } from './transcript.ts'

/**
 * Reads a request as it stands on the wire, with LF or CRLF: the target in origin or absolute form, or the
 * pseudo-headers of HTTP/2 in place of a request line.
 *
 * Of what `curl -v` writes, the last request is read, with the response to it.
 *
 * @throws InputError naming the line that is none.
 * @see https://www.rfc-editor.org/rfc/rfc9112
 */
export function readRawHttp(text: string): PastedRequest {
  if (!isTranscript(text)) return readWire(text)
  const { request, response } = readTranscript(text)
  if (request === '') {
    throw new InputError(
      'request',
      'no line begins with “> ”, as curl -v marks those of a request.',
    )
  }
  const read = readWire(request)
  const { status, headers, body } = readResponse(response)
  return {
    ...read,
    ...(status !== undefined && { response: { status, headers, body } }),
    notes: [
      'Of what curl -v wrote, the last request is read. Its body is not among it.',
      ...read.notes,
    ],
  }
}

function readWire(given: string): PastedRequest {
  const text = withoutIndent(given)
  const lines = new LineReader(text)
  lines.skipBlank()
  const pseudo = new Map<string, string>()
  const notes: string[] = []
  let line: RequestLine | undefined
  const first = lines.peek()
  if (!first.startsWith(':')) line = readRequestLine(lines.next(), lines.number)
  const headers = readHeaders(lines, pseudo, notes)
  line ??= lineOfPseudo(pseudo)
  const host = pseudo.get(':authority') ?? headerOf(headers, 'host')
  const { url, secrets, notes: urlNotes } = absolute(line, host, pseudo.get(':scheme'))
  if (!line.hasVersion) {
    notes.push('The request line has no HTTP version, so it is taken for HTTP/1.1.')
  }
  const hosts = headers.filter(([name]) => name.toLowerCase() === 'host')
  if (hosts.length > 1) {
    throw new InputError('headers', 'there are two Host headers, which every server refuses.')
  }
  notes.push(...targetNotes(line.target, host))
  const isHostGiven = hosts.length > 0
  const complete: HeaderLine[] =
    isHostGiven || host === undefined ? headers : [['host', host], ...headers]
  const rest = lines.rest()
  const isChunked = /\bchunked\b/i.test(headerOf(headers, 'transfer-encoding') ?? '')
  const decoded = isChunked ? dechunked(rest) : undefined
  if (isChunked && decoded === undefined) {
    notes.push('The body is not in chunks, though Transfer-Encoding says so; it is read as it is.')
  }
  const body = decoded ?? rest
  return {
    method: line.method,
    url,
    headers: complete,
    body: body === '' ? undefined : bytesOf(body),
    secrets,
    notes: [...notes, ...urlNotes],
  }
}

/** Takes off what a whole text is indented by, such as in a list or a log. */
function withoutIndent(text: string): string {
  const [, indent = ''] = /^(?:[\t ]*\r?\n)*([\t ]+)\S/.exec(text.slice(0, 4096)) ?? []
  return indent === '' ? text : text.replace(new RegExp(`^${indent}`, 'gm'), '')
}

/** What stands in no method and no name of a header. */
const noNameCharacter = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/

interface RequestLine {
  readonly method: string
  readonly target: string
  readonly hasVersion: boolean
}

function readRequestLine(text: string, number: number): RequestLine {
  const line = text.trim()
  const [method = ''] = line.split(/[\t ]/, 1)
  const rest = line.slice(method.length).trim()
  const last = Math.max(rest.lastIndexOf(' '), rest.lastIndexOf('\t')) + 1
  const version = last > 0 && /^HTTP\/\d(?:\.\d)?$/.test(rest.slice(last))
  const target = version ? rest.slice(0, last).trim() : rest
  const isTarget = version || /^(?:\/|https?:\/\/)/i.test(target)
  if (method === '' || target === '' || !isTarget) {
    throw new InputError(
      'request line',
      'a request begins with a method and a target, such as GET /path HTTP/1.1.',
      number,
    )
  }
  if (!isHttpName(method)) {
    const at = method.search(noNameCharacter)
    throw new InputError('method', 'this is no HTTP method.', number, at + 1)
  }
  return { method, target, hasVersion: version }
}

/** Tells what of a target a server does not see as it stands here. */
function targetNotes(target: string, host: string | undefined): string[] {
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? []
  const isOther = authority !== undefined && host !== undefined && authority !== host.trim()
  return [
    ...(target.includes('#') ? ['The # and what follows it is left out: no client sends it.'] : []),
    ...(isOther
      ? [
          'The request line names another host than the Host header; servers go by the request line.',
        ]
      : []),
  ]
}

function lineOfPseudo(pseudo: ReadonlyMap<string, string>): RequestLine {
  const [method, target] = [pseudo.get(':method'), pseudo.get(':path')]
  if (method === undefined || target === undefined || !isHttpName(method)) {
    const missing = method === undefined ? ':method' : ':path'
    throw new InputError('pseudo-headers', `the pseudo-header ${missing} of HTTP/2 is missing.`, 1)
  }
  return { method, target, hasVersion: true }
}

function absolute(
  { target }: RequestLine,
  host: string | undefined,
  given: string | undefined,
): ReturnType<typeof readUrl> {
  if (/^https?:\/\//i.test(target)) return readUrl(target, 'request line', 1)
  if (host === undefined || host.trim() === '') {
    throw new InputError(
      'Host header',
      'there is no Host header, which every signature covers; add it, or use a whole URL.',
    )
  }
  const path = target.startsWith('/') ? target : `/${target}`
  // Nothing tells it; a server on the machine itself seldom has a certificate.
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i.test(host.trim())
  const scheme = given ?? (isLocal ? 'http' : 'https')
  return readUrl(`${scheme}://${host.trim()}${path}`, 'Host header')
}

function readHeaders(
  lines: LineReader,
  pseudo: Map<string, string>,
  notes: string[],
): HeaderLine[] {
  const headers: [string, string][] = []
  while (!lines.isAtEnd) {
    const text = lines.next()
    if (text === '') break
    const last = headers.at(-1)
    if (/^[\t ]/.test(text) && last) {
      last[1] += ` ${text.trim()}`
      notes.push(
        `Line ${lines.number} continues the header ${last[0]}, a form that HTTP has given up.`,
      )
      continue
    }
    const colon = text.indexOf(':', 1)
    const name = text.slice(0, Math.max(colon, 0)).trim()
    if (colon < 0) {
      throw new InputError(
        'header',
        'this line has no colon; a header is a name, a colon and a value, and an empty line ends them.',
        lines.number,
      )
    }
    const value = trimBlanks(text.slice(colon + 1))
    if (/^:(?:method|path|scheme|authority)$/.test(name)) {
      pseudo.set(name, value)
      continue
    }
    if (!isHttpName(name)) {
      const at = name.search(noNameCharacter)
      throw new InputError('header', 'this is no name of a header.', lines.number, at + 1)
    }
    assertSendable(value, name, lines.number)
    headers.push([name, value])
    if (headers.length > maxHeaders) {
      throw new InputError('headers', `there are more than ${maxHeaders} headers.`, lines.number)
    }
  }
  return headers
}

/**
 * Rejects a value that no HTTP client sends.
 *
 * @throws InputError naming the character.
 */
export function assertSendable(value: string, name: string, line: number | undefined): void {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  const at = value.search(/[\0-\x08\x0a-\x1f\x7f]/)
  if (at < 0) return
  const code = value.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')
  throw new InputError(
    `header ${name.length > 40 ? `${name.slice(0, 40)}…` : name}`,
    `the value has the control character U+${code}, which no client sends.`,
    line,
    name.length + at + 3,
  )
}

/** Takes blanks off both ends, in time that grows with the length. */
function trimBlanks(text: string): string {
  let end = text.length
  while (end > 0 && /[\t ]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end).replace(/^[\t ]+/, '')
}
