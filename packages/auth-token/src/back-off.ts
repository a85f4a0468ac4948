import type { AuthError } from '@svc/auth-hooks'

/** No pause is longer, whatever a server asks for. */
export const longestPauseMs: number = 15 * 60 * 1000

const firstLatchMs = 30_000
const firstBackOffMs = 500
const longestBackOffMs = 60_000
const firstHoldMs = 1000
const longestHoldMs = 30_000

/** Whether a login was refused for its credentials, so that more of them could lock the account. */
export function isLatching({ code, status }: AuthError): boolean {
  return code === 'ERR_AUTH_LOGIN_REFUSED' && (status === 400 || status === 401)
}

/**
 * How long no login is made after a failed one, in milliseconds.
 *
 * @param failures - Failures of this kind in a row, this one included.
 * @param isAwaited - Whether callers wait for it: then one at once may try again after a passing
 * failure, since clients such as ky do.
 */
export function pauseMs(
  failure: AuthError,
  failures: number,
  isAwaited: boolean,
  random: () => number,
): number {
  if (isLatching(failure)) return latchMs(failures)
  const { status = 0 } = failure
  const isPassing = status < 400 || status >= 500
  const step = isPassing && isAwaited ? failures - 1 : failures
  return step === 0 ? 0 : random() * doubled(firstBackOffMs, step, longestBackOffMs)
}

/** How long refused credentials are left alone, after this many refusals in a row. */
export function latchMs(refusals: number): number {
  return doubled(firstLatchMs, refusals, longestPauseMs)
}

/**
 * How long a token is not replaced that was refused itself, in milliseconds: else an address that
 * refuses every token would cost a login for each request.
 *
 * @param replacements - How many tokens in a row, this one included, replaced a refused one.
 */
export function holdAfter(replacements: number): number {
  return replacements <= 0 ? 0 : doubled(firstHoldMs, replacements, longestHoldMs)
}

function doubled(first: number, step: number, longest: number): number {
  return Math.min(first * 2 ** (step - 1), longest)
}
