import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { parseReport } from '../parse-report.ts'
import type { Runtime } from '../runtime.ts'
import { bundleApp, checkingApp, hermes } from './app-bundle.ts'
import { runApp } from './native-side.ts'

const execute = promisify(execFile)

/** React Native's JavaScript, bundled by Metro, in the Hermes engine. */
export function hermesRuntime(): Runtime {
  return {
    name: 'React Native (Hermes)',
    async version() {
      const { stdout } = await execute(hermes, ['--version'])
      return /release version: (\S+)/.exec(stdout)?.[1] ?? stdout.trim()
    },
    async run(addresses) {
      const bundle = await bundleApp('checks', { 'index.js': await checkingApp() })
      return parseReport(JSON.stringify(await runApp(bundle, addresses)))
    },
  }
}
