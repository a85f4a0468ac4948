import process from 'node:process'
import { authFetch, type SharedTokenStore } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { redisTokenStore } from '@svc/auth-token/redis-store'
import { createClient } from 'redis'
import { batteryLogins } from './login.ts'
import type { Place, ToWorker, WorkerReport } from './worker-protocol.ts'

// One of several processes with the same user, told by its parent what to do.
const tell = (report: WorkerReport): void => void process.send?.(report)

process.on('message', (message: ToWorker) => {
  void work(message)
})
tell({ type: 'ready' })

async function work({ service, login, place, requests, isVictim }: ToWorker): Promise<void> {
  const { store, close } = await open(place)
  const auth = batteryLogins[login].createAuth(service, {
    store,
    onEvent({ type }) {
      // It holds the lock now; whatever it does next is too late.
      if (isVictim && type === 'login.start') {
        tell({ type: 'logging-in' })
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000)
      }
    },
  })
  const fetch = authFetch(auth)
  let left = requests
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const outcome = await fetch(new URL('/user/groups', service)).then(
        async (response) => {
          await response.text()
          return String(response.status)
        },
        (error: unknown) => String(error),
      )
      tell({ type: 'ended', outcome })
    }
  }
  await Promise.all(Array.from({ length: 5 }, lane))
  await close()
  process.disconnect()
}

async function open(
  place: Place,
): Promise<{ store: SharedTokenStore; close: () => Promise<void> }> {
  if (place.kind === 'file') {
    return { store: fileTokenStore({ path: place.path }), close: async () => {} }
  }
  const client = createClient({ url: place.url })
  client.on('error', () => {})
  await client.connect()
  return { store: redisTokenStore(client), close: () => client.close() }
}
