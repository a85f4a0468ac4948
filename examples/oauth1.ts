// Signs requests with OAuth 1.0a (RFC 5849), which NetSuite, WooCommerce and others still ask for.
import { createHmac, randomUUID } from 'node:crypto'
import { authFetch } from '@svc/auth-hooks'
import { matchOrigins } from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'
import OAuth from 'oauth-1.0a'
import { verifyOAuth1 } from './stand-ins/oauth1-verifier.ts'
import { startVerifier } from './stand-ins/signed-requests.ts'

interface Pair {
  readonly key: string
  readonly secret: string
}

/** Signs the method, the address and the parameters of each request; a form has some in its body. */
function createOAuth1Auth(baseUrl: string, consumer: Pair, token: Pair): AuthScheme {
  const oauth = new OAuth({
    consumer,
    signature_method: 'HMAC-SHA1',
    hash_function: (text, key) => createHmac('sha1', key).update(text).digest('base64'),
  })
  // The library's own comes from Math.random.
  oauth.getNonce = randomUUID
  return {
    name: 'oauth1',
    covers: matchOrigins([baseUrl], '[example] oauth1', 'baseUrl'),
    async authorize({ method, url, headers, body }) {
      const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
      const form = isForm && body ? new TextDecoder().decode(await body.bytes()) : ''
      const data: Record<string, string[]> = {}
      // Read here: the library takes a plus sign in a query for itself, and not for a space.
      for (const [name, value] of [...url.searchParams, ...new URLSearchParams(form)]) {
        ;(data[name] ??= []).push(value)
      }
      const signed = oauth.authorize({ method, url: url.origin + url.pathname, data }, token)
      const { Authorization } = oauth.toHeader(signed)
      return { scheme: 'oauth1', headers: [['authorization', Authorization]] }
    },
  }
}

// It stands in for the service, and shares no code with the library.
const consumer = { key: 'dpf43f3p2l4k3l03', secret: 'not-a-secret-of-the-program' }
const token = { key: 'nnch734d00sl2jdk', secret: 'not-a-secret-of-the-user' }
const service = await startVerifier((request) => verifyOAuth1(request, consumer, token))
const serviceFetch = authFetch(createOAuth1Auth(service.origin, consumer, token), {
  baseUrl: service.origin,
})

const body = new URLSearchParams(['z', 'a', 'z'].map((name) => [name, 'größer & 1+1']))
for (const response of [
  await serviceFetch('/photos?size=original&file=a+b%2Bc.jpg&size=%C3%A9'),
  await serviceFetch('/photos', { method: 'POST', body }),
  await serviceFetch('/photos', { method: 'PUT', body: 'no form' }),
]) {
  console.log(response.status, await response.text())
}
service.close()
