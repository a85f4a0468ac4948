import { expect, test } from 'vitest'
import { internalsOf, inTime } from './testing.ts'

const { timers } = internalsOf(undefined)

test('an action whose signal has aborted before is not begun', async () => {
  let isBegun = false
  const reason = new Error('given up')
  const outcome = inTime(
    timers,
    1000,
    () => undefined,
    AbortSignal.abort(reason),
    () => {
      isBegun = true
    },
  )
  await expect(outcome).rejects.toBe(reason)
  expect(isBegun).toBe(false)
})
