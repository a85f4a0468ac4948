import type { Fetch } from '@svc/types'
import * as oauth from 'oauth4webapi'
import { nameOf } from '../oauth2/client.ts'
import { discover, readJson, wrongServer } from '../oauth2/grant-login.ts'
import type { SignInOptions } from './options.ts'
import { shownCode, signInFailed } from './errors.ts'
import { readResourceMetadata } from './resource-metadata.ts'
import { isSafeUrl, mayName } from './safe-url.ts'

/** What a sign-in sends its requests with. */
export interface Sender {
  readonly fetch: Fetch
  readonly signal: AbortSignal
}

/** The authorization server of a sign-in. */
export interface Place {
  readonly issuer: URL
  readonly server: oauth.AuthorizationServer
  /** The `resource` to ask for. */
  readonly resource: string | undefined
  /** The scopes that the metadata of the resource name, where these told the issuer. */
  readonly scope?: string
}

/** The endpoints of a server without metadata. */
export interface Endpoints {
  readonly authorization_endpoint?: string
  readonly device_authorization_endpoint?: string
}

/** Finds the server, by its issuer or by the resource. */
export async function findPlace(
  { issuer, resource, tokenEndpoint }: SignInOptions,
  endpoints: Endpoints,
  sender: Sender,
): Promise<Place> {
  const found =
    issuer === undefined
      ? await findIssuer(new URL(resource ?? ''), sender)
      : { issuer: new URL(issuer), resource }
  if (tokenEndpoint !== undefined && Object.keys(endpoints).length > 0) {
    const named = nameOf(issuer ?? found.issuer)
    return { ...found, server: { issuer: named, token_endpoint: `${tokenEndpoint}`, ...endpoints } }
  }
  const server = await discover(found.issuer, requestOptions(sender))
  return { ...found, server: assertEndpoints(found.issuer, server) }
}

/** What the library sends requests with. */
interface LibraryOptions {
  [oauth.customFetch]: (input: string, init: object) => Promise<Response>
  [oauth.allowInsecureRequests]: true
  signal: AbortSignal
}

function requestOptions({ fetch, signal }: Sender): LibraryOptions {
  return {
    [oauth.customFetch]: (input, init) => fetch(input, init),
    // The `fetch` of a login sends over plain http where the session allows it.
    [oauth.allowInsecureRequests]: true,
    signal,
  }
}

/** Finds the issuer of a resource. One without metadata is its own server, as before there were any. */
async function findIssuer(resource: URL, { fetch }: Sender): Promise<Omit<Place, 'server'>> {
  const found = await readResourceMetadata(resource, fetch)
  if (found) return { ...found, issuer: new URL(found.issuer) }
  return { issuer: new URL(resource.origin), resource: resource.href }
}

/** The endpoints that a sign-in uses. */
const used = [
  'authorization_endpoint',
  'device_authorization_endpoint',
  'registration_endpoint',
  'token_endpoint',
] as const

/**
 * @returns the metadata of the server.
 * @throws AuthError `ERR_AUTH_LOGIN_FAILED` if they lead to this machine or network, and the server is elsewhere.
 */
export function assertEndpoints(
  issuer: URL,
  server: oauth.AuthorizationServer,
): oauth.AuthorizationServer {
  for (const name of used) {
    const url = server[name]
    if (!isSafeUrl(url) || mayName(issuer, url)) continue
    const where = `${new URL(url).origin}, an address of this machine or network`
    throw wrongServer(issuer, `its ${name} is ${where}; check issuer`)
  }
  return server
}

/** A client that is registered with a server. */
export interface RegisteredClient {
  readonly clientId: string
  readonly clientSecret?: string
  readonly clientAuthentication?: 'basic' | 'post'
}

/**
 * Registers a client of its own.
 *
 * @param metadata - Those of the client, as JSON.
 * @throws AuthError `ERR_AUTH_SIGN_IN_FAILED` if the server does not let it.
 * @see https://www.rfc-editor.org/rfc/rfc7591#section-3
 */
export async function registerClient(
  { issuer, server }: Place,
  metadata: string,
  sender: Sender,
): Promise<RegisteredClient> {
  const { registration_endpoint: endpoint } = server
  const about = `the authorization server ${issuer.origin}`
  if (endpoint === undefined) {
    throw signInFailed(`${about} registers no clients by itself: register one, and give clientId`)
  }
  if (!isSafeUrl(endpoint))
    throw wrongServer(issuer, 'its registration_endpoint is no URL of https')
  const response = await sender.fetch(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: metadata,
  })
  const { status } = response
  const body = await readJson(response)
  if (status >= 500) throw new Error('refused')
  const { client_id: clientId, client_secret: secret, error } = body ?? {}
  if (!response.ok || typeof clientId !== 'string' || clientId === '') {
    const why = response.ok ? 'returned no client_id' : `refused it with ${shownCode(error)}`
    throw signInFailed(
      `${about} registered no client: it ${why}; register one, and give clientId`,
      {
        status,
      },
    )
  }
  const method = body?.['token_endpoint_auth_method']
  // A public client that is given a secret all the same sends none.
  if (typeof secret !== 'string' || secret === '' || method === 'none') return { clientId }
  const isPosted = method === 'client_secret_post'
  return { clientId, clientSecret: secret, clientAuthentication: isPosted ? 'post' : 'basic' }
}
