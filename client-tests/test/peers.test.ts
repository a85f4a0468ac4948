import { expect, test } from 'vitest'
import { leaksOfPeers } from '../src/peers.ts'

test('bare clients take our headers along to another origin, and no adapter does', async () => {
  const leaks = await leaksOfPeers()
  const ownHeaders = ['x-svc-security-token', 'x-amz-security-token']
  for (const { bare } of leaks) expect(bare).toEqual(ownHeaders)
  for (const { withAdapter } of leaks) expect(withAdapter).toEqual([])
})
