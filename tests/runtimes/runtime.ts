import type { Addresses } from './addresses.ts'
import type { Report } from './report.ts'

/** A runtime that the checks can be run in. */
export interface Runtime {
  readonly name: string
  /** Its version; rejects where it is not installed. */
  version(): Promise<string>
  run(addresses: Addresses): Promise<Report>
}
