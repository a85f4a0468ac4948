import {
  AuthError,
  type AuthErrorCode,
  type AuthEvent,
  authFetch,
  authKy,
  authorizeRequest,
  type AuthScheme,
  createDigestAuth,
  type DigestAuth,
  type DigestAuthOptions,
  type DigestCredentials,
  type DigestHashes,
  type DigestHashName,
  type DigestReport,
  type Fetch,
} from '@svc/auth-digest'
import { nobleHashes } from '@svc/auth-digest/noble'
import type * as hooks from '@svc/auth-hooks'
import { type Challenge, readAuthParameters, readChallenges } from '@svc/auth-hooks/challenge'

const credentials: DigestCredentials = { username: 'reader', password: 'a password' }
const hashes: DigestHashes = nobleHashes()
const options: DigestAuthOptions = { baseUrl: 'https://a.example', credentials, hashes }
const auth: DigestAuth = createDigestAuth({ ...options, credentials: async () => credentials })

// One install has all that a caller names, and it is the same as that of the hooks.
export const same: hooks.AuthScheme = auth
export const scheme: AuthScheme = auth
export const serverFetch: Fetch = authFetch(auth, { fetch: (input) => fetch(input) })
export const kyOptions: hooks.KyAuth = authKy(auth)
export const request: Promise<Request> = authorizeRequest(auth, 'https://a.example')
export const report: DigestReport = auth.inspect()
export const typeOf = (event: AuthEvent): hooks.AuthEvent['type'] => event.type
export const codeOf = (error: unknown): AuthErrorCode | undefined =>
  AuthError.is(error) ? error.code : undefined
export const name: DigestHashName = 'SHA-512-256'

export const found: readonly Challenge[] = readChallenges('Digest realm="a"')
export const realm: string | undefined = found[0]?.parameters.get('realm')
export const next: string | undefined = readAuthParameters('nextnonce="a"').get('nextnonce')

// @ts-expect-error -- an option that there is not
createDigestAuth({ ...options, algorithm: 'MD5' })
