import type { RecordedAuth } from './recorder.ts'

/** An HTTP response of the emulator, before it becomes a `Response` or goes out on a socket. */
export interface EmulatorResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: OwnBytes
}

// `slice` returns these; TypeScript before 5.7 knows no `Uint8Array<ArrayBuffer>`.
/** Bytes in memory that is not shared. */
export type OwnBytes = ReturnType<Uint8Array['slice']>

/** A response, with the verification that led to it. */
export interface RouteResult {
  readonly response: EmulatorResponse
  readonly auth: RecordedAuth
}

/** Makes a response without a body. */
export function emptyResponse(
  status: number,
  headers: EmulatorResponse['headers'] = {},
): EmulatorResponse {
  return { status, headers, body: new Uint8Array() }
}

/** Makes a response in JSON. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: EmulatorResponse['headers'] = {},
): EmulatorResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: new TextEncoder().encode(JSON.stringify(value)),
  }
}

/** Makes a response in XML from the text of its root element. */
export function xmlResponse(
  root: string,
  status = 200,
  headers: EmulatorResponse['headers'] = {},
): EmulatorResponse {
  return {
    status,
    headers: { 'content-type': 'application/xml', ...headers },
    body: new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>\n${root}`),
  }
}

/** Makes a response of an object store, from the name of its XML and what is in it. */
export function storeResponse(name: string, content: string): EmulatorResponse {
  return xmlResponse(
    `<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`,
  )
}

/** Makes an error response of an object store, from the elements of its XML. */
export function xmlErrorResponse(
  status: number,
  elements: XmlElements,
  headers: EmulatorResponse['headers'] = {},
): EmulatorResponse {
  return xmlResponse(`<Error>${xmlElements(elements)}</Error>`, status, headers)
}

/** Makes the response to a method that this resource does not have. */
export function methodNotAllowed(allow: string): EmulatorResponse {
  return xmlErrorResponse(
    405,
    [
      ['Code', 'MethodNotAllowed'],
      ['Message', 'The specified method is not allowed against this resource.'],
    ],
    { allow },
  )
}

/** Tells if responses of this status never have content (RFC 9110, section 6.4.1). */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

type XmlElements = readonly (readonly [element: string, text: string])[]

/** Writes one element after the other, each with its text. */
export function xmlElements(elements: XmlElements): string {
  return elements.map(([element, text]) => `<${element}>${escapeXml(text)}</${element}>`).join('')
}

const xmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // A parser turns a bare carriage return into a line feed.
  '\r': '&#13;',
}

function escapeXml(text: string): string {
  return (
    text
      .replace(/[&<>"'\r]/g, (character) => xmlEscapes[character] ?? character)
      // XML 1.0 has no way to write these.
      .replace(/\p{Cc}/gu, (character) => (isXmlCharacter(character) ? character : '\ufffd'))
  )
}

// The C1 controls are allowed; of the others only tab and line feed reach this line.
function isXmlCharacter(control: string): boolean {
  return control === '\t' || control === '\n' || control >= '\u007f'
}
