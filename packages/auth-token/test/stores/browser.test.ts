import { describe, expect, test } from 'vitest'
import { browserTokenStore } from '@svc/auth-token/browser-store'
import { tokenStoreConformance } from '@svc/auth-token/store-conformance'

describe('a store in the memory of tabs', () => {
  const open = () => browserTokenStore({ name: 'conformance', answerMs: 50 })
  const stores = [open(), open()]
  let turn = 0
  const checks = tokenStoreConformance(() => stores[(turn += 1) % 2] ?? open())
  test.concurrent.each(checks)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})
