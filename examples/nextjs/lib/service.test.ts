import { defaultUsers } from '@svc/emulator'
import { test } from '@svc/emulator/vitest'
import { expect, vi } from 'vitest'
import { readGroups } from './service'

// Both are there in Next.js alone: the guard of the server, and the visit to wait for.
vi.mock('server-only', () => ({}))
vi.mock('next/server', () => ({ connection: async () => {} }))

test('groups are read', async ({ service }) => {
  vi.stubEnv('SERVICE_URL', service.baseUrl)
  vi.stubEnv('SERVICE_ACCESS_KEY_ID', 'EMULATORCLIENTKEY')
  vi.stubEnv('SERVICE_SECRET_ACCESS_KEY', 'not-a-secret-emulator-key')
  expect(await readGroups(defaultUsers[0])).toHaveLength(2)
})
