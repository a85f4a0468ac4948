import { authFetch, createSessionAuth, type TokenAuth } from '@svc/auth-token'
import { dpop, type DpopOptions } from '@svc/auth-token/dpop'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { clientCredentials } from '@svc/auth-token/oauth2'
import { stepUp } from '@svc/auth-token/step-up'
import type { Addresses } from './addresses.ts'
import { equal, rejectsWith } from './assert.ts'
import type { Check } from './check.ts'

/** Returns a session of a client at the service with OAuth. */
export function oauthSession(
  { control }: Addresses,
  clientId: string,
  own: object,
  more: object = {},
): TokenAuth {
  const client = { issuer: control, tokenEndpoint: `${control}/oauth/token`, clientId }
  const login = clientCredentials({ ...client, clientSecret: 'not-a-secret', ...own })
  return createSessionAuth({ baseUrl: control, ...login, ...more })
}

/** Returns checks of DPoP and of step-up. They need Web Crypto. */
export function createOAuthChecks(addresses: Addresses): readonly Check[] {
  const { control } = addresses
  const bound = (clientId: string, options: DpopOptions = {}, more: object = {}): TokenAuth =>
    oauthSession(addresses, clientId, { dpop: dpop(options) }, more)
  const ofItself = bound('key-of-the-session')
  const store = memoryTokenStore()
  const stored = [1, 2].map(() => bound('key-in-a-store', {}, { store, session: 'own' }))
  const widened = stepUp({
    scope: 'read',
    session: (wanted) => oauthSession(addresses, 'step-up', wanted),
  })
  const generate = async (): Promise<CryptoKeyPair> =>
    crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])

  /** Sends ten requests at once, which must all be served, and returns the logins and challenges of the client so far. */
  const countsOfTen = async (auth: TokenAuth, path: string): Promise<string> => {
    const send = authFetch(auth, { baseUrl: control })
    const calls = Array.from({ length: 10 }, async (_, index) => {
      const response = await send(`${path}?at=${index}`, { method: 'PUT', body: `größer ${index}` })
      const text = await response.text()
      equal(response.status, 200, 'status')
      equal(text.endsWith(`\ngrößer ${index}`), true, `the body in ${text}`)
      return text.split('\n', 1).join('')
    })
    return (await Promise.all(calls)).at(-1) ?? ''
  }

  return [
    {
      name: 'ten callers with DPoP cost one login and one challenge for the nonce',
      async run() {
        equal(await countsOfTen(ofItself, '/oauth/bound/a'), '1 1', 'logins and challenges')
        equal(await countsOfTen(ofItself, '/oauth/bound/b'), '1 1', 'logins and challenges')
      },
    },
    {
      name: 'a key of DPoP in a store is that of another session too',
      async run() {
        for (const auth of stored) {
          equal(await countsOfTen(auth, '/oauth/bound/a'), '1 1', 'logins and challenges')
        }
      },
    },
    {
      name: 'a key pair of the program signs the proofs of DPoP, unless it is of two keys',
      async run() {
        const [one, other] = [await generate(), await generate()]
        const own = bound('key-of-the-program', { keyPair: one })
        equal(await countsOfTen(own, '/oauth/bound/a'), '1 1', 'logins and challenges')
        const { privateKey } = one
        const mixed = { keyPair: { privateKey, publicKey: other.publicKey } }
        await rejectsWith(bound('two-keys', mixed).getToken(), 'ERR_AUTH_CREDENTIALS')
      },
    },
    {
      name: 'ten callers that lack a scope cost one more login',
      async run() {
        const [before] = (await countsOfTen(widened, '/oauth/scope/read')).split(' ')
        equal(before ?? '', '1', 'logins')
        const [after] = (await countsOfTen(widened, '/oauth/scope/write')).split(' ')
        equal(after ?? '', '2', 'logins')
      },
    },
  ]
}
