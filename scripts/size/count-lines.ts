import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../release/repository.ts'

/** The most lines that sources may have. */
export interface LineLimit {
  readonly name: string
  /** Folders and files, from the root of the repository. */
  readonly sources: readonly string[]
  /**
   * Folders and files in these that do not count, since they stand behind an import of their own.
   *
   * @default none
   */
  readonly without?: readonly string[]
  readonly limitLines: number
}

/** Counts the lines of all sources that have a limit, and marks each count that exceeds its own. */
export function checkLines(
  limits: readonly LineLimit[],
  root: string = repository,
): { readonly lines: readonly string[]; readonly isGood: boolean } {
  const counts = limits.map((limit) => countLines(limit, root))
  const lines = limits.map(({ name, limitLines }, index) => {
    const count = counts[index] ?? 0
    return `${count > limitLines ? '✗' : '✓'} ${name}: ${count} of ${limitLines} lines`
  })
  return {
    lines,
    isGood: limits.every(({ limitLines }, index) => (counts[index] ?? 0) <= limitLines),
  }
}

function countLines({ sources, without = [] }: LineLimit, root: string): number {
  const isWithin = (path: string, folder: string): boolean =>
    path === folder || path.startsWith(`${folder}/`)
  const files = sources.flatMap((source) =>
    source.endsWith('.ts') ? [source] : globSync(`${source}/**/*.ts`, { cwd: root }),
  )
  return files
    .filter((path) => !without.some((folder) => isWithin(path, folder)))
    .reduce((sum, path) => sum + readFileSync(join(root, path), 'utf8').split('\n').length - 1, 0)
}
