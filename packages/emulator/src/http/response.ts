import { errorXml } from './error-xml.ts'
import type { OwnBytes } from './own-bytes.ts'

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
