import { AuthError } from '@svc/auth-hooks'
import * as oauth from 'oauth4webapi'
import { nameOf } from '../oauth2/client.ts'
import { grantLogin, readJson, wrongServer } from '../oauth2/grant-login.ts'
import type { LoginResult } from '../login/login-function.ts'
import { shownCode, signInFailed } from './errors.ts'
import { pause } from './waiting.ts'
import { isSafeUrl, mayName } from './safe-url.ts'
import { type Endpoints, findPlace, type Place, type RegisteredClient } from './server.ts'
import {
  askBy,
  type Asking,
  clientAt,
  exchangeOf,
  findClient,
  inUserTime,
  refusedFor,
  timely,
  type Way,
  withScope,
} from './way.ts'

/** What the user has to be shown. */
export interface DevicePrompt {
  /** The issuer whose code it is: the one that the user signs in at. */
  readonly issuer: string
  /** The code that the user enters. */
  readonly userCode: string
  /** The address that the user opens, on any device. */
  readonly verificationUri: string
  /** The same with the code in it, as for a QR code, if the server has one. */
  readonly verificationUriComplete?: string | undefined
  /** When the code runs out, in epoch milliseconds. */
  readonly expiresAt: number
}

export type Show = (prompt: DevicePrompt) => unknown

const grant = 'urn:ietf:params:oauth:grant-type:device_code'
const defaultIntervalMs = 5000
const slowDownMs = 5000
const shortestIntervalMs = 1000
const longestIntervalMs = 60_000

/**
 * Asks by a code that the user enters on any device.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8628#section-3
 */
export function deviceWay(show: Show, endpoints: Endpoints): Way {
  return {
    method: 'device-code',
    prompt: show,
    async ask(asked) {
      const sender = timely(asked)
      const found = await findPlace(asked.options, endpoints, sender)
      const given = withScope(asked, found)
      const asking = { ...given, sender }
      const { issuer, server } = found
      if (!isSafeUrl(server.device_authorization_endpoint)) {
        throw signInFailed(
          `the authorization server ${issuer.origin} does not offer the device flow: its metadata have no device_authorization_endpoint with https; use loopback()`,
        )
      }
      const grants = {
        grant_types: [grant, 'refresh_token'],
        response_types: [],
        redirect_uris: [],
      }
      const client = await findClient(asking, found, grants)
      const { about, code, lifetimeMs, intervalMs } = await requestCode(asking, found, client)
      const what = (): string => `nobody signed in at ${issuer.origin}`
      return inUserTime(given, lifetimeMs, what, async (signal) => {
        const shown = askBy(given, about.expiresAt, 'show', () => show(about), signal)
        const timed = { ...given, sender: { ...given.sender, signal } }
        return Promise.race([shown, poll(timed, found, client, code, intervalMs)])
      })
    },
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc8628#section-3.2 */
async function requestCode(
  { options, sender, now, settings }: Asking,
  place: Place,
  registered: RegisteredClient,
) {
  const { issuer } = place
  const client = clientAt(options, place, registered)
  const request = grantLogin<Response>(
    // No token is asked for yet.
    { ...client, dpop: undefined },
    grant,
    () => client.parameters,
    (to, about, authentication, _grant, parameters, sending) =>
      oauth.deviceAuthorizationRequest(to, about, authentication, parameters, sending),
    (received) => received,
  )
  const response = await request(sender)
  const { ok, status } = response
  // The session tells its status.
  if (status >= 500) throw new Error('refused')
  const body = await readJson(response)
  const { error, device_code: code, user_code: userCode, verification_uri: uri } = body ?? {}
  if (!ok || (error ?? '') !== '') throw refusedFor(issuer, { refused: shownCode(error), status })
  const isCode = typeof code === 'string' && code !== ''
  // What is shown may stand in a terminal, or be opened.
  const isShown = typeof userCode === 'string' && /^[!-~](?:[ -~]{0,62}[!-~])?$/.test(userCode)
  const isHere = (url: unknown): url is string => isSafeUrl(url) && mayName(issuer, url)
  if (!isCode || !isShown || !isHere(uri)) {
    throw wrongServer(issuer, 'its response has no device_code, user_code and verification_uri')
  }
  const complete = body?.['verification_uri_complete']
  const seconds = (value: unknown): number | undefined =>
    Number(value) > 0 && Number.isFinite(Number(value)) ? Number(value) : undefined
  const lifetimeMs = (seconds(body?.['expires_in']) ?? Infinity) * 1000
  const intervalMs = (seconds(body?.['interval']) ?? defaultIntervalMs / 1000) * 1000
  return {
    code,
    lifetimeMs,
    // No timer takes any number.
    intervalMs: Math.min(Math.max(intervalMs, shortestIntervalMs), settings.timeoutMs),
    about: Object.freeze<DevicePrompt>({
      issuer: nameOf(issuer),
      userCode,
      verificationUri: new URL(uri).href,
      ...(isHere(complete) && { verificationUriComplete: new URL(complete).href }),
      expiresAt: now() + Math.min(lifetimeMs, settings.timeoutMs),
    }),
  }
}

/**
 * Asks the server for the token until the user has signed in, and less often where the server wants it or does not respond.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8628#section-3.5
 */
async function poll(
  asking: Asking,
  place: Place,
  client: RegisteredClient,
  code: string,
  firstIntervalMs: number,
): Promise<LoginResult> {
  const { timers, sender } = asking
  const { signal } = sender
  const timed = { ...asking, sender: timely(asking) }
  const exchange = exchangeOf(timed, place, client, grant, { device_code: code })
  for (let intervalMs = firstIntervalMs; ;) {
    await pause(timers, intervalMs, signal)
    const exchanged = await exchange().catch((error: unknown) => {
      signal.throwIfAborted()
      if (!isPassing(error)) throw error
      return undefined
    })
    if (exchanged && 'result' in exchanged) return exchanged.result
    if (exchanged?.refused === 'authorization_pending') continue
    if (exchanged?.refused === 'slow_down') intervalMs += slowDownMs
    else if (!exchanged || isBusy(exchanged.status)) {
      intervalMs = Math.max(intervalMs, Math.min(intervalMs * 2, longestIntervalMs))
    } else throw refusedFor(place.issuer, exchanged)
  }
}

/** Tells if the server did not respond, and may next time. */
function isPassing(error: unknown): boolean {
  const isLost = ['ERR_AUTH_LOGIN_NETWORK', 'ERR_AUTH_LOGIN_TIMEOUT'] as const
  return AuthError.is(error) && isLost.some((code) => code === error.code)
}

function isBusy(status = 0): boolean {
  return status >= 500 || status === 429 || status === 408
}
