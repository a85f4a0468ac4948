/**
 * Asks the user to sign in, once however many processes need it: with a code on any device, or in a browser on this
 * machine. Needs `oauth4webapi` 3.
 *
 * @module @svc/auth-token/sign-in
 */
import { check, checkOptions, isLoopback, type OptionNames } from '@svc/auth-hooks/scheme'
import type { SignInTokenOptions } from '../oauth2/sign-in.ts'
import { type DevicePrompt, deviceWay } from './device-code.ts'
import { signInOf } from './login.ts'
import { loopbackWay } from './loopback.ts'
import { readSignInOptions, signInNames, type SignInOptions } from './options.ts'
import { isSafeUrl } from './safe-url.ts'
import type { Endpoints } from './server.ts'

export { openBrowser } from './open-browser.ts'
export type { DevicePrompt } from './device-code.ts'
export type { SignInOptions } from './options.ts'
export type { SignIn, SignInTokenOptions } from '../oauth2/sign-in.ts'

/** Options of {@link deviceCode}. */
export interface DeviceCodeOptions extends SignInOptions {
  /** Shows the user the code and the address. Nobody waits for what it returns, but the sign-in ends if it throws. */
  show: (prompt: DevicePrompt) => unknown
  /**
   * The device authorization endpoint, with `tokenEndpoint` for a server without metadata.
   *
   * @default that of the issuer's metadata
   */
  deviceAuthorizationEndpoint?: string | URL | undefined
}

/** Options of {@link loopback}. */
export interface LoopbackOptions extends SignInOptions {
  /**
   * Opens the address in a browser on this machine; `issuer` is the one that the user signs in at. Nobody waits for what it
   * returns, but the sign-in ends if it throws.
   */
  open: (url: string, about: { readonly issuer: string }) => unknown
  /**
   * The address that the browser comes back to, as it is registered: `http://127.0.0.1`, `http://localhost` or
   * `http://[::1]`, with a path. A port in it is the one that is used; any but 80.
   *
   * @default `'http://127.0.0.1/callback'`, with a free port
   */
  redirectUri?: string | URL | undefined
  /**
   * The `prompt` of OpenID Connect, such as `'select_account'`; `''` sends none.
   *
   * @default `'consent'` with the scope `offline_access`, which is not heeded else; and none without it
   */
  prompt?: string | undefined
  /**
   * The authorization endpoint, with `tokenEndpoint` for a server without metadata.
   *
   * @default that of the issuer's metadata
   */
  authorizationEndpoint?: string | URL | undefined
}

const deviceNames: OptionNames<DeviceCodeOptions> = {
  ...signInNames,
  show: 'onCode prompt display',
  deviceAuthorizationEndpoint: 'device_authorization_endpoint',
}

const loopbackNames: OptionNames<LoopbackOptions> = {
  ...signInNames,
  open: 'openBrowser openUrl',
  redirectUri: 'redirect_uri redirectUrl callbackUrl',
  prompt: '',
  authorizationEndpoint: 'authorization_endpoint authorizationUrl',
}

/**
 * Asks the user by a code, which they enter on any device: for a terminal, a server, a television. The user is asked where
 * the store has no sign-in that can be used, and once however many processes share it.
 *
 * @returns options of `refreshToken`.
 * @throws TypeError if an option is wrong; the message names it.
 * @example
 * import { authFetch, createSessionAuth } from '@svc/auth-token'
 * import { fileTokenStore } from '@svc/auth-token/file-store'
 * import { refreshToken } from '@svc/auth-token/oauth2'
 * import { deviceCode } from '@svc/auth-token/sign-in'
 *
 * const baseUrl = 'https://api.example.com'
 * const signIn = deviceCode({
 *   issuer: 'https://login.example.com',
 *   clientId: 'a-command',
 *   scope: 'openid offline_access',
 *   show: ({ verificationUri, userCode }) => console.error(`Open ${verificationUri} and enter ${userCode}`),
 * })
 * const auth = createSessionAuth({ baseUrl, ...refreshToken(signIn), store: fileTokenStore() })
 * const apiFetch = authFetch(auth, { baseUrl })
 * console.log(await (await apiFetch('/me')).json())
 * @see https://www.rfc-editor.org/rfc/rfc8628
 */
