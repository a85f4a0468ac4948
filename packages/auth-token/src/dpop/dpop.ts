/**
 * Binds the tokens of OAuth 2.0 to a key, so that a token that was stolen is of no use: DPoP, by RFC 9449.
 *
 * @module @svc/auth-token/dpop
 */
import { check, checkOptions, type OptionNames } from '@svc/auth-hooks/scheme'
import { type Dpop, dpopKey } from './contract.ts'
import { holdPair, type KeyPair } from './key.ts'
import { openLogins } from './login.ts'
import { sendingOf } from './sending.ts'

export type { Dpop } from './contract.ts'

/** Options of {@link dpop}. */
export interface DpopOptions {
  /**
   * The key, of ECDSA with P-256, with which the user has signed in elsewhere, as a page keeps it in IndexedDB. Another
   * object is another session. A store gets its public part alone, so that each process or tab has to give the pair.
   *
   * @default a key for each sign-in. With a `store` it is kept there, sealed beside the token; else nothing can read it
   */
  keyPair?: KeyPair | undefined
  /**
   * Takes a token that is bound to no key, and sends it as Bearer, where the authorization server has no DPoP.
   *
   * @default `false`: an `ERR_AUTH_LOGIN_FAILED`
   */
  allowBearer?: boolean | undefined
}

const caller = '[@svc/auth-token] dpop'

const names: OptionNames<DpopOptions> = { keyPair: 'key keys privateKey', allowBearer: 'bearer' }

/**
 * Binds the tokens of a login to a key: for the option `dpop` of `clientCredentials`, `refreshToken`, `deviceCode` and
 * `loopback`. Each attempt of a request then carries a proof of its own, signed with ES256, for its method and URL. The
 * nonces that servers ask for are kept for each origin; one request brings it, and others wait for that.
 *
 * @throws TypeError if an option is wrong; the message names it.
 * @throws AuthError from the session: `ERR_AUTH_LOGIN_FAILED` if the authorization server has no DPoP with ES256, or the
 * login was wrapped; `ERR_AUTH_CHALLENGE` if a server asks for a nonce, and gives none that can be used;
 * `ERR_AUTH_BODY` if it asks for one after a body that cannot be sent again; `ERR_AUTH_CREDENTIALS` if the halves of
 * `keyPair` are of two keys, or the token of a store is bound to another key; `ERR_AUTH_CRYPTO` without Web Crypto.
 * @example
 * import { authFetch, createSessionAuth } from '@svc/auth-token'
 * import { dpop } from '@svc/auth-token/dpop'
 * import { clientCredentials } from '@svc/auth-token/oauth2'
 *
 * const baseUrl = 'https://api.example.com'
 * const auth = createSessionAuth({
 *   baseUrl,
 *   ...clientCredentials({
 *     issuer: 'https://login.example.com',
 *     clientId: 'reports',
 *     clientSecret: 'a secret',
 *     dpop: dpop(),
 *   }),
 * })
 * const apiFetch = authFetch(auth, { baseUrl })
 * console.log(await (await apiFetch('/reports')).json())
 * @see https://www.rfc-editor.org/rfc/rfc9449
 */
export function dpop(options: DpopOptions = {}): Dpop {
  const { keyPair, allowBearer = false } = checkOptions(options, caller, names)
  check(typeof allowBearer === 'boolean', caller, 'allowBearer must be true or false')
  check(keyPair === undefined || isPair(Object(keyPair)), caller, pairNeeded)
  const settings = { own: keyPair && holdPair(keyPair), allowBearer }
  return {
    [dpopKey]: {
      key: keyPair?.privateKey,
      mark: allowBearer ? 'dpop or bearer' : 'dpop',
      sending: sendingOf(settings),
      open: () => openLogins(settings),
    },
  }
}

const pairNeeded = 'keyPair must be of ECDSA P-256, to sign and verify, with a readable public key'

function isPair({ privateKey, publicKey }: Partial<KeyPair>): boolean {
  const isFor = (usage: KeyUsage, key?: KeyPair['publicKey']): boolean =>
    Object(key?.algorithm).namedCurve === 'P-256' && Boolean(key?.usages.includes(usage))
  return isFor('sign', privateKey) && isFor('verify', publicKey) && publicKey?.extractable === true
}
