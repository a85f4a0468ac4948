import { createSigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { origin } from '../case.ts'
import { apiKey, region } from '../environment.ts'
import type { Contender } from '../contender.ts'
import { floorName } from './floor-name.ts'

/** The mathematics alone, with WebCrypto. */
export const webFloor: Contender = {
  name: floorName,
  role: 'floor',
  async prepare({ method, url, headers, body }) {
    const auth = createSigV4Auth({ baseUrl: origin, region, credentials: apiKey })
    const init = { method, headers, ...(body !== undefined && { body }) }
    const { canonicalRequest, stringToSign } = await explain(auth, url, init)
    const encoder = new TextEncoder()
    const bytes = typeof body === 'string' ? encoder.encode(body) : body
    const canonicalBytes = encoder.encode(canonicalRequest)
    const toSign = encoder.encode(stringToSign)
    const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    return {
      async sign() {
        if (bytes !== undefined) await crypto.subtle.digest('SHA-256', bytes)
        await crypto.subtle.digest('SHA-256', canonicalBytes)
        return crypto.subtle.sign('HMAC', key, toSign)
      },
    }
  },
}