export function deviceCode(options: DeviceCodeOptions): SignInTokenOptions {
  const caller = '[@svc/auth-token] deviceCode'
  const checked = checkOptions(options, caller, deviceNames)
  const { show, deviceAuthorizationEndpoint: endpoint } = checked
  const settings = readSignInOptions(checked, caller)
  check(
    typeof show === 'function',
    caller,
    'show must be a function, which shows the user the code',
  )
  const endpoints = readEndpoints(caller, 'device_authorization_endpoint', endpoint, checked)
  return signInOf(deviceWay(show, endpoints), settings, checked)
}

/**
 * Asks the user in a browser on this machine, which comes back to a port of this process. The user is asked where the store
 * has no sign-in that can be used, and once however many processes share it. For Node, Bun and Deno.
 *
 * @returns options of `refreshToken`.
 * @throws TypeError if an option is wrong; the message names it.
 * @example
 * import { authFetch, createSessionAuth } from '@svc/auth-token'
 * import { fileTokenStore } from '@svc/auth-token/file-store'
 * import { refreshToken } from '@svc/auth-token/oauth2'
 * import { loopback, openBrowser } from '@svc/auth-token/sign-in'
 *
 * const baseUrl = 'https://api.example.com'
 * const signIn = loopback({
 *   issuer: 'https://login.example.com',
 *   clientId: 'a-command',
 *   scope: 'openid offline_access',
 *   open: openBrowser,
 * })
 * const auth = createSessionAuth({ baseUrl, ...refreshToken(signIn), store: fileTokenStore() })
 * const apiFetch = authFetch(auth, { baseUrl })
 * console.log(await (await apiFetch('/me')).json())
 * @see https://www.rfc-editor.org/rfc/rfc8252
 */
export function loopback(options: LoopbackOptions): SignInTokenOptions {
  const caller = '[@svc/auth-token] loopback'
  const checked = checkOptions(options, caller, loopbackNames)
  const {
    open,
    redirectUri = 'http://127.0.0.1/callback',
    prompt: prompts,
    authorizationEndpoint: endpoint,
  } = checked
  const settings = readSignInOptions(checked, caller)
  check(typeof open === 'function', caller, 'open must be a function, which opens a browser')
  check(prompts === undefined || typeof prompts === 'string', caller, 'prompt must be a string')
  const text = `${redirectUri}`
  const redirect = URL.canParse(text) && new URL(text)
  const isOwn = redirect && redirect.protocol === 'http:' && isLoopback(redirect)
  const isPlain = isOwn && redirect.search + redirect.hash + redirect.username === ''
  const hosts = ['127.0.0.1', 'localhost', '[::1]']
  const isRedirect = isPlain && hosts.includes(redirect.hostname)
  check(
    isRedirect,
    caller,
    'redirectUri must be http://127.0.0.1, http://localhost or http://[::1] with a path',
  )
  const isKept = !/^\s*http:\/\/[^/\\?#]*:0*80(?!\d)/i.test(text)
  check(isKept, caller, 'redirectUri must have another port than 80, which is none to a URL')
  const endpoints = readEndpoints(caller, 'authorization_endpoint', endpoint, checked)
  return signInOf(loopbackWay({ open, redirect, prompts, endpoints }), settings, checked)
}

function readEndpoints(
  caller: string,
  name: keyof Endpoints,
  endpoint: string | URL | undefined,
  { tokenEndpoint, issuer }: SignInOptions,
): Endpoints {
  const option = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  if (endpoint === undefined) return {}
  check(isSafeUrl(`${endpoint}`), caller, `${option} must be a URL with https://`)
  const isWhole = tokenEndpoint !== undefined && issuer !== undefined
  check(isWhole, caller, `${option} must be given with issuer and tokenEndpoint`)
  return { [name]: `${endpoint}` }
}
