import { startHost } from './host.ts'
import { brokenReport, type Report } from './report.ts'
import type { Runtime } from './runtime.ts'
import { runtimes } from './runtimes.ts'

/** The outcomes of the checks in one runtime, or why they were not run in it. */
export type RuntimeResult = RuntimeRun | SkippedRuntime

/** A runtime that the checks were run in. */
export interface RuntimeRun {
  readonly name: string
  readonly version: string
  readonly elapsedMs: number
  readonly checks: Report
}

/** A runtime that is not installed. */
export interface SkippedRuntime {
  readonly name: string
  /** Why, in one line. */
  readonly skipped: string
}

/** The command that installs a runtime, where it is no package of npm's. */
const installs: Readonly<Record<string, string>> = {
  Chromium: 'apt-get install chromium',
  'Web Worker': 'apt-get install chromium',
  'React Native (Hermes)': 'pnpm react-native',
}

/**
 * Runs the checks in every runtime, one after the other.
 *
 * @param onResult - Is told of each result as soon as it is there.
 */
export async function runAll(
  onResult: (result: RuntimeResult) => void = () => {},
): Promise<RuntimeResult[]> {
  const results: RuntimeResult[] = []
  for (const runtime of runtimes) {
    const result = await runOne(runtime)
    onResult(result)
    results.push(result)
  }
  return results
}

/** Runs the checks in one runtime. */
export async function runOne(runtime: Runtime): Promise<RuntimeResult> {
  const { name } = runtime
  let version: string
  try {
    version = await runtime.version()
  } catch (error) {
    const reason = String(error).split('\n', 1).join()
    return {
      name,
      skipped: `${name} is missing (${reason}); get it with: ${installs[name] ?? 'pnpm install'}`,
    }
  }
  const startedAt = performance.now()
  const checks = await runOnHost(runtime)
  return { name, version, elapsedMs: Math.round(performance.now() - startedAt), checks }
}

async function runOnHost(runtime: Runtime): Promise<Report> {
  const host = await startHost()
  try {
    return await runtime.run(host)
  } catch (error) {
    return brokenReport(error)
  } finally {
    await host.close()
  }
}
