import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'
import { commandRuntime } from './command-runtime.ts'
import { startHost } from './host.ts'
import type { Report } from './report.ts'
import type { Runtime } from './runtime.ts'
import { workerdRuntime } from './workerd-runtime.ts'

const inPackage = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
const entry = inPackage('src/command.ts')
const fromSource = async (): Promise<string[]> => ['--conditions=@svc/source', entry]

/** Node 20 does not take TypeScript. */
const fromBundle = async (): Promise<string[]> => {
  const folder = inPackage('node_modules/.cache/runtime-tests')
  const path = `${folder}/command.mjs`
  await mkdir(folder, { recursive: true })
  await writeFile(path, await bundle('./command.ts', 'node'))
  return [path]
}

const runtimes: readonly Runtime[] = [
  commandRuntime('Node 20', inPackage('node_modules/node20/bin/node'), fromBundle),
  commandRuntime('Node 22', inPackage('node_modules/node22/bin/node'), fromSource),
  commandRuntime('Node 24', inPackage('../node_modules/.bin/node'), fromSource),
  commandRuntime('Node 26', inPackage('node_modules/node26/bin/node'), fromSource),
  commandRuntime('Bun', inPackage('node_modules/.bin/bun'), fromSource),
  commandRuntime('Deno', inPackage('node_modules/.bin/deno'), async () => [
    'run',
    '--no-lock',
    '--no-config',
    '--node-modules-dir=manual',
    '--allow-net',
    '--allow-read',
    '--allow-env',
    ...(await fromSource()),
  ]),
  workerdRuntime(),
]

const isRequired = process.env['REQUIRE_SERVICES'] === '1'
let isGood = true
for (const runtime of runtimes) {
  isGood = (await tell(runtime)) && isGood
}
if (!isGood) process.exitCode = 1

async function tell(runtime: Runtime): Promise<boolean> {
  const print = (version: string, outcome: string): void => {
    console.log(`${runtime.name.padEnd(8)}  ${version.padEnd(10)}  ${outcome}`)
  }
  let version: string
  try {
    version = await runtime.version()
  } catch (error) {
    print('', `skipped: ${firstLine(error)}`)
    return !isRequired
  }
  const startedAt = performance.now()
  const { passed, failures } = await runOnHost(runtime)
  const elapsed = `${Math.round(performance.now() - startedAt)} ms`
  print(version, `${passed} passed, ${failures.length} failed  ${elapsed.padStart(8)}`)
  for (const failure of failures) console.log(`  ✗ ${failure}`)
  return failures.length === 0 && passed > 0
}

async function runOnHost(runtime: Runtime): Promise<Report> {
  const host = await startHost()
  try {
    return await runtime.run(host)
  } catch (error) {
    return { passed: 0, failures: [String(error)] }
  } finally {
    await host.close()
  }
}

function firstLine(error: unknown): string {
  return String(error).split('\n', 1).join()
}
