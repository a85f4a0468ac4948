import {
  type ApiKey,
  type AuthErrorCode,
  type AuthEvent,
  authFetch,
  type AuthScheme,
  createServiceAuth,
  type Fetch,
  type ServiceAuth,
  type ServiceAuthOptions,
  type SigV4Auth,
  type TokenAuth,
  type UserCredentials,
} from '@svc/service-auth'

declare const baseUrl: string
declare const user: UserCredentials
declare const apiKey: ApiKey
declare const options: ServiceAuthOptions

export const auth: ServiceAuth = createServiceAuth({ baseUrl, user })
export const scheme: AuthScheme = createServiceAuth({
  baseUrl: new URL(baseUrl),
  region: 'us-east-1',
  user: () => user,
  apiKey: async () => apiKey,
  session: 'own',
  store: undefined,
  onEvent: (event: AuthEvent) => console.log(event.type),
  tokenOptions: { loginTimeoutMs: 1000 },
  sigv4Options: { payload: 'signed' },
})
export const token: TokenAuth | undefined = auth.token
export const sigv4: SigV4Auth | undefined = auth.sigv4
export const serviceFetch: Fetch = authFetch(auth)
export const code: AuthErrorCode = 'ERR_AUTH_CREDENTIALS'

createServiceAuth(options)
// What was given is there.
export const ofUser: TokenAuth = createServiceAuth({ baseUrl, user }).token
export const ofProvider: TokenAuth = createServiceAuth({ baseUrl, user: () => user }).token
export const ofSignal: TokenAuth = createServiceAuth({
  baseUrl,
  user: async ({ signal }) => (signal.aborted ? user : user),
}).token
export const ofKey: SigV4Auth = createServiceAuth({ baseUrl, region: '', apiKey }).sigv4
export const ofKeys: SigV4Auth = createServiceAuth({
  baseUrl,
  user,
  apiKey: async () => apiKey,
}).sigv4
declare const maybe: UserCredentials | undefined
// @ts-expect-error -- there may be no user
await createServiceAuth({ baseUrl, user: maybe }).token.getToken()
// @ts-expect-error -- the options do not say if there is one
await createServiceAuth(options).token.getToken()
// @ts-expect-error -- there is no key
export const name: string = createServiceAuth({ baseUrl, user }).sigv4.name
// @ts-expect-error -- there is no such option
createServiceAuth({ baseUrl, user, regoin: 'us-east-1' })
// @ts-expect-error -- there is a base URL at least
createServiceAuth({ user })
// @ts-expect-error -- the names on the wire stay there
createServiceAuth({ baseUrl, user: { Username: 'reader', Password: 'hidden' } })
// @ts-expect-error -- there are two kinds of session
createServiceAuth({ baseUrl, user, session: 'mine' })
// @ts-expect-error -- there may be no user
await auth.token.getToken()
