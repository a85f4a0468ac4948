import type { AuthError } from '@svc/auth-hooks'

const firstLatchMs = 30_000

/** The longest pause after refused credentials. */
export const longestLatchMs: number = 15 * 60 * 1000
const firstPauseMs = 500
const longestPauseMs = 60_000

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
  return step === 0 ? 0 : random() * doubled(firstPauseMs, step, longestPauseMs)
}

/** How long refused credentials are left alone, after this many refusals in a row. */
export function latchMs(refusals: number): number {
  return doubled(firstLatchMs, refusals, longestLatchMs)
}

function doubled(first: number, step: number, longest: number): number {
  return Math.min(first * 2 ** (step - 1), longest)
}
