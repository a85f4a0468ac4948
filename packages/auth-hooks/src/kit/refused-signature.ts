import type { AuthScheme } from '@svc/types'

/** The name under which a scheme carries its signer, and a selector the function that chooses one. */
const signerSymbol = Symbol.for('svc-auth.signer.1')

/** A client's error, as far as it is looked at. */
interface ClientError extends Error {
  readonly response?: { readonly status?: number; readonly statusCode?: number | undefined }
  /** Of ky: the request as it was sent. */
  readonly request?: SentRequest
}

/** A request that was sent, as far as it is looked at. */
interface SentRequest {
  readonly method: string
  readonly url?: string | URL | undefined
}

/**
 * Gives a client's error of a 403, or of a 400 as for a wrong region, a cause that tells how to find the reason, if the
 * request was signed. The message stays the client's own, and so does a cause that it has given. Returns the error.
 */
export function hintDiagnosis<E extends Error>(
  scheme: AuthScheme,
  error: E,
  given?: SentRequest,
): E {
  const { response, cause, request }: ClientError = error
  const sent = given ?? request
  const isRefused = [400, 403].includes(response?.status ?? response?.statusCode ?? 0)
  if (!isRefused || cause instanceof Error || !sent || !isSigned(scheme, sent)) return error
  error.cause = new Error(
    'The service refused a signed request. If the signature is the reason, `(await diagnose(auth, error)).summary` of ' +
      '@svc/auth-sigv4/diagnose says why',
  )
  return error
}

function isSigned(scheme: AuthScheme, { method, url }: SentRequest): boolean {
  const carried: unknown = Reflect.get(scheme, signerSymbol)
  if (typeof carried !== 'function') return carried !== undefined
  try {
    return Reflect.apply(carried, undefined, [method, new URL(url ?? '')]) !== undefined
  } catch {
    // No route leads there.
    return false
  }
}
