import { authFetch } from '@svc/auth-hooks'
import { authFetch as lightAuthFetch } from '@svc/auth-hooks/light'
import { createTokenAuth, type TokenAuth } from '@svc/auth-token'
import { type TokenContender, url } from './token-contender.ts'

const resolved = Promise.resolve(new Response(null))

/** Our session with each of our two `authFetch`. */
export const ourTokenContenders: readonly TokenContender[] = [
  {
    name: 'authFetch',
    open(logIn) {
      const send = authFetch(createAuth(logIn), { fetch: () => resolved })
      return { send: () => send(url) }
    },
  },
  {
    name: 'light authFetch',
    open(logIn) {
      const send = lightAuthFetch(createAuth(logIn), { fetch: () => resolved })
      return { send: () => send(url) }
    },
  },
]

function createAuth(logIn: () => Promise<string>): TokenAuth {
  return createTokenAuth({
    baseUrl: url.replace('/user/groups', ''),
    credentials: { username: 'user', password: 'not-a-secret' },
    session: 'own',
    fetch: async () => Response.json({ Token: await logIn() }),
  })
}
