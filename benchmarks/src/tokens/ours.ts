import { readRequest } from '@svc/auth-hooks/read-request'
import { authFetch, createTokenAuth, type TokenAuth } from '@svc/auth-token'
import { type TokenContender, url } from './token-contender.ts'

const resolved = Promise.resolve(new Response(null))
const head = { status: 200, headers: new Headers() }

/** Our session, asked for its token. */
export const ourGetToken: TokenContender = {
  name: 'getToken, authFetch',
  open(logIn) {
    const auth = createAuth(logIn)
    const send = authFetch(auth, { fetch: () => resolved })
    return { token: () => auth.getToken(), send: () => send(url) }
  },
}

/** Our session as the kernel uses it: it authorizes a request and reviews the response. */
export const ourAuthorize: TokenContender = {
  name: 'authorize and review',
  open(logIn) {
    const auth = createAuth(logIn)
    const request = readRequest(auth, url, undefined)
    return {
      async token() {
        const authorization = await auth.authorize(await request)
        return authorization.review?.(head)
      },
    }
  },
}

function createAuth(logIn: () => Promise<string>): TokenAuth {
  return createTokenAuth({
    baseUrl: url.replace('/user/groups', ''),
    credentials: { username: 'user', password: 'not-a-secret' },
    fetch: async () => Response.json({ Token: await logIn() }),
  })
}
