import type { MeasuredApplication } from './measure-size.ts'

/** The most that an application may grow by what it imports. */
export interface SizeLimit extends MeasuredApplication {
  readonly name: string
  limitBytes: number
}

/** The report of a check: a size and a line for each limit, and the verdict. */
export interface SizeReport {
  readonly results: readonly number[]
  readonly lines: readonly string[]
  readonly isGood: boolean
}

/** Measures everything that has a limit, and marks each size that exceeds its own. */
export async function checkSizes(
  limits: readonly SizeLimit[],
  measure: (application: MeasuredApplication) => Promise<number>,
): Promise<SizeReport> {
  const results = await Promise.all(limits.map((limit) => measure(limit)))
  const exceeds = ({ limitBytes }: SizeLimit, index: number): boolean =>
    (results[index] ?? 0) > limitBytes
  const lines = limits.map((limit, index) => {
    const mark = exceeds(limit, index) ? '✗' : '✓'
    return `${mark} ${limit.name}: ${results[index]} of ${limit.limitBytes} bytes`
  })
  return { results, lines, isGood: !limits.some(exceeds) }
}

/** Returns a limit that leaves 2 % above a size, in tens of bytes. */
export function limitFor(bytes: number): number {
  return Math.ceil((bytes * 1.02) / 10) * 10
}
