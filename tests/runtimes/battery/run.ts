import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { bundle } from '../bundle.ts'
import { manyProcesses } from './many-processes.ts'
import { oneProcess } from './one-process.ts'
import { withBatteryTable } from './table.ts'

// Runs the battery on each Node and writes its table into the README; with --check, compares.
const execute = promisify(execFile)
const { values } = parseArgs({ options: { check: { type: 'boolean' } } })
const inTests = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const readme = inTests('../packages/auth-token/README.md')
const nodes = {
  'Node 20': inTests('node_modules/node20/bin/node'),
  'Node 22': inTests('node_modules/node22/bin/node'),
  'Node 24': process.execPath,
  'Node 26': inTests('node_modules/node26/bin/node'),
}

const [command, worker] = await Promise.all([module('command'), module('worker')])
const scenarios = [...oneProcess, ...manyProcesses(worker)]
let isGood = true
for (const [name, path] of Object.entries(nodes)) {
  if (!existsSync(path)) {
    console.log(`${name}  skipped: not for this platform`)
    isGood &&= process.env['REQUIRE_SERVICES'] !== '1'
    continue
  }
  const { stdout } = await execute(path, [command, worker], { timeout: 120_000 })
  const outcomes: unknown = JSON.parse(stdout)
  const differing = scenarios.flatMap(({ fault, expected }, n) => {
    const came = Array.isArray(outcomes) ? String(outcomes[n]) : 'nothing'
    return came === expected ? [] : [`  ✗ ${fault}\n    expected ${expected}\n    came     ${came}`]
  })
  const passed = scenarios.length - differing.length
  console.log(`${name}  ${passed} as expected, ${differing.length} not`)
  for (const line of differing) console.log(line)
  isGood &&= differing.length === 0
}

const before = await readFile(readme, 'utf8')
const after = withBatteryTable(before, scenarios)
if (isGood && !values.check) await writeFile(readme, after)
else if (isGood && after !== before) {
  console.log('The table in the README of @svc/auth-token is not that of the battery: pnpm battery')
  isGood = false
}
if (!isGood) process.exitCode = 1

/** A module of this folder in a form that every Node takes. */
async function module(name: string): Promise<string> {
  const folder = inTests('node_modules/.cache/battery')
  const path = `${folder}/${name}.mjs`
  await mkdir(folder, { recursive: true })
  await writeFile(path, await bundle(`./battery/${name}.ts`, 'node'))
  return path
}
