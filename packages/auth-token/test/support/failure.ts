import { AuthError } from '@svc/auth-hooks'

/** Resolves to the `AuthError` with which a promise rejects. */
export async function failureOf(promise: Promise<unknown>): Promise<AuthError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (AuthError.is(error)) return error
  throw new Error('there was no error of ours', { cause: error })
}
