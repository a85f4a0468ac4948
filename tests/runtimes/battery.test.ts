import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { manyProcesses } from './battery/many-processes.ts'
import { oneProcess } from './battery/one-process.ts'

const workerFile = fileURLToPath(new URL('./battery/worker.ts', import.meta.url))

describe('a fault that others have', () => {
  test.each([...oneProcess, ...manyProcesses(workerFile)])(
    '$fault',
    { timeout: 30_000 },
    async ({ run, expected }) => {
      expect(await run()).toBe(expected)
    },
  )
})
