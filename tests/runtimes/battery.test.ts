import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import { atNight, isNightly } from '../support/nightly.ts'
import { hasRedisServer } from '../support/redis-server.ts'
import { batteryColumns } from './battery/columns.ts'
import { type BundledBattery, bundleBattery, nodes, outcomesOn } from './battery/each-node.ts'
import { readme, withBatteryTable } from './battery/table.ts'

const workerFile = join(import.meta.dirname, 'battery/worker.ts')
const columns = batteryColumns(workerFile)
const allExpected = columns.flatMap(({ scenarios }) => scenarios.map(({ expected }) => expected))

// The rest of an OAuth 2.0 session is the same, so that by day what needs several processes or many callers is enough once.
describe.each(columns.slice(0, atNight(undefined, 1)))(
  'a fault that others have, $column',
  ({ scenarios }) => {
    test.each(scenarios)('$fault', async ({ run, expected }) => {
      expect(await run()).toBe(expected)
    })
  },
)

describe.runIf(isNightly).concurrent('the same faults', () => {
  let battery: BundledBattery
  beforeAll(async () => {
    battery = await bundleBattery()
  })

  const others = Object.entries(nodes).filter(([, path]) => path !== process.execPath)
  for (const [name, path] of others) {
    const isThere = hasProgram(name, [path, '--version'], 'an install on Linux with x64')
    test.skipIf(!isThere)(`have the same outcomes on ${name}`, { timeout: 150_000 }, async () => {
      const outcomes = await outcomesOn(path, battery)
      expect(outcomes).toEqual(allExpected)
    })
  }
})

test.skipIf(!hasRedisServer())('the table in the guide is that of these faults', async () => {
  const document = await readFile(readme, 'utf8')
  expect(withBatteryTable(document, columns)).toBe(document)
})
