import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTokenAuth, type SharedTokenStore } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { isNightly } from '../../../../tests/support/nightly.ts'
import { withCheapSeals } from '../support/time.ts'

const folderStore = async () => {
  const path = await mkdtemp(join(tmpdir(), 'svc-auth-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return fileTokenStore({ path })
}

test.each<
  [count: number, where: string, open: () => Promise<SharedTokenStore>, clock: () => number]
>([
  [
    isNightly ? 1500 : 500,
    'in memory',
    async () => memoryTokenStore(),
    withCheapSeals(() => Date.now()),
  ],
  [isNightly ? 150 : 80, 'in files', folderStore, withCheapSeals(() => Date.now())],
  // In earnest: a key takes some 50 ms of a processor, and the files of a user some more.
  [isNightly ? 1500 : 20, 'in memory, sealed', async () => memoryTokenStore(), () => Date.now()],
  [isNightly ? 1500 : 20, 'in files, sealed', folderStore, () => Date.now()],
])(
  '%i first users of a store %s get in at once by a login each',
  { timeout: 240_000 },
  async (count, _where, open, clock) => {
    const users = Array.from({ length: count }, (_, index) => `user-${index}`)
    const store = await open()
    const logins = new Map<string, number>()
    const tokens = await Promise.all(
      users.map((username) =>
        createTokenAuth({
          baseUrl: 'https://search.example.com',
          credentials: { username, password: 'a password' },
          store,
          clock,
          fetch: async () => {
            logins.set(username, (logins.get(username) ?? 0) + 1)
            return Response.json({ Token: username })
          },
        }).getToken(),
      ),
    )
    expect(tokens).toEqual(users)
    expect([...logins.values()]).toEqual(users.map(() => 1))
  },
)
