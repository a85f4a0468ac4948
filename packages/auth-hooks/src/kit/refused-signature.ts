import type { AuthScheme } from '@svc/types'

/** The name under which a scheme carries its signer, and a selector the function that chooses one. */
const signerSymbol = Symbol.for('svc-auth.signer.1')

interface SentRequest {
  readonly method: string
  readonly url: string | URL
}

/**
 * Gives a client's error of a 403 a cause that tells how to find the reason, if the request was signed. The message
 * stays the client's own, and so does a cause that it has given.
 */
export function hintDiagnosis(
  scheme: AuthScheme,
  error: Error,
  status: number | undefined,
  request: SentRequest,
): void {
  if (status !== 403 || error.cause instanceof Error || !isSigned(scheme, request)) return
  error.cause = new Error(
    'The service refused a signed request. If the signature is the reason, `await diagnose(auth, error)` of ' +
      '@svc/auth-sigv4/diagnose says which line differs',
  )
}

function isSigned(scheme: AuthScheme, { method, url }: SentRequest): boolean {
  const carried: unknown = Reflect.get(scheme, signerSymbol)
  if (typeof carried !== 'function') return carried !== undefined
  try {
    return Reflect.apply(carried, undefined, [method, new URL(url)]) !== undefined
  } catch {
    // No route leads there.
    return false
  }
}
