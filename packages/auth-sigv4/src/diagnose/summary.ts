import type { Difference, Finding } from './diagnosis.ts'
import { printable } from './text.ts'

/** More lines than this help nobody. */
const maxDifferences = 12

/** How much of a line is shown. */
const maxCharacters = 160

/** Writes up what was found in plain lines: what it means, the lines below each other, the causes. */
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
