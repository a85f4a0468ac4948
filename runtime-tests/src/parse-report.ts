import type { Report } from './report.ts'

/** Reads the report that a runtime printed; what is none becomes a failure. */
export function parseReport(text: string): Report {
  try {
    const value: unknown = JSON.parse(text)
    if (isReport(value)) return value
  } catch {
    // What follows tells of it.
  }
  return { passed: 0, failures: [`no report, but: ${text.trim()}`] }
}

function isReport(value: unknown): value is Report {
  return (
    typeof value === 'object' &&
    value !== null &&
    'passed' in value &&
    typeof value.passed === 'number' &&
    'failures' in value &&
    Array.isArray(value.failures)
  )
}
