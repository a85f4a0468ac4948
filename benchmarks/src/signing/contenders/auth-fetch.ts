import { authFetch } from '@svc/auth-hooks'
import { authFetch as lightAuthFetch } from '@svc/auth-hooks/light'
import { createSigV4Auth, type SigningEngine } from '@svc/auth-sigv4'
import { origin } from '../case.ts'
import { apiKey, region } from '../environment.ts'
import { type Contender, type SentRequest, sentByFetch } from '../contender.ts'

/** Returns a contender that does everything but send: the inner `fetch` responds at once. */
export function throughAuthFetch(engine: SigningEngine): Contender {
  return contender('authFetch', authFetch, engine)
}

/** Returns the same with the `authFetch` of `@svc/auth-hooks/light`. */
export function throughLight(engine: SigningEngine): Contender {
  return contender('light authFetch', lightAuthFetch, engine)
}

function contender(
  name: string,
  create: typeof authFetch | typeof lightAuthFetch,
  engine: SigningEngine,
): Contender {
  return {
    name,
    role: 'ours',
    async prepare({ method, url, headers, body }) {
      const auth = createSigV4Auth({ baseUrl: origin, region, credentials: apiKey, engine })
      const init = { method, headers, ...(body !== undefined && { body }) }
      const response = new Response(null)
      const resolved = Promise.resolve(response)
      const send = create(auth, { fetch: () => resolved })
      return {
        sign: () => send(url, init),
        async sent() {
          let sent: SentRequest | undefined
          await create(auth, {
            async fetch(input, wireInit) {
              sent = sentByFetch(input, wireInit)
              return response
            },
          })(url, init)
          if (!sent) throw new Error('nothing was sent')
          return sent
        },
      }
    },
  }
}
