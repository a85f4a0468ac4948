import type { Secret } from '@svc/auth-hooks'
import * as oauth from 'oauth4webapi'
import type { LoginContext, LoginResult } from '../login/login-function.ts'
import type { OAuth2Client } from './client.ts'
import { discover } from './metadata.ts'
import { isInvalidClient, readTokenResponse } from './token-response.ts'

/** The secrets of a login, which do not show themselves. */
export interface OAuth2Credentials {
  /** Each of them; they stand in no message. */
  readonly secrets: readonly Secret[]
}

/** A clock that differs by more makes assertions that a server does not take. */
const tolerableSkewSeconds = 5

/** A function that logs in by a grant. */
export type GrantLogin = (context: LoginContext<OAuth2Credentials>) => Promise<LoginResult>

/**
 * Returns the login of a client.
 *
 * @param parametersOf - Returns those of the grant, given the last refresh token.
 */
export function grantLogin(
  { issuer, server, clientId, authentication, isDated }: OAuth2Client,
  grant: 'client_credentials' | 'refresh_token',
  parametersOf: (refreshToken: string | undefined) => Readonly<Record<string, string>>,
): GrantLogin {
  let discovered: oauth.AuthorizationServer | undefined
  let skewSeconds = 0

  return async ({ fetch, signal, previous }) => {
    /** Takes note of the server's time, by which assertions are dated. The library dates them by `Date.now`. */
    const timed = async (input: string, init: object): Promise<Response> => {
      const response = await fetch(input, init)
      const seconds = (Date.parse(response.headers.get('date') ?? '') - Date.now()) / 1000
      if (!Number.isNaN(seconds)) {
        skewSeconds = Math.abs(seconds) > tolerableSkewSeconds ? Math.round(seconds) : 0
      }
      return response
    }
    const options = {
      [oauth.customFetch]: timed,
      // The session's `fetch` sends over plain http where the session allows it.
      [oauth.allowInsecureRequests]: true,
      signal,
    }
    try {
      const known = server ?? (discovered ??= await discover(issuer, options))
      const send = (): Promise<Response> => {
        const client = { client_id: clientId, [oauth.clockSkew]: skewSeconds }
        const parameters = parametersOf(previous?.refreshToken)
        return oauth.genericTokenEndpointRequest(
          known,
          client,
          authentication,
          grant,
          parameters,
          options,
        )
      }
      const skewBefore = skewSeconds
      let response = await send()
      // Refused before it looked at anything else, since the assertion is of another time.
      const isMisdated = isDated && !response.ok && skewSeconds !== skewBefore
      if (isMisdated && (await isInvalidClient(response))) response = await send()
      return await readTokenResponse(response, issuer)
    } catch (error) {
      // It may have moved.
      discovered = undefined
      throw error
    }
  }
}
