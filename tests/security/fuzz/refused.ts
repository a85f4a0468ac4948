import assert from 'node:assert/strict'
import { AuthError, type AuthErrorCode } from '@svc/auth-hooks'

/** Runs a parser that may reject its input; nothing but these errors may come of it. */
export function orRejected<Result>(
  codes: readonly (AuthErrorCode | 'TypeError')[],
  read: () => Result,
): Result | undefined {
  try {
    return read()
  } catch (error) {
    const code = AuthError.is(error) ? error.code : error instanceof TypeError && 'TypeError'
    assert.ok(
      codes.some((one) => one === code),
      `rejected with ${String(error)}`,
    )
    return undefined
  }
}
