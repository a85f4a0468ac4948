import type { Authorization, AuthScheme, OutgoingRequest } from '@svc/types'

/** The credential that the schemes of the tests add. */
export const credential = 'credential-of-the-test'

/** A scheme that adds a numbered credential, records what it saw, and does what a test changes. */
export function recordingScheme(
  origins: readonly string[],
  change: (request: OutgoingRequest) => Partial<Authorization> = () => ({}),
): AuthScheme & { readonly seen: OutgoingRequest[] } {
  const seen: OutgoingRequest[] = []
  return {
    name: 'recording',
    seen,
    sensitiveHeaders: ['x-svc-*', 'X-Amz-*'],
    covers: (url) => origins.includes(url.origin),
    authorize(request) {
      seen.push(request)
      const headers = [['x-test-credential', `${credential}-${seen.length}`]] as const
      return { scheme: 'recording', headers, ...change(request) }
    },
  }
}

/** A review that calls a 401 rejected. */
export const rejects401: NonNullable<Authorization['review']> = ({ status }) =>
  status === 401 ? 'rejected' : undefined
