import type { HarSummary } from '../input/har.ts'
import type { InputKind } from '../input/recognise.ts'
import type { PastedKey } from '../input/pasted-request.ts'
import type { RequestFields } from '../input/fields.ts'

/** Everything that a person gave, to be inspected. */
export interface InspectionTask {
  readonly kind: InputKind | 'auto'
  readonly text: string
  readonly fields: RequestFields
  /** The entry of a HAR that was chosen. */
  readonly entry: number | undefined
  /** Narrows the list of entries down. */
  readonly filter: string
  readonly key: PastedKey
  /** The server's response to the request, or its body alone. */
  readonly response: string
  /** The time, in epoch milliseconds. */
  readonly now: number
}

/** The result of an inspection, as it is shown: no text of it holds a secret. */
export type Inspection =
  | { readonly type: 'empty' }
  | FailedInspection
  | HarInspection
  | RequestInspection
  | TokenInspection

/** A text that could not be read. */
export interface FailedInspection {
  readonly type: 'failed'
  readonly kind: InputKind
  readonly message: string
  /** The field that the fault is in. */
  readonly where: 'request' | 'response' | 'key'
}

/** The entries of a HAR, to choose from. */
export interface HarInspection {
  readonly type: 'har'
  readonly total: number
  readonly found: number
  readonly list: readonly HarSummary[]
}

/** A line of a step, with the server's own where it is another one. */
export interface ShownLine {
  readonly name: string
  /** The name of the line in a diagnosis, such as `header host`. */
  readonly line: string
  readonly text: string
  readonly clause: string
  /** The line as the server has it; `undefined` where it is the same, or not known. */
  readonly theirs?: string
  /** The usual cause of the difference. */
  readonly hint?: string
}

/** A step of the signature. */
export interface ShownStep {
  readonly title: string
  readonly lines: readonly ShownLine[]
}

/** A result of a check, which a person reads first. */
export interface Finding {
  /** `right` and `wrong` are proven; `open` needs a key or a response. */
  readonly outcome: 'right' | 'wrong' | 'open'
  /** The verdict of `diagnose`; `undefined` where there was no response to diagnose. */
  readonly verdict: string | undefined
  readonly title: string
  readonly meaning: string
  /** Remarks and remedies, in sentences. */
  readonly remarks: readonly string[]
}

/** Returns a finding that is proven to be wrong. */
export function wrong(title: string, meaning: string, remarks: readonly string[] = []): Finding {
  return { outcome: 'wrong', verdict: undefined, title, meaning, remarks }
}

/** Returns a finding that nothing proves. */
export function open(title: string, meaning: string, remarks: readonly string[] = []): Finding {
  return { outcome: 'open', verdict: undefined, title, meaning, remarks }
}

/** A row of a table: a name, its value, its meaning. */
export interface ShownRow {
  readonly name: string
  readonly value: string
  readonly meaning: string
}

/** A request that was taken apart. */
export interface RequestInspection {
  readonly type: 'request'
  readonly kind: InputKind
  readonly form: 'header' | 'query' | 'unsigned'
  readonly method: string
  readonly url: string
  readonly findings: readonly Finding[]
  /** What the signature tells of itself. */
  readonly facts: readonly ShownRow[]
  /** The parameters of a presigned URL. */
  readonly parameters: readonly ShownRow[]
  readonly steps: readonly ShownStep[]
  /** The differences that belong to no line of the steps. */
  readonly otherLines: readonly ShownLine[]
  /** The signature that the request bears, and the one that the key gives; each empty where there is none. */
  readonly signature: { readonly borne: string; readonly computed: string }
  readonly notes: readonly string[]
  /** `true` if what was pasted holds a value that others should not see. */
  readonly hasSecrets: boolean
}

/** A token that was taken apart. It is never verified. */
export interface TokenInspection {
  readonly type: 'token'
  readonly kind: InputKind
  readonly findings: readonly Finding[]
  readonly header: readonly ShownRow[]
  readonly claims: readonly ShownRow[]
  readonly lifetime: readonly ShownRow[]
  readonly notes: readonly string[]
  readonly hasSecrets: true
}

/** The most characters of a line that are shown. */
const maxShown = 4000

/** Cuts a text that is too long to be shown. */
export function cut(text: string, atMost: number = maxShown): string {
  if (text.length <= atMost) return text
  return `${text.slice(0, atMost).replace(/\p{Cs}/gu, '\ufffd')}… (${text.length - atMost} more characters are not shown)`
}
