import { inspect, styleText } from 'node:util'
import type { StepResult } from './step.ts'
import { type Column, formatTable } from './table.ts'

const columns: readonly Column[] = [
  { heading: 'Step', maxWidth: 26 },
  { heading: 'Client', maxWidth: 6 },
  { heading: 'Request as sent', maxWidth: 34 },
  { heading: 'Scheme', maxWidth: 6 },
  { heading: 'Headers added', maxWidth: 44 },
  { heading: 'Status', maxWidth: 6 },
]

/** Formats the table of all steps, with one row for each request that reached the service. */
export function formatSteps(results: readonly StepResult[], useColour: boolean): string {
  const rows = results.flatMap(({ step, exchanges, isAsExpected }, index) => {
    const title = `${isAsExpected ? '✓' : '✗'} ${step.title}`
    const blank = index === 0 ? [] : [['']]
    if (exchanges.length === 0) {
      return [...blank, [title, step.client, '(nothing was sent)', '–', '–', '–']]
    }
    return [
      ...blank,
      ...exchanges.map(({ request, scheme, added, status }, attempt) => {
        const [first, client] = attempt === 0 ? [title, step.client] : ['', '']
        return [first, client, request, scheme, added, status]
      }),
    ]
  })
  return formatTable(columns, rows, (text, column, row) => {
    if (!useColour) return text
    const paint = (format: Parameters<typeof styleText>[0]): string =>
      // The caller decides about colour, not the stream that happens to be there.
      styleText(format, text, { validateStream: false })
    if (row === 'heading') return paint('bold')
    if (column === 0) return text.startsWith('✗') ? paint('red') : text
    if (column === 3) return paint('cyan')
    if (column === 4) return paint('dim')
    if (column === 5) return paint(text.startsWith('2') ? 'green' : 'yellow')
    return text
  })
}

/** Formats the expected and the actual outcome of a step. */
export function formatFailure({ step, actual }: StepResult): string {
  const show = (value: unknown): string =>
    inspect(value, { depth: 6, colors: false, breakLength: 100 })
  return `✗ ${step.title} (${step.client})\nexpected ${show(step.expected)}\nactual   ${show(actual)}`
}
