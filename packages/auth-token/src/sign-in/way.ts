import { AuthError, Secret } from '@svc/auth-hooks'
import { abortable } from '@svc/auth-hooks/scheme'
import type { LoginResult } from '../login/login-function.ts'
import type { SignInClientOptions } from '../oauth2/sign-in.ts'
import { type OAuth2Client, readClient } from '../oauth2/client.ts'
import { grantLogin, readJson } from '../oauth2/grant-login.ts'
import { inTime, type Timers } from '../timers.ts'
import { following } from './waiting.ts'
import { shownCode, signInError, signInFailed } from './errors.ts'
import { writeKept } from './kept.ts'
import { clientOptions, type SignInSettings } from './options.ts'
import type { KeptRegistration } from './registration.ts'
import { type Place, type RegisteredClient, registerClient, type Sender } from './server.ts'

/** A way to ask the user: by a code on any device, or in a browser on this one. */
export interface Way {
  readonly method: 'device-code' | 'loopback'
  /** The function that asks, which tells a session with another one apart. */
  readonly prompt: object
  /** Asks the user, and resolves to the token and to the sign-in as it is kept. */
  ask(asking: Asking): Promise<LoginResult>
}

/** One question to the user. */
export interface Asking {
  /** The options of the client, as `refreshToken` got them. */
  readonly options: SignInClientOptions
  readonly settings: SignInSettings
  readonly timers: Timers
  /** The time that a request has, in milliseconds. */
  readonly requestMs: number
  readonly now: () => number
  readonly sender: Sender
  readonly registration: KeptRegistration
  /** Called when the user is shown something, with the instant until which that is good; without one if that failed. */
  readonly onAsked: (expiresAt: number | undefined) => void
  /** Called with each secret before it is sent. */
  readonly onSecret: (secret: string | undefined) => void
}

/** Notes the secrets that are sent now, beside the first one of a login: the server may repeat them in a message. */
export function noteSecrets(credentials: object, ...texts: readonly (string | undefined)[]): void {
  const { secrets } = credentials as { secrets: Secret[] }
  secrets.splice(1, Infinity, ...texts.map((text = '') => new Secret(text)))
}

/**
 * Calls the function of the program that asks the user. Settles only by its failure: nobody waits until a window is closed.
 *
 * @param name - That of the function.
 */
export async function askBy(
  { onAsked }: Asking,
  expiresAt: number,
  name: string,
  show: () => unknown,
  signal: AbortSignal,
): Promise<never> {
  onAsked(expiresAt)
  try {
    await show()
  } catch (cause) {
    onAsked(undefined)
    const other = name === 'open' ? '; where there is no browser, use deviceCode()' : ''
    throw signInFailed(`the user was not asked: ${name} failed, see cause${other}`, { cause })
  }
  return abortable(new Promise<never>(() => {}), signal)
}

/** Returns a sender whose requests end in time, whatever the server does. */
export function timely({
  timers,
  requestMs,
  sender,
}: Pick<Asking, 'timers' | 'requestMs' | 'sender'>): Sender {
  const { fetch, signal } = sender
  const what = `the authorization server did not respond within ${requestMs} ms (loginTimeoutMs)`
  const late = (): unknown => new AuthError('ERR_AUTH_LOGIN_TIMEOUT', `[@svc/auth-token] ${what}`)
  return {
    signal,
    fetch: (input, init) =>
      inTime(timers, requestMs, late, signal, (deadline) =>
        fetch(input, { ...init, signal: deadline }),
      ),
  }
}

/** Gives the user so many milliseconds for what is shown. */
export function inUserTime<Result>(
  { timers, sender, settings: { timeoutMs } }: Asking,
  ms: number,
  what: () => string,
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const left = Math.min(ms, timeoutMs)
  const late = (): unknown =>
    signInError(
      'ERR_AUTH_SIGN_IN_TIMEOUT',
      `${what()} within ${Math.round(left / 1000)} s: call again to ask anew`,
    )
  return inTime(timers, left, late, sender.signal, (deadline) => following([deadline], action))
}

/**
 * Completes the scopes to ask for: those that the program gives, or else those that the resource names. To the latter
 * comes the one for a refresh token, where the server has it: the resource does not know of that.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess
 */
export function withScope(asking: Asking, { server, scope: named }: Place): Asking {
  const { options, settings } = asking
  const { scope = named } = options
  const isNamed = settings.addsOffline === true || options.scope === undefined
  const scopes = scope?.split(' ') ?? []
  const isOffered = server.scopes_supported?.includes('offline_access')
  const isWanted = isNamed && scopes.length > 0 && !scopes.includes('offline_access')
  const all = isOffered && isWanted ? [...scopes, 'offline_access'].join(' ') : scope
  return { ...asking, options: { ...options, scope: all } }
}

