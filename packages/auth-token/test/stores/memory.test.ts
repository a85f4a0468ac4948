import { describe, expect, test } from 'vitest'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { tokenStoreConformance } from '@svc/auth-token/store-conformance'

describe('a store in memory', () => {
  const store = memoryTokenStore()
  const checks = tokenStoreConformance(() => store)
  test.concurrent.each(checks)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })

  test('refuses a clock that is none', () => {
    // What a caller without types may give.
    expect(() => memoryTokenStore(1 as never)).toThrow(
      new TypeError('[@svc/auth-token] memoryTokenStore: clock must be a function'),
    )
  })

  test('forgets a record when its time is over', async () => {
    let now = 0
    const timed = memoryTokenStore(() => now)
    const write = { fencingToken: 1, ttlMs: 1000 }
    await timed.lock('key', { owner: 'owner', ttlMs: 1000 })
    await timed.compareAndSwap('key', { generation: 1, sealed: 'one' }, write)
    now = 999
    expect(await timed.get('key')).toEqual({ generation: 1, sealed: 'one' })
    now = 1000
    expect(await timed.get('key')).toBeUndefined()
    expect(await timed.compareAndSwap('key', { generation: 1, sealed: 'two' }, write)).toBe(true)
  })
})
