import { expect, test } from 'vitest'
import { hasCompatibility } from '../support/compatibility-page.ts'
import { peerTable } from './peer-table.ts'
import { leaksOfPeers } from './peers.ts'

test('bare clients take credentials along to another origin, and no adapter does', async () => {
  const leaks = await leaksOfPeers()
  const own = ['x-svc-security-token', 'x-amz-security-token']
  expect(leaks.map(({ bare }) => bare)).toEqual(leaks.map(() => own))
  for (const { withAdapter } of leaks) expect([[], 'refused']).toContainEqual(withAdapter)
  expect(await hasCompatibility('redirects', peerTable(leaks)), 'pnpm matrix').toBe(true)
})
