// Serves several accounts from one process: each has its own session, and tokens never mix.
import { authFetch, createTokenAuth, type UserCredentials } from '@svc/auth-token'
import { createEmulator, defaultUsers } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import { objectGroups } from '@svc/types/schemas'
import { parse } from 'valibot'

// The emulator stands in for the service: use your own base URL and users.
const emulator = createEmulator()
const service = await emulator.listen()
const accounts: readonly UserCredentials[] = defaultUsers

const clients = new Map<string, Fetch>()

/** Returns an account's client. It is kept, because the session and its token live in it. */
function clientOf(account: UserCredentials): Fetch {
  const key = JSON.stringify([account.parentUid, account.username])
  const known = clients.get(key)
  if (known) return known
  const client = authFetch(createTokenAuth({ baseUrl: service.url, credentials: account }))
  clients.set(key, client)
  return client
}

async function groupNames(account: UserCredentials): Promise<string> {
  const response = await clientOf(account)(new URL('/user/groups', service.url))
  if (!response.ok) throw new Error(`${account.username}: ${response.status}`)
  const groups = parse(objectGroups, await response.json())
  return groups.map(({ name }) => name).join(', ')
}

// All at once, each account twice: one login for each account.
const calls = [...accounts, ...accounts].map(async (account) => {
  return `${account.username}: ${await groupNames(account)}`
})
for (const line of await Promise.all(calls)) console.log(line)
console.log(`${emulator.logins} logins`)

await service.close()
