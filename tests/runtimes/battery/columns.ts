import { batteryLogins } from './login.ts'
import { manyProcesses } from './many-processes.ts'
import { oneProcess } from './one-process.ts'
import type { FaultScenario } from './scenario.ts'

/** The battery with one login. */
export interface BatteryColumn {
  readonly column: string
  readonly scenarios: readonly FaultScenario[]
}

/**
 * Returns the battery with each login; all have the same faults.
 *
 * @param workerFile - The module of a worker, in a form that this Node takes.
 */
export function batteryColumns(workerFile: string): readonly BatteryColumn[] {
  return (['service', 'oauth'] as const).map((name) => {
    const login = batteryLogins[name]
    return {
      column: login.column,
      scenarios: [...oneProcess(login), ...manyProcesses(workerFile, name)],
    }
  })
}
