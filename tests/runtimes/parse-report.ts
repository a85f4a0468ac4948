import { brokenReport, type CheckResult, type Report } from './report.ts'

/** Reads the report that a runtime printed; what is none becomes a failure. */
export function parseReport(text: string): Report {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value) && value.length > 0 && value.every(isCheckResult)) return value
  } catch {
    // The last line tells of it.
  }
  return brokenReport(`no report, but: ${text.trim()}`)
}

function isCheckResult(value: unknown): value is CheckResult {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'outcome' in value &&
    (value.outcome === 'passed' || value.outcome === 'refused' || value.outcome === 'failed')
  )
}
