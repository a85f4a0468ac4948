import { readRequest } from '@svc/auth-hooks/read-request'
import { createSigV4Auth, type SigningEngine } from '@svc/auth-sigv4'
import { origin } from '../case.ts'
import { apiKey, region } from '../environment.ts'
import { type Contender, sentByFetch } from '../contender.ts'

/** Returns a contender that only runs our scheme, with the request as the kernel reads it. */
export function throughAuthorize(engine: SigningEngine): Contender {
  return {
    name: 'authorize',
    role: 'ours',
    async prepare({ method, url, headers, body = null }) {
      const auth = createSigV4Auth({ baseUrl: origin, region, credentials: apiKey, engine })
      const request = await readRequest(auth, url, { method, headers, body })
      return {
        sign: () => auth.authorize(request),
        async sent() {
          const authorization = await auth.authorize(request)
          const added = authorization.headers.filter(([, value]) => value !== null)
          // Those that are left have a value.
          const all = [...request.headers, ...(added as (readonly [string, string])[])]
          return sentByFetch(authorization.url ?? url, { method, headers: Object.fromEntries(all) })
        },
      }
    },
  }
}
