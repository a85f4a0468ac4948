import { createEmulator } from '@svc/emulator'
import { expect, test } from 'vitest'
import { formatFailure, formatSteps } from '../../examples/demo/report.ts'
import type { DemoStep } from '../../examples/demo/step.ts'
import { takeStep } from '../../examples/demo/take-step.ts'

const step: DemoStep = {
  title: 'Nothing is sent',
  client: 'fetch',
  send: () => Promise.resolve('result'),
  expected: { result: 'another', exchanges: [], freshCredentials: true, logins: 0 },
}

test('a step that comes out otherwise is told with what was expected and what came', async () => {
  const result = await takeStep(createEmulator(), [], step)
  expect(result.isAsExpected).toBe(false)
  expect(formatFailure(result)).toMatch(/expected .*another[\s\S]*actual .*result/)
  expect(formatSteps([result], false)).toContain('✗ Nothing is sent')
})

test('colour is added where it is asked for', async () => {
  const result = await takeStep(createEmulator(), [], step)
  expect(formatSteps([result], true)).toContain('\u001B[31m')
})
