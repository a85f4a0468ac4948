import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'
import type { OutgoingRequest } from '@svc/types'
import { mayBeRefusal } from '../session/back-off.ts'
import type { Demand } from './demand.ts'
import { shown, type StepUp, toStepUp, type Wanted } from './wanted.ts'

/** Registered, since two copies of this package may meet in one program. */
const stepUpKey: unique symbol = Symbol.for('svc-auth.step-up.1')

/** What a request lacks, and what a login is asked for that gives it. */
export interface Need {
  readonly request: Pick<OutgoingRequest, 'method' | 'signal' | 'url'>
  readonly lacks?: Demand
  readonly wanted?: Wanted
}

/**
 * Returns what to sign in for, of an error of {@link stepUp}, as a web application needs it that sends its user to an
 * authorization server; `undefined` for any other error.
 *
 * @example
 * import { stepUpOf } from '@svc/auth-token/step-up'
 *
 * export function addressOf(error: unknown): string | undefined {
 *   const wanted = stepUpOf(error)
 *   if (!wanted) return undefined
 *   return `/sign-in?${new URLSearchParams({ ...wanted.parameters, scope: wanted.scope ?? '' })}`
 * }
 * @see https://www.rfc-editor.org/rfc/rfc9470#section-4
 */
export function stepUpOf(error: unknown): StepUp | undefined {
  return Reflect.get(Object(error), stepUpKey) as StepUp | undefined
}

/** Returns an error that says what a request lacks, if that is known, and what became of it. */
export function stepUpError(
  code: AuthErrorCode,
  { request: { method, url }, lacks, wanted }: Need,
  what: string,
  options?: AuthErrorOptions,
): AuthError {
  const needs = lacks ? ` needs ${shown(lacks)}` : ''
  const message = `[@svc/auth-token] ${method} ${url.origin}${url.pathname}${needs}${what}`
  const value = wanted && toStepUp(wanted)
  return Object.defineProperty(new AuthError(code, message, options), stepUpKey, { value })
}

/** Tells if a login was refused, by the user or the authorization server, and did not only fail for now. */
export function isRefusal(error: unknown): error is AuthError {
  return AuthError.is(error) && (mayBeRefusal(error) || error.code.includes('_SIGN_IN_'))
}

/** Returns the error of a login that did not give what a request lacks. What is no `AuthError` is left as it is. */
export function failedLogin(error: unknown, need: Need): unknown {
  if (!AuthError.is(error)) return error
  const { code, message, status, retryAt, serverMessage } = error
  const isForGood = need.wanted && isRefusal(error)
  const remedy = isForGood ? `; allow the client that, or sign in with ${shown(need.wanted)}` : ''
  const what = `, and the login failed: ${message.replace(/^\[[^\]]*\] /, '')}${remedy}`
  return stepUpError(code, need, what, { status, retryAt, serverMessage, cause: error })
}
