import type { Step } from '@svc/auth-sigv4/inspect'
import type { Colours } from '../../output/colours.ts'
import { printable } from '../../output/text.ts'

/** The steps of a signature, as they are shown: texts in place of bytes, secrets shortened. */
export interface ShownSteps {
  readonly url: string
  readonly canonicalRequest: string
  readonly stringToSign: string
  readonly signedHeaders: string
  readonly payloadHash: string
  readonly signature: string
  readonly headers: Readonly<Record<string, string>>
}

/** A line of a step: its name, its text, and the number of the clause that it implements. */
type Line = readonly [name: string, text: string, clause: number]

/** Writes the steps of a signature for people, with the clauses that their lines refer to. */
export function formatSteps(
  { url, headers }: Pick<ShownSteps, 'url' | 'headers'>,
  steps: readonly Step[],
  clauses: readonly string[],
  { bold, dim, cyan }: Colours,
): string {
  const sections: readonly (readonly [title: string, lines: readonly Line[]])[] = [
    ...steps.map(({ title, lines }): [string, Line[]] => [
      title,
      lines.map(({ name, text, clause }): Line => [name, text, clauses.indexOf(clause) + 1]),
    ]),
    [
      'Headers that are sent',
      Object.entries(headers).map(([name, value]): Line => [name, value, clauses.length]),
    ],
  ]
  const blocks = sections.map(([title, lines]) => {
    const width = Math.max(...lines.map(([name]) => name.length))
    const rows = lines.map(([name, text, clause]) =>
      `  ${dim(`[${clause}]`)} ${cyan(name.padEnd(width))}  ${printable(text)}`.trimEnd(),
    )
    return [bold(title), ...rows].join('\n')
  })
  const list = clauses.map((clause, index) => dim(`  [${index + 1}] ${clause}`))
  return [`${bold('URL')}\n  ${url}`, ...blocks, [bold('Clauses'), ...list].join('\n')].join('\n\n')
}
