// Logs in as a subaccount user, who must name the primary account it belongs to.
import { AuthError, authFetch, createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers } from '@svc/emulator'

// The emulator stands in for the service: use your own base URL and user.
const service = await createEmulator().listen()
const [, { username, password, parentUid }] = defaultUsers

const auth = createTokenAuth({
  baseUrl: service.url,
  // Called at each login: read your vault or your environment here.
  credentials: async () => ({ username, password, parentUid }),
})
const serviceFetch = authFetch(auth, { baseUrl: service.url })

// The first request logs in. Its token serves all later ones, for up to 24 hours.
const response = await serviceFetch('/user/groups')
console.log(`${response.status}, the session is ${auth.inspect().state}`)

// Without `parentUid` the service does not know the user.
const incomplete = createTokenAuth({ baseUrl: service.url, credentials: { username, password } })
try {
  await incomplete.getToken()
} catch (error) {
  if (!AuthError.is(error)) throw error
  const pauseSeconds = Math.round(((error.retryAt ?? 0) - Date.now()) / 1000)
  // Until then no login is sent, so that a wrong password does not lock the account.
  console.log(`${error.code}, ${error.status}, next login in ${pauseSeconds} s at the earliest`)
}

await service.close()
