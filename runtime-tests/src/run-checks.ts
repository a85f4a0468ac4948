import type { Check } from './check.ts'
import type { Report } from './report.ts'

/** Runs checks one after the other, since they count what the service saw. */
export async function runChecks(checks: readonly Check[]): Promise<Report> {
  const failures: string[] = []
  for (const check of checks) {
    try {
      await check.run()
    } catch (error) {
      failures.push(`${check.name}: ${chain(error).join(' ← ')}`)
    }
  }
  return { passed: checks.length - failures.length, failures }
}

function chain(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  return [String(error), ...(error.cause === undefined ? [] : chain(error.cause))]
}
