import type { Refused } from '../sigv4/result.ts'
import type { RecordedAuth } from './recorder.ts'

/** What the emulator answers, before it becomes a `Response` or goes out on a socket. */
export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: OwnBytes
}

/** An answer without a body. */
export function emptyAnswer(status: number, headers: Answer['headers'] = {}): Answer {
  return { status, headers, body: new Uint8Array() }
}

/** An answer in JSON. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Answer['headers'] = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: new TextEncoder().encode(JSON.stringify(value)),
  }
}

/** An answer in XML. */
export function xmlAnswer(xml: string): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`),
  }
}

/** An object-store error: its elements as XML. */
export function xmlErrorAnswer(
  status: number,
  elements: readonly (readonly [element: string, text: string])[],
  headers: Answer['headers'] = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/xml', ...headers },
    body: new TextEncoder().encode(errorXml(elements)),
  }
}

/** The answer to a method that is not for this resource. */
export function methodNotAllowed(allow: string): Answer {
  return xmlErrorAnswer(
    405,
    [
      ['Code', 'MethodNotAllowed'],
      ['Message', 'The specified method is not allowed against this resource.'],
    ],
    { allow },
  )
}

/** Statuses whose answers never have content (RFC 9110, section 6.4.1). */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

// What `slice` gives, since TypeScript before 5.7 knows no `Uint8Array<ArrayBuffer>`.
/** Bytes in memory that is not shared. */
export type OwnBytes = ReturnType<Uint8Array['slice']>

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // A parser turns a bare carriage return into a line feed.
  '\r': '&#13;',
}

/** Text as it stands in an element or an attribute. */
function escapeXml(text: string): string {
  return (
    text
      .replace(/[&<>"'\r]/g, (character) => entities[character] ?? character)
      // XML 1.0 has no way to write these.
      .replace(/\p{Cc}/gu, (character) => (isXmlCharacter(character) ? character : '\ufffd'))
  )
}

/** One element after the other, each with its text. */
export function xmlElements(
  elements: readonly (readonly [element: string, text: string])[],
): string {
  return elements.map(([element, text]) => `<${element}>${escapeXml(text)}</${element}>`).join('')
}

// The C1 controls are allowed; of the others only tab and line feed reach this line.
function isXmlCharacter(control: string): boolean {
  return control === '\t' || control === '\n' || control >= '\u007f'
}

/** The object-store answer to what went wrong, as XML. */
export function errorXml(elements: readonly (readonly [element: string, text: string])[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${xmlElements(elements)}</Error>`
}

/**
 * The elements that object stores answer to a refused signature. Their texts may lack characters
 * that XML cannot write; the `…Bytes` elements hold every one.
 */
export function refusalElements(refused: Refused): [element: string, text: string][] {
  const elements: [element: string, text: string][] = [
    ['Code', refused.code],
    ['Message', refused.message],
    ...refused.details.map(([element, text]): [string, string] => [element, text]),
  ]
  if (refused.accessKeyId !== undefined) elements.push(['AWSAccessKeyId', refused.accessKeyId])
  if (refused.stringToSign !== undefined) {
    elements.push(['StringToSign', refused.stringToSign])
    elements.push(['StringToSignBytes', hexBytes(refused.stringToSign)])
  }
  if (refused.canonicalRequest !== undefined) {
    elements.push(['CanonicalRequest', refused.canonicalRequest])
    elements.push(['CanonicalRequestBytes', hexBytes(refused.canonicalRequest)])
  }
  if (refused.signatureProvided !== undefined) {
    elements.push(['SignatureProvided', refused.signatureProvided])
  }
  return elements
}

function hexBytes(text: string): string {
  return Buffer.from(text, 'latin1')
    .toString('hex')
    .replace(/..(?=.)/g, '$& ')
}

/** An answer, and what was verified on the way to it. */
export interface Outcome {
  readonly answer: Answer
  readonly auth: RecordedAuth
}
