import { Readable } from 'node:stream'
import type { BodyKind, Case } from './case.ts'
import { paths } from './server/respond.ts'

/** The body of one call. */
export interface MadeBody {
  readonly value: unknown
  /** The number of its bytes, where the caller can know it. */
  readonly length?: number
}

/** The class of forms that a client knows. */
export type FormClass = new () => FormData

/**
 * Makes a body for one call. Its bytes are requests themselves, so that a server which takes them for such answers
 * them.
 */
export function makeBody(kind: BodyKind, id: string, Form: FormClass = FormData): MadeBody {
  const text = smuggled(id).repeat(2)
  const bytes = Buffer.from(text)
  // Each stream hands over a part, waits a turn, and hands over the next.
  const parts = [bytes.subarray(0, 20), bytes.subarray(20, 70), bytes.subarray(70)]
  switch (kind) {
    case 'none':
      return { value: undefined, length: 0 }
    case 'empty text':
      return { value: '', length: 0 }
    case 'text':
      return { value: text, length: bytes.length }
    case 'bytes':
      return { value: new Uint8Array(bytes), length: bytes.length }
    case '500 KB':
      return { value: new Uint8Array(500_000).fill(0x7e), length: 500_000 }
    case 'URLSearchParams':
      return {
        value: new URLSearchParams({ q: 'a b', of: 'form' }),
        length: 'q=a+b&of=form'.length,
      }
    case 'FormData':
      return { value: formOf(text, Form) }
    case 'Blob':
      return { value: new Blob([bytes], { type: 'text/csv' }), length: bytes.length }
    case 'web stream':
      return { value: Readable.toWeb(Readable.from(turns(parts))), length: bytes.length }
    case 'Node stream':
      return { value: Readable.from(turns(parts), { objectMode: false }), length: bytes.length }
    default:
      return { value: turns(parts), length: bytes.length }
  }
}

/** The framing headers that the caller of a case sets. */
export function framingHeaders(
  { framing }: Case,
  { length = 0 }: MadeBody,
): Record<string, string> {
  const chunked = { 'transfer-encoding': 'chunked' }
  switch (framing) {
    case 'none':
      return {}
    case 'right length':
      return { 'content-length': `${length}` }
    case 'too long':
      return { 'content-length': `${length + 7}` }
    case 'too short':
      return { 'content-length': `${Math.max(0, length - 7)}` }
    case 'chunked':
      return chunked
    default:
      return { 'content-length': `${length}`, ...chunked }
  }
}

function smuggled(id: string): string {
  return `GET /${id}${paths.smuggled} HTTP/1.1\r\nhost: h\r\n\r\n`
}

function formOf(text: string, Form: FormClass): FormData {
  const form = new Form()
  form.append('field', 'a value')
  form.append('file', new Blob([text], { type: 'text/csv' }), 'file.csv')
  return form
}

async function* turns(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    yield part
    await new Promise(setImmediate)
  }
}
