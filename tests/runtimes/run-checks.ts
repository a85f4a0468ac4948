import type { Check } from './check.ts'
import type { CheckResult, Report } from './report.ts'

/** Runs checks one after the other, since they count what the service saw. */
export async function runChecks(checks: readonly Check[]): Promise<Report> {
  const results: CheckResult[] = []
  for (const check of checks) {
    const { name, client } = check
    const tried = client === undefined ? { name } : { name, client }
    try {
      results.push({ ...tried, outcome: (await check.run()) ?? 'passed' })
    } catch (error) {
      results.push({ ...tried, outcome: 'failed', error: chain(error).join(' ← ') })
    }
  }
  return results
}

function chain(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  return [String(error), ...(error.cause === undefined ? [] : chain(error.cause))]
}
