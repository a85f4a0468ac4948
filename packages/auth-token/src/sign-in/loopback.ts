import * as oauth from 'oauth4webapi'
import type { LoginResult } from '../login/login-function.ts'
import { nameOf } from '../oauth2/client.ts'
import { wrongServer } from '../oauth2/grant-login.ts'
import type { IssuerBy } from '../oauth2/sign-in.ts'
import type { Answer } from './answer-page.ts'
import { type Callback, type CallbackServer, openCallbackServer } from './callback-server.ts'
import { shownCode, signInFailed } from './errors.ts'
import { isSafeUrl } from './safe-url.ts'
import { type Endpoints, findPlace, type Place } from './server.ts'
import { following, pause } from './waiting.ts'
import {
  askBy,
  type Asking,
  exchangeOf,
  findClient,
  inUserTime,
  refusedFor,
  timely,
  type Way,
  withScope,
} from './way.ts'

/** The time that a browser has to read the answer. */
const answerMs = 1000

/** Opens an address in a browser. */
export type Open = (url: string, about: { readonly issuer: string }) => unknown

export interface LoopbackSettings {
  readonly open: Open
  readonly redirect: URL
  /** The `prompt` of OpenID Connect. */
  readonly prompts: string | undefined
  readonly endpoints: Endpoints
}

/**
 * Asks in a browser on this machine, which comes back to a port of this process.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 * @see https://www.rfc-editor.org/rfc/rfc7636#section-4
 */
export function loopbackWay({ open, redirect, prompts, endpoints }: LoopbackSettings): Way {
  return {
    method: 'loopback',
    prompt: open,
    async ask(asked) {
      const sender = timely(asked)
      const found = await findPlace(asked.options, endpoints, sender)
      const given = withScope(asked, found)
      const asking = { ...given, sender }
      assertOffered(found)
      return following([given.sender.signal], async (signal) => {
        const state = oauth.generateRandomState()
        const server = await openForClient(asking, found, redirect, state)
        const close = (): void => server.close()
        signal.addEventListener('abort', close)
        // It may have come while the port was opened.
        if (signal.aborted) close()
        return askInBrowser({ ...asking, sender: { ...asking.sender, signal } }, found, {
          open,
          prompts,
          state,
          server,
          isGiven: endpoints.authorization_endpoint !== undefined,
        })
      })
    },
  }
}

/** Waits at the port that the client was registered with at the last try, if that is free: servers may take no other. */
async function openForClient(
  { options, registration }: Asking,
  { issuer }: Place,
  redirect: URL,
  state: string,
): Promise<CallbackServer> {
  const isRegistered = options.clientId === undefined && redirect.port === ''
  const { about = '{}' } = (isRegistered && (await registration.read(issuer))) || {}
  const { redirect_uris: [last] = [] } = JSON.parse(about) as { redirect_uris?: readonly string[] }
  const known = last === undefined ? undefined : new URL(last)
  if (known?.hostname !== redirect.hostname || known.pathname !== redirect.pathname) {
    return openCallbackServer(redirect, state)
  }
  return openCallbackServer(known, state).catch(() => openCallbackServer(redirect, state))
}

/** @throws AuthError if the server does not offer the flow, or not safely. */
function assertOffered({ issuer, server }: Place): void {
  const { authorization_endpoint: endpoint, code_challenge_methods_supported: methods } = server
  if (!isSafeUrl(endpoint)) {
    throw signInFailed(
      `the authorization server ${issuer.origin} does not offer a sign-in in the browser: its metadata have no authorization_endpoint with https; use deviceCode()`,
    )
  }
  if (Array.isArray(methods) && !methods.includes('S256')) {
    throw wrongServer(
      issuer,
      'it does not take PKCE with S256, without which others may use the code',
    )
  }
}

interface Browsing extends Pick<LoopbackSettings, 'open' | 'prompts'> {
  readonly state: string
  readonly server: CallbackServer
  /** `true` if the program gave the page where the user signs in. */
  readonly isGiven: boolean
}

