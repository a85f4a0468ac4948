import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SharedTokenStore } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { redisTokenStore } from '@svc/auth-token/redis-store'
import { createClient } from 'redis'
import { hasRedisServer, startRedis } from '../../support/redis-server.ts'
import type { AccountName } from '../plan/operation.ts'

/** The stores of the accounts that have several sessions. */
export interface Stores {
  readonly of: Readonly<Partial<Record<AccountName, SharedTokenStore>>>
  /** The store that the account `redis` really has. */
  readonly redis: 'Redis' | 'memory, as there is no redis-server'
  /** Lists locks, and files that should not be there: none, as long as no login is made. */
  leftovers(): Promise<string[]>
  close(): Promise<void>
}

/** Starts a Redis and makes a folder. */
export async function openStores(clock: () => number): Promise<Stores> {
  const folder = await mkdtemp(join(tmpdir(), 'soak-'))
  const file = fileTokenStore({ path: join(folder, 'tokens'), clock })
  const leftoverFiles = () => leftoverFilesIn(join(folder, 'tokens'))
  const removeFolder = () => rm(folder, { recursive: true })
  if (!hasRedisServer()) {
    return {
      of: { file, redis: memoryTokenStore(clock) },
      redis: 'memory, as there is no redis-server',
      leftovers: leftoverFiles,
      close: removeFolder,
    }
  }
  const server = await startRedis()
  const client = createClient({ url: server.url })
  client.on('error', () => {})
  await client.connect()
  return {
    of: { file, redis: redisTokenStore(client) },
    redis: 'Redis',
    async leftovers() {
      return [...(await leftoverFiles()), ...(await client.keys('*:lock'))]
    },
    async close() {
      client.destroy()
      await server.stop()
      await removeFolder()
    },
  }
}

/** The name of a state says which files it has: that of a record, and none of a lock. */
async function leftoverFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map(({ name }) => name)
  const states = files.filter((name) => name.startsWith('state.'))
  const records = new Set(states.map((name) => name.split('.')[2]))
  return files.filter((name) =>
    name.startsWith('state.') ? !name.endsWith('.none') : !records.has(name),
  )
}
