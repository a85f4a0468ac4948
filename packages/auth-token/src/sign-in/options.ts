import { check, checkFunctions, type OptionNames } from '@svc/auth-hooks/scheme'
import { clientNames, isText, readClient } from '../oauth2/client.ts'
import type { IssuerBy, SignInClientOptions } from '../oauth2/sign-in.ts'
import { isSafeUrl } from './safe-url.ts'

/** Options of every sign-in. */
export interface SignInOptions extends SignInClientOptions {
  /**
   * The name that the server shows for a client that is registered.
   *
   * @default `'svc-auth'`
   */
  clientName?: string | undefined
  /**
   * Tells the sign-ins of several users apart.
   *
   * @default `''`: there is one
   */
  account?: string | undefined
  /**
   * The time that the user has to sign in, and another process waits for that, in milliseconds. A code of the device
   * flow may run out before.
   *
   * @default `300_000` (5 minutes)
   */
  timeoutMs?: number | undefined
  /**
   * Ends the sign-in that is under way, and asks no more. The calls that wait for it reject with its reason.
   *
   * @default none
   */
  signal?: AbortSignal | undefined
  /**
   * Called when another process asks the user, and this one waits for what comes of it.
   *
   * @default none
   */
  onWait?: (() => void) | undefined
}

export const signInNames: OptionNames<SignInOptions> = {
  ...clientNames,
  clientName: 'client_name name',
  account: 'user profile',
  timeoutMs: 'timeout deadlineMs',
  signal: 'abortSignal',
  onWait: 'waiting onWaiting',
}

/** The options of every sign-in, complete. */
export interface SignInSettings {
  readonly clientName: string
  readonly account: string
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly onWait: (() => void) | undefined
  /** `true` to ask for a refresh token as well, where the server offers one by a scope. */
  readonly addsOffline?: boolean
  readonly issuerBy?: IssuerBy
}

/** The longest that `setTimeout` can wait, and time to exchange what the user gave. */
const longestMs = 2 ** 31 - 1 - 3_600_000

/** @throws TypeError naming the option that is wrong. */
export function readSignInOptions(options: SignInOptions, caller: string): SignInSettings {
  const { clientName = 'svc-auth', account = '', timeoutMs = 300_000, signal, onWait } = options
  const { issuer, resource, clientId, clientSecret, privateKey } = options
  // Either may be known only later.
  const known = { issuer: issuer ?? 'https://issuer.invalid', clientId: clientId ?? 'none' }
  readClient({ ...clientOptions(options), ...known }, caller)
  const isFound = issuer !== undefined || resource === undefined || isSafeUrl(resource)
  check(isFound, caller, 'resource must be a URL with https:// where no issuer is given')
  assertIssuer(options, issuer === undefined, caller)
  const isOwn = clientId !== undefined || (clientSecret === undefined && privateKey === undefined)
  check(isOwn, caller, 'clientId must be given with clientSecret or privateKey')
  check(isText(clientName), caller, 'clientName must be a non-empty string')
  check(typeof account === 'string', caller, 'account must be a string')
  const isTime = Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs <= longestMs
  check(isTime, caller, 'timeoutMs must be a positive number of milliseconds, below 24 days')
  const isSignal = signal === undefined || typeof signal?.addEventListener === 'function'
  check(isSignal, caller, 'signal must be an AbortSignal')
  checkFunctions({ onWait }, caller)
  return { clientName, account, timeoutMs, signal, onWait }
}

/**
 * Keeps what is a secret of one server from any other, where metadata tell the server: the resource writes them, and may lie.
 *
 * @param isFound - `true` if the program does not give the issuer.
 * @throws TypeError naming the option that needs one.
 */
export function assertIssuer(
  { clientSecret, tokenEndpoint }: SignInClientOptions,
  isFound: boolean,
  caller: string,
): void {
  const why = 'else the metadata of the resource tell who gets'
  const secret = `issuer must be given with clientSecret: ${why} the secret`
  check(!isFound || clientSecret === undefined, caller, secret)
  const elsewhere = `issuer must be given with tokenEndpoint: ${why} the code, and this one the refresh token`
  check(!isFound || tokenEndpoint === undefined, caller, elsewhere)
}

/** Returns the options that are those of a client. */
export function clientOptions(options: SignInClientOptions): SignInClientOptions {
  return Object.fromEntries(
    Object.keys(clientNames).map((name) => [name, Reflect.get(options, name) as unknown]),
  )
}
