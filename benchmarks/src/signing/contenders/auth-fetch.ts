import { authFetch, createSigV4Auth, type SigningEngine } from '@svc/auth-sigv4'
import { origin } from '../case.ts'
import { apiKey, region } from '../environment.ts'
import { type Contender, type SentRequest, sentByFetch } from '../contender.ts'

/** Returns a contender that does everything but send: the inner `fetch` responds at once. */
export function throughAuthFetch(engine: SigningEngine): Contender {
  return {
    name: `authFetch, ${engine.name}`,
    role: 'ours',
    async prepare({ method, url, headers, body }) {
      const auth = createSigV4Auth({ baseUrl: origin, region, credentials: apiKey, engine })
      const init = { method, headers, ...(body !== undefined && { body }) }
      const response = new Response(null)
      const resolved = Promise.resolve(response)
      const send = authFetch(auth, { fetch: () => resolved })
      return {
        sign: () => send(url, init),
        async sent() {
          let sent: SentRequest | undefined
          await authFetch(auth, {
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

/** Returns the same without an inner `fetch`, in a job whose platform has one that responds at once. */
export function throughPlatformFetch(engine: SigningEngine): Contender {
  const { name, role, prepare } = throughAuthFetch(engine)
  return {
    name: `${name}, the platform's fetch`,
    role,
    async prepare(given) {
      const { method, url, headers, body } = given
      const auth = createSigV4Auth({ baseUrl: origin, region, credentials: apiKey, engine })
      const init = { method, headers, ...(body !== undefined && { body }) }
      const send = authFetch(auth)
      return { ...(await prepare(given)), sign: () => send(url, init) }
    },
  }
}
