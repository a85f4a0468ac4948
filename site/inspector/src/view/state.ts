import type { RequestFields } from '../input/fields.ts'
import type { PastedKey } from '../input/pasted-request.ts'
import type { InputKind } from '../input/recognise.ts'

/** A text that is too long for a text area, kept beside it. */
export interface LargeText {
  readonly name: string
  readonly size: number
  readonly source: string | Blob
}

/** Everything that stands in the fields. */
export interface Entered {
  readonly kind: InputKind | 'auto'
  readonly text: string
  readonly large: LargeText | undefined
  readonly fields: RequestFields
  readonly entry: number | undefined
  readonly filter: string
  readonly key: PastedKey
  readonly response: string
}

/** The fields of a page that was just opened. */
export const nothingEntered: Entered = {
  kind: 'auto',
  text: '',
  large: undefined,
  fields: { method: 'GET', url: '', headers: '', body: '' },
  entry: undefined,
  filter: '',
  key: { accessKeyId: '', secretAccessKey: '', sessionToken: '', region: '', service: '' },
  response: '',
}

/** The longest text, and the most lines, that a text area shows without a pause. */
const largestShown = 32 * 1024
const mostLines = 1500

/** Tells if a text is too long for a text area. */
export function isLong(text: string): boolean {
  return text.length > largestShown || text.split('\n', mostLines + 1).length > mostLines
}

/** Writes a size for people. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} kB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
