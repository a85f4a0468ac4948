// Lets many processes and hosts share one login through Redis. Needs one: REDIS_URL says where.
import { once } from 'node:events'
import { authFetch, createTokenAuth, type TokenAuth } from '@svc/auth-token'
import { redisTokenStore } from '@svc/auth-token/redis-store'
import { createEmulator, defaultUsers } from '@svc/emulator'
import { createClient } from 'redis'

// The emulator stands in for the service: use your own base URL and user.
const emulator = createEmulator()
const service = await emulator.listen()

const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'
// The error of Node would show it whole, with its password.
if (!URL.canParse(url)) throw new TypeError('REDIS_URL is no URL')
const redis = createClient({ url })
redis.on('error', (error: Error) => console.error(`Redis: ${error.message}`))
void redis.connect()
// Ends this where there is no Redis, which was told above; by itself the client tries for ever.
await once(redis, 'ready').catch(() => process.exit(1))

/** What each process does at its start. */
function startProcess(name: string): TokenAuth {
  return createTokenAuth({
    baseUrl: service.url,
    credentials: defaultUsers[0],
    // What is kept there is sealed: who reads Redis learns no token, who writes to it plants none.
    store: redisTokenStore(redis),
    onEvent: ({ type }) => {
      if (type === 'login.ok' || type === 'token.adopted') console.log(`${name}: ${type}`)
    },
  })
}

// Two processes, one after the other: the second takes the token that the first has put there.
for (const name of ['first', 'second']) {
  const fetch = authFetch(startProcess(name))
  const response = await fetch(new URL('/user/groups', service.url))
  console.log(`${name}: ${response.status}`)
}
console.log(`${emulator.logins} login`)

await redis.close()
await service.close()
