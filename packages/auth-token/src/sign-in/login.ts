import { Secret } from '@svc/auth-hooks'
import { check } from '@svc/auth-hooks/scheme'
import * as oauth from 'oauth4webapi'
import { joinedKey } from '../credentials.ts'
import { dpopKey } from '../dpop/contract.ts'
import type { LoginResult } from '../login/login-function.ts'
import { readClient } from '../oauth2/client.ts'
import { grantLogin, type OAuth2Login, withKey } from '../oauth2/grant-login.ts'
import {
  type SignIn,
  type SignInClientOptions,
  signInKey,
  type SignInTokenOptions,
} from '../oauth2/sign-in.ts'
import { type SharedTokenStore, storePlace } from '../token.ts'
import { askAround } from './asking.ts'
import { signInNeeded } from './errors.ts'
import { readKept, writeKept } from './kept.ts'
import { assertIssuer, clientOptions, type SignInSettings } from './options.ts'
import { assertEndpoints } from './server.ts'
import { noteSecrets, type Refusal, watchRefusal, type Way } from './way.ts'

const caller = '[@svc/auth-token] refreshToken'

/** Makes a way to ask the user what `refreshToken` takes. The secrets in it are not shown. */
export function signInOf(
  way: Way,
  settings: SignInSettings,
  given: SignInClientOptions,
): SignInTokenOptions {
  const { clientSecret, privateKey, sealedWith, ...shown } = clientOptions(given)
  const refreshToken = Object.freeze<SignIn>({
    [signInKey](
      own,
      reuseGraceMs,
      addsOffline = false,
      issuerBy = own.issuer === undefined ? 'metadata' : 'program',
    ) {
      const options = {
        ...own,
        clientSecret: own.clientSecret ?? clientSecret,
        privateKey: own.privateKey ?? privateKey,
        sealedWith: own.sealedWith ?? sealedWith,
      }
      const { issuer, clientId = '', scope = '', audience = '', resource = '' } = options
      const { account } = settings
      const isKnown = issuer !== undefined || resource !== ''
      check(isKnown, caller, 'issuer or resource must be given, which tells who signs in')
      assertIssuer(options, issuerBy === 'metadata', caller)
      const secret = secretOf(options)
      const issuerKey = issuer === undefined ? '' : new URL(issuer).href
      // Their order says nothing.
      const scopes = [...new Set(scope.split(' ').filter(Boolean))].sort().join(' ')
      const { parameters, since } = options
      const further = (parameters ?? since) ? [JSON.stringify([parameters ?? {}, since ?? 0])] : []
      const place = [issuerKey, clientId, scopes, audience, resource, account, ...further]
      const mark = options.dpop?.[dpopKey].mark
      if (mark !== undefined) place.push(mark)
      const about = [way.method, idOf(way.prompt), settings.timeoutMs, reuseGraceMs]
      // A refresh that names no scope leaves the one for the next refresh.
      const refreshed = addsOffline ? { ...options, scope: undefined } : options
      return withKey(
        goOn(refreshed),
        secret ?? openKey,
        [secret ?? openKey, options.clientSecret ?? ''],
        {
          account: ['sign-in', ...place],
          purpose: '',
          // Those whom another function asks are another session.
          session: new Secret(joinedKey([...about, settings.clientName])),
          rotation: {
            reuseGraceMs,
            assertStore: (store, by) => assertStore(store, by, secret !== undefined),
            signIn: (shared) =>
              askAround(shared, { way, settings: { ...settings, addsOffline, issuerBy }, options }),
          },
        },
        options.dpop,
      )
    },
  })
  return { ...shown, refreshToken }
}

/**
 * The key of records that no secret seals. It keeps nobody from reading them: the store has to. Of the form of random
 * keys, which cost no time.
 */
const openKey = `random-key:${'open'.repeat(10)}key`

function secretOf({ clientSecret, sealedWith }: SignInClientOptions): string | undefined {
  // A random key needs no stretching, by its form.
  if (sealedWith?.startsWith('random-key:')) return sealedWith
  if (sealedWith !== undefined) return joinedKey(['sealed', sealedWith])
  return clientSecret === undefined ? undefined : joinedKey(['secret', clientSecret])
}

/** @throws TypeError if nothing is kept there, or anybody may read it. */
function assertStore(store: SharedTokenStore | undefined, by: string, isSealed: boolean): void {
  const what =
    'store must be given, where the sign-in is kept: fileTokenStore(), or memoryTokenStore() to ask in each process'
  check(store, by, what)
  const kind = store[storePlace]?.[0]
  const isPrivate = isSealed || kind === 'file' || kind === 'memory'
  const sealing =
    'sealedWith must be given to deviceCode or loopback, a secret: others may read this store'
  check(isPrivate, by, sealing)
}

const ids = new WeakMap<object, string>()

/** Returns a text that no other function has. */
function idOf(prompt: object): string {
  const id = ids.get(prompt) ?? crypto.randomUUID()
  ids.set(prompt, id)
  return id
}

/** Returns the login that goes on with a sign-in: a refresh by the client and at the server that it is of. */
function goOn(options: SignInClientOptions): OAuth2Login['login'] {
  let made: { readonly about: string; readonly login: OAuth2Login['login'] } | undefined
  return async (context): Promise<LoginResult> => {
    const stored = context.previous?.refreshToken
    const kept = stored === undefined ? undefined : readKept(stored)
    if (!kept) throw signInNeeded('the store has no sign-in that can be read')
    const { refreshToken, ...rest } = kept
    const about = JSON.stringify(rest)
    const known = { ...clientOptions(options), ...rest }
    const client = readClient(known, caller)
    const { parameters } = client
    if (made?.about !== about) {
      const parametersOf = (current = ''): typeof parameters => ({
        ...parameters,
        refresh_token: current,
      })
      made = { about, login: grantLogin(client, 'refresh_token', parametersOf, sendOf(options)) }
    }
    noteSecrets(context.credentials, refreshToken, known.clientSecret)
    const watched = watchRefusal(context)
    const result = await made
      .login({ ...context, ...watched.sender, previous: { refreshToken } })
      .catch((error: unknown) => {
        if (!watched.refusal) throw error
        return undefined
      })
    const { refusal } = watched
    if (refusal && isGone(refusal, options)) {
      throw signInNeeded(`the sign-in at ${new URL(rest.issuer).origin} is over`, refusal.status)
    }
    if (refusal || !result) throw new Error('refused')
    const { refreshToken: next = refreshToken } = result
    return { ...result, refreshToken: writeKept({ ...kept, refreshToken: next }) }
  }
}

/** Returns what sends a refresh token, to an endpoint of metadata only if these may name it. */
function sendOf({ tokenEndpoint }: SignInClientOptions): typeof oauth.genericTokenEndpointRequest {
  if (tokenEndpoint !== undefined) return oauth.genericTokenEndpointRequest
  return async (server, ...rest) =>
    oauth.genericTokenEndpointRequest(assertEndpoints(new URL(server.issuer), server), ...rest)
}

/** Tells if the server takes the refresh token no more, or has forgotten the client that was registered for it. */
function isGone({ refused }: Refusal, { clientId }: SignInClientOptions): boolean {
  if (refused === 'invalid_client') return clientId === undefined
  // The second is GitHub's.
  return refused === 'invalid_grant' || refused === 'bad_refresh_token'
}
