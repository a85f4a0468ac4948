import { abortable, nextTurn } from '@svc/auth-hooks/scheme'
import { describe, expect, test } from 'vitest'

describe('a wait that is aborted', () => {
  const late = (ms: number): Promise<string> =>
    new Promise((resolve) => setTimeout(() => resolve('came'), ms))

  test.each([
    ['by its caller', new Error('leaves')],
    ['by no error', 'reason'],
    ['by nothing', null],
    ['by an AbortError', new DOMException('leaves', 'AbortError')],
  ])('%s ends at once', async (_what, reason) => {
    const controller = new AbortController()
    const wait = abortable(late(5), controller.signal)
    let turns = 0
    nextTurn(() => (turns += 1))
    controller.abort(reason)
    await expect(wait).rejects.toBe(reason)
    expect(turns).toBe(0)
  })

  test('by a timeout takes what comes in the same turn', async () => {
    const controller = new AbortController()
    let come = (_value: string): void => {}
    const promise = new Promise<string>((resolve) => (come = resolve))
    const wait = abortable(promise, controller.signal)
    setImmediate(() => come('came'))
    controller.abort(new DOMException('late', 'TimeoutError'))
    expect(await wait).toBe('came')
  })

  test('by a timeout ends after that', async () => {
    const signal = AbortSignal.timeout(1)
    const error: unknown = await abortable(late(1000), signal).catch((reason: unknown) => reason)
    expect(error).toBe(signal.reason)
    expect(error).toMatchObject({ name: 'TimeoutError' })
  })

  test('by a timeout before it begins ends at once', async () => {
    const signal = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    await expect(abortable(Promise.resolve('came'), signal)).rejects.toBe(signal.reason)
  })
})
