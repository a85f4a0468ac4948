import type { Authorization, AuthScheme } from '@svc/types'

/** A scheme that does what another one does, and shows each authorization to an observer. */
export function recordingScheme(
  scheme: AuthScheme,
  record: (authorization: Authorization) => void,
): AuthScheme {
  return {
    ...scheme,
    async authorize(request) {
      const authorization = await scheme.authorize(request)
      record(authorization)
      return authorization
    },
  }
}
