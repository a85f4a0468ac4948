import { printable } from './text.ts'

/**
 * The conclusion of a diagnosis.
 *
 * | verdict | meaning |
 * |---|---|
 * | `canonical-request` | the server computed a different canonical request; `differences` lists the lines; or a presigned URL is not the one that was presigned, and there are none |
 * | `string-to-sign` | the canonical requests agree; date, region or service do not |
 * | `secret-or-key` | everything the server shows agrees, so that the secret is another one, or it does not know or accept the key |
 * | `clock` | the request is too old or too new for the server, or its presigned URL has expired |
 * | `region` | the server wants another region |
 * | `payload` | the body that arrived is not the one that was hashed |
 * | `unknown` | the server returned nothing to compare, or refused for another reason; or all lines agree, and the signature that `readSignature` read may be of another form |
 */
export type Verdict =
  | 'canonical-request'
  | 'string-to-sign'
  | 'secret-or-key'
  | 'clock'
  | 'region'
  | 'payload'
  | 'unknown'

/** A line that differs between the two sides. */
export interface Difference {
  /**
   * The name of the line: `method`, `path`, `query`, `header host` (any header by its name),
   * `signed headers`, `payload hash`; of the string to sign `algorithm`, `date`, `scope date`, `region`,
   * `service`, `scope end`, `canonical request hash`; besides these `access key`, `signature`, `expiry`,
   * `digest`.
   */
  line: string
  /** The line as signed here; empty if there is none. A secret value is shortened. */
  ours: string
  /** The line as the server has it; empty if there is none. A secret value is shortened. */
  theirs: string
  /** The usual cause of the difference, and the remedy. */
  hint: string
}

/** The reason for which a signature was refused, as far as the server's response shows. */
export interface Diagnosis {
  /** The conclusion; see {@link Verdict}. */
  verdict: Verdict
  /** The lines that differ, in the order of the canonical request. */
  differences: Difference[]
  /**
   * The message of the server's error: at most 300 characters, control characters escaped, secret values
   * shortened. {@link summary} holds it too.
   *
   * @default none, if the response has no message
   */
  serverMessage?: string
  /** The diagnosis in a few plain lines, for a log or a terminal. */
  summary: string
}

/** A conclusion before it is written up. */
export interface Finding {
  readonly verdict: Verdict
  /** The conclusion in one sentence. */
  readonly meaning: string
  readonly differences?: readonly Difference[]
  /** Further remarks. */
  readonly notes?: readonly string[]
}

/** The most lines that are shown. */
const maxDifferences = 12

/** The most that is shown of a line. */
const maxCharacters = 160

/** Writes a finding up in plain lines: its meaning, the lines below each other, the causes. */
export function summarize(
  status: number,
  code: string,
  { meaning, differences, notes }: Required<Finding>,
  moreNotes: readonly string[],
): string {
  const head = printable(`${status} ${code}`.trim().slice(0, 100))
  const paragraphs = [
    `${head}: ${printable(meaning)}`,
    ...differences.slice(0, maxDifferences).map(paragraph),
    ...(differences.length > maxDifferences
      ? [`And ${differences.length - maxDifferences} more.`]
      : []),
  ]
  const remarks = [...notes, ...moreNotes].map(printable)
  if (remarks.length > 0) paragraphs.push(remarks.join('\n'))
  return paragraphs.join('\n\n')
}

function paragraph({ line, ours, theirs, hint }: Difference): string {
  const from = windowStart(ours, theirs)
  return [
    printable(line.slice(0, maxCharacters)),
    `  ours:   ${excerpt(ours, from)}`,
    `  theirs: ${excerpt(theirs, from)}`,
    `  ${printable(hint.slice(0, 1000))}`,
  ].join('\n')
}

// Long lines begin shortly before they part, on both sides at the same place.
function windowStart(ours: string, theirs: string): number {
  if (Math.max(ours.length, theirs.length) <= maxCharacters) return 0
  let index = 0
  while (index < ours.length && ours[index] === theirs[index]) index += 1
  return Math.max(0, index - maxCharacters / 4)
}

function excerpt(value: string, from: number): string {
  if (value === '') return '(none)'
  const end = from + maxCharacters
  const text = printable(value.slice(from, end))
  return `${from > 0 ? '…' : ''}${text}${end < value.length ? '…' : ''}`
}
