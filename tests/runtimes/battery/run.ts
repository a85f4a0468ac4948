import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { batteryColumns } from './columns.ts'
import { bundleBattery, nodes, outcomesOn } from './each-node.ts'
import { readme, withBatteryTable } from './table.ts'

// Runs the battery on each Node and writes its table into the README, where all is as expected.
const battery = await bundleBattery()
const columns = batteryColumns(battery.worker)
const scenarios = columns.flatMap(({ column, scenarios: own }) =>
  own.map((scenario) => ({ ...scenario, column })),
)
let isGood = true
for (const [name, path] of Object.entries(nodes)) {
  if (!existsSync(path)) {
    console.log(`${name}  skipped: not for this platform`)
    continue
  }
  const outcomes = await outcomesOn(path, battery)
  const differing = scenarios.flatMap(({ column, fault, expected }, n) => {
    const came = outcomes[n] ?? 'nothing'
    return came === expected
      ? []
      : [`  ✗ ${column}: ${fault}\n    expected ${expected}\n    came     ${came}`]
  })
  const passed = scenarios.length - differing.length
  console.log(`${name}  ${passed} as expected, ${differing.length} not`)
  for (const line of differing) console.log(line)
  isGood &&= differing.length === 0
}
if (isGood) await writeFile(readme, withBatteryTable(await readFile(readme, 'utf8'), columns))
else process.exitCode = 1