/** Returns the client of a sign-in: that of the options, or one that is registered, now or at the last try. */
export async function findClient(
  { options, settings, sender, registration, onSecret }: Asking,
  place: Place,
  metadata: Readonly<Record<string, unknown>>,
): Promise<RegisteredClient> {
  const { clientId, scope } = options
  if (clientId !== undefined) return { clientId }
  const named = { client_name: settings.clientName, ...(scope !== undefined && { scope }) }
  const common = { ...named, token_endpoint_auth_method: 'none', application_type: 'native' }
  const about = JSON.stringify({ ...common, ...metadata })
  const kept = await registration.read(place.issuer)
  const isKept = kept?.about === about
  const client = isKept ? kept.client : await registerClient(place, about, sender)
  onSecret(client.clientSecret)
  if (!isKept) await registration.write({ issuer: place.issuer.href, about, client })
  return client
}

/** Returns a client as it is known at its server. */
export function clientAt(
  options: SignInClientOptions,
  { issuer, server, resource }: Place,
  client: RegisteredClient,
): OAuth2Client {
  const known = { ...clientOptions(options), issuer: server.issuer, ...client, resource }
  return { ...readClient({ ...known, tokenEndpoint: undefined }, issuer.origin), server }
}

/** The response of a token endpoint: a token, or its refusal. */
export type Exchanged = { readonly result: LoginResult } | Refusal

/** A refusal, by a code of OAuth. */
export interface Refusal {
  readonly refused: string
  readonly status?: number | undefined
}

/** Returns the function that exchanges a grant for a token. */
export function exchangeOf(
  { options, sender, onSecret }: Pick<Asking, 'options' | 'sender' | 'onSecret'>,
  place: Place,
  client: RegisteredClient,
  grant: string,
  parameters: Readonly<Record<string, string>>,
): () => Promise<Exchanged> {
  const { server, resource } = place
  const { code, device_code: deviceCode, code_verifier: verifier } = parameters
  for (const secret of [code, deviceCode, verifier]) onSecret(secret)
  const login = grantLogin(clientAt(options, place, client), grant, () => ({
    ...(resource !== undefined && { resource }),
    ...parameters,
  }))
  return async () => {
    const watched = watchRefusal(sender)
    const context = { ...watched.sender, credentials: { secrets: [] } }
    let result: LoginResult
    try {
      result = await login(context)
    } catch (error) {
      if (watched.refusal) return watched.refusal
      throw error
    }
    if (watched.refusal) return watched.refusal
    const { refreshToken } = result
    if (refreshToken === undefined) return { result }
    const kept = { refreshToken, issuer: server.issuer, ...client, resource }
    return { result: { ...result, refreshToken: writeKept(kept) } }
  }
}

interface Watched {
  readonly sender: Sender
  refusal?: Refusal | undefined
}

/** Returns a sender that notes how the last POST was refused. Some servers refuse with status 200. */
export function watchRefusal({ fetch, signal }: Sender): Watched {
  const watched: Watched = {
    sender: {
      signal,
      async fetch(input, init) {
        if (init?.method !== 'POST') return fetch(input, init)
        watched.refusal = undefined
        const response = await fetch(input, init)
        const { ok, status } = response
        const body = await readJson(response.clone())
        const { error } = body ?? {}
        const isRefused = !ok || (typeof error === 'string' && error !== '')
        watched.refusal = isRefused ? { refused: shownCode(error), status } : undefined
        return response
      },
    },
  }
  return watched
}

/** Returns the error of a grant that was refused for good. */
export function refusedFor(issuer: URL, { refused, status }: Refusal): AuthError {
  const about = `the authorization server ${issuer.origin}`
  if (refused === 'access_denied') {
    return signInError('ERR_AUTH_SIGN_IN_DENIED', `the sign-in at ${issuer.origin} was denied`, {
      status,
    })
  }
  if (refused === 'expired_token') {
    const what = `nobody signed in at ${issuer.origin} before the code ran out: call again for another`
    return signInError('ERR_AUTH_SIGN_IN_TIMEOUT', what, { status })
  }
  const remedy = remedies[refused] ?? 'see what it says about this code'
  return signInFailed(`${about} refused the sign-in with ${refused}: ${remedy}`, { status })
}

const remedies: Readonly<Record<string, string>> = {
  invalid_client: 'check clientId, and clientSecret if it has one',
  unauthorized_client: 'allow this client the flow there, or use the other one',
  unsupported_grant_type: 'it does not offer this flow: use the other one',
  invalid_scope: 'check scope',
  invalid_target: 'check resource',
  invalid_grant: 'what it gave was used or has run out: call again to ask anew',
}
