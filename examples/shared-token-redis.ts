// Lets many processes and hosts share one login through Redis, which REDIS_URL points to.
import { once } from 'node:events'
import { authFetch, createTokenAuth, type TokenAuth } from '@svc/auth-token'
import { redisTokenStore } from '@svc/auth-token/redis-store'
import { createEmulator, defaultUsers } from '@svc/emulator'
import { createClient } from 'redis'

// The emulator stands in for the service: use your own base URL and user.
const emulator = createEmulator()
const service = await emulator.listen()

const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'
// Node's own error would show the whole URL, password included.
if (!URL.canParse(url)) throw new TypeError('REDIS_URL is not a URL')
const redis = createClient({ url })
redis.on('error', (error: Error) => console.error(`Redis: ${error.message}`))
void redis.connect()
// Exits if there is no Redis, as reported above; by itself the client would retry forever.
await once(redis, 'ready').catch(() => process.exit(1))

/** Does the same as each process at its start. */
function startProcess(name: string): TokenAuth {
  return createTokenAuth({
    baseUrl: service.url,
    credentials: defaultUsers[0],
    // Only here: in one process, both would be one session without a store.
    session: 'own',
    // Records are sealed: whoever reads Redis learns no token, and whoever writes to it plants none.
    store: redisTokenStore(redis),
    onEvent: ({ type }) => {
      if (type === 'login.ok' || type === 'token.adopted') console.log(`${name}: ${type}`)
    },
  })
}

// Two processes, one after the other: the second uses the token that the first stored.
for (const name of ['first', 'second']) {
  const serviceFetch = authFetch(startProcess(name), { baseUrl: service.url })
  const response = await serviceFetch('/user/groups')
  console.log(`${name}: ${response.status}`)
}
console.log(`${emulator.logins} login`)

await redis.close()
await service.close()
