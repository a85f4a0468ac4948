// A server whose visitors each bring an account of their own: nobody gets the session of another.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { AuthError, authFetch, createTokenAuth, type UserCredentials } from '@svc/auth-token'
import { createEmulator } from '@svc/emulator'

// The emulator stands in for the service: use your own base URL.
const group = (name: string) => ({ id: name, name, permissions: [] })
const users = [
  { username: 'ann', password: 'not-a-secret-1', groups: [group('Reports')] },
  { username: 'bob', password: 'not-a-secret-2', groups: [group('Archive')] },
]
const emulator = createEmulator({ users })
const service = await emulator.listen()
const { baseUrl } = service

// A login for this visitor alone, that ends no session: a shared token proves no password. Also limit the attempts.
async function signIn(credentials: UserCredentials): Promise<string> {
  const auth = createTokenAuth({ baseUrl, credentials, session: 'own', uniqueSession: false })
  await auth.getToken()
  return 'signed in'
}

/** Uses the session of this very account and password, which lasts from request to request. */
async function readGroups(credentials: UserCredentials): Promise<string> {
  const auth = createTokenAuth({ baseUrl, credentials })
  const response = await authFetch(auth, { baseUrl })('/user/groups')
  if (!response.ok) throw new Error(`the service responded with ${response.status}`)
  return response.text()
}

// Your server keeps them in an encrypted cookie, or beside a session of its own.
function readCredentials(authorization = ''): UserCredentials {
  const [username = '', ...password] = atob(authorization.replace('Basic ', '')).split(':')
  return { username, password: password.join(':') }
}

const server = createServer(async ({ url, headers }, response) => {
  try {
    const credentials = readCredentials(headers.authorization)
    response.end(await (url === '/sign-in' ? signIn(credentials) : readGroups(credentials)))
  } catch (error) {
    response.writeHead(AuthError.is(error) && error.status === 401 ? 401 : 502).end()
  }
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

for (const path of ['/sign-in', '/groups', '/groups']) {
  const visitors = ['ann:not-a-secret-1', 'bob:not-a-secret-2', 'ann:a-wrong-password']
  for (const visitor of visitors) {
    const authorization = `Basic ${btoa(visitor)}`
    const response = await fetch(origin + path, { headers: { authorization } })
    console.log(path, visitor.slice(0, 3), response.status, await response.text())
  }
}
console.log(`${emulator.logins} logins`) // one of each sign-in, and one of each session
server.close()
await service.close()
