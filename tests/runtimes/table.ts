import { markdownTable } from '../support/markdown-table.ts'
import type { RuntimeRun } from './run-all.ts'

const symbols = { passed: '✓', refused: 'refused', failed: '✗' } as const

/** Checks by runtimes. A cell is empty where a check is of no meaning in a runtime. */
export function runtimeTable(runs: readonly RuntimeRun[]): string {
  // Those of every runtime first, then what only a page or a worker can show.
  const names = new Set(
    runs.flatMap(({ checks }) => checks.filter((each) => !each.client).map(({ name }) => name)),
  )
  const rows = [...names].map((name) => {
    const cells = runs.map(({ checks }) => {
      const check = checks.find((candidate) => candidate.name === name)
      return check ? symbols[check.outcome] : ''
    })
    return [name].concat(cells)
  })
  return markdownTable([['', ...runs.map(({ name }) => name)], ...rows])
}
