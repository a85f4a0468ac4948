// Sends through the global dispatcher of an undici, by undici's own functions and by Node's `fetch`.
import { authInterceptor } from '@svc/auth-hooks/undici'
import { createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers } from '@svc/emulator'

const [, , name, composed] = process.argv
const emulator = createEmulator()
const service = await emulator.listen()
const groups = new URL('/user/groups', service.url)
// Node makes a dispatcher of its own when its `fetch` is used first.
const statuses = [(await fetch(groups)).status]

const undici = await import(name)
const auth = createTokenAuth({ baseUrl: service.url, credentials: defaultUsers[0] })
const dispatcher = composed === 'a new Agent' ? new undici.Agent() : undici.getGlobalDispatcher()
undici.setGlobalDispatcher(dispatcher.compose(authInterceptor(auth)))

const causes = []
try {
  statuses.push((await fetch(groups)).status)
  emulator.revokeTokens()
  statuses.push((await fetch(groups)).status)
  statuses.push((await undici.request(groups)).statusCode)
  statuses.push((await undici.fetch(groups)).status)
} catch (error) {
  for (let cause = error; cause; cause = cause.cause) causes.push(cause.message)
}
console.log(JSON.stringify({ statuses, logins: emulator.logins, causes }))
await service.close()
process.exit()
