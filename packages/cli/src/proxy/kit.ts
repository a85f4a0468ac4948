import type { AuthError } from '@svc/auth-hooks'
import type { hasDotSegment, isLoopback, readPath } from '@svc/auth-hooks/scheme'
import type { authInterceptor } from '@svc/auth-hooks/undici'
import type { openSigV4 } from '@svc/emulator/verify'

/** Parts of other packages that the proxy uses, loaded once it is asked for. */
export interface ProxyKit {
  readonly AuthError: typeof AuthError
  readonly authInterceptor: typeof authInterceptor
  readonly hasDotSegment: typeof hasDotSegment
  readonly isLoopback: typeof isLoopback
  readonly openSigV4: typeof openSigV4
  readonly readPath: typeof readPath
}

/** Loads them. */
export async function loadProxyKit(): Promise<ProxyKit> {
  const [
    { AuthError },
    { authInterceptor },
    { hasDotSegment, isLoopback, readPath },
    { openSigV4 },
  ] = await Promise.all([
    import('@svc/auth-hooks'),
    import('@svc/auth-hooks/undici'),
    import('@svc/auth-hooks/scheme'),
    import('@svc/emulator/verify'),
  ])
  return { AuthError, authInterceptor, hasDotSegment, isLoopback, openSigV4, readPath }
}