async function askInBrowser(
  asking: Asking,
  place: Place,
  { open, prompts, state, server, isGiven }: Browsing,
): Promise<LoginResult> {
  const { settings, now } = asking
  const { issuer } = place
  const { redirectUri } = server
  const client = await findClient(asking, place, {
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  })
  const verifier = oauth.generateRandomCodeVerifier()
  const challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const url = authorizationUrl(asking, place, {
    client_id: client.clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state,
    prompt: prompts,
  })
  const what = (): string => {
    const why = server.refusals().join(', and since ')
    if (why === '') return `no browser came back from ${issuer.origin}`
    return `nobody signed in at ${issuer.origin} (something came back and was refused, since ${why})`
  }
  const callback = await inUserTime(asking, settings.timeoutMs, what, async (signal) => {
    const show = (): unknown => open(url, { issuer: nameOf(issuer) })
    const opened = askBy(asking, now() + settings.timeoutMs, 'open', show, signal)
    return Promise.race([opened, server.callback])
  })
  let answer: Answer = 'failed'
  try {
    const code = readCode(callback, place, isGiven ? 'program' : settings.issuerBy)
    const parameters = { code, redirect_uri: redirectUri, code_verifier: verifier }
    const exchanged = await exchangeOf(asking, place, client, 'authorization_code', parameters)()
    if (!('result' in exchanged)) throw refusedFor(issuer, exchanged)
    answer = 'signed-in'
    return exchanged.result
  } catch (error) {
    if (Object(error).code === 'ERR_AUTH_SIGN_IN_DENIED') answer = 'denied'
    throw error
  } finally {
    // A browser that does not read it costs no sign-in.
    const late = pause(asking.timers, answerMs, asking.sender.signal)
    await Promise.race([callback.answer(answer), late]).catch(() => {})
  }
}

function authorizationUrl(
  { options }: Asking,
  { server, resource }: Place,
  { prompt: given, ...own }: Readonly<Record<string, string | undefined>>,
): string {
  const { scope, audience } = options
  const url = new URL(server.authorization_endpoint ?? '')
  // Without it, OpenID Connect gives no refresh token: section 11 of its Core.
  const consent = scope?.split(' ').includes('offline_access') ? 'consent' : undefined
  const parameters = {
    ...options.parameters,
    response_type: 'code',
    ...own,
    prompt: (given ?? consent) || undefined,
    scope,
    audience,
    resource,
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url.href
}

/**
 * Returns the code of a callback, whose state is that of the sign-in.
 *
 * @param issuerBy - Metadata that named the server may have named one which gives the page of another one for its own, whose
 * code it would get.
 * @throws AuthError if that is not the code of this server, or there is none.
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-2.4
 */
function readCode(
  { parameters }: Callback,
  { issuer, server }: Place,
  issuerBy: IssuerBy = 'program',
): string {
  const one = (name: string): string | undefined => {
    const values = parameters.getAll(name)
    if (values.length > 1)
      throw signInFailed(`the browser came back with more than one ${name}: call again`)
    return values[0]
  }
  const named = one('iss')
  const isMissing = named === undefined && server.authorization_response_iss_parameter_supported
  if (isMissing || (named !== undefined && named !== server.issuer)) {
    const what = isMissing ? 'without the iss of' : 'from another server than'
    throw signInFailed(
      `the browser came back ${what} ${issuer.origin}: the code was not used; call again, and check issuer`,
    )
  }
  const { origin } = new URL(server.authorization_endpoint ?? '')
  if (issuerBy !== 'program' && named === undefined && origin !== issuer.origin) {
    const remedy = issuerBy === 'both' ? 'authorizationEndpoint with tokenEndpoint' : 'issuer'
    throw signInFailed(
      `the browser came back from ${origin}, which is not known to be of ${issuer.origin}: the code was not used; give ${remedy} if it is`,
    )
  }
  const error = one('error')
  if (error !== undefined) throw refusedFor(issuer, { refused: shownCode(error) })
  const code = one('code')
  if (code === undefined || code === '') {
    throw signInFailed('the browser came back without a code: call again')
  }
  return code
}
