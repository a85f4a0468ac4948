import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { manyProcesses } from '../src/battery/many-processes.ts'
import { oneProcess } from '../src/battery/one-process.ts'

const workerFile = fileURLToPath(new URL('../src/battery/worker.ts', import.meta.url))

describe('a fault that others have', () => {
  test.each([...oneProcess, ...manyProcesses(workerFile)])(
    '$fault',
    { timeout: 30_000 },
    async ({ run, expected }) => {
      expect(await run()).toBe(expected)
    },
  )
})
