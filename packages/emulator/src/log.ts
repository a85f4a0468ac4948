import type { RecordedRequest } from './http/recorder.ts'
import { uriEncode } from './sigv4/canonical-request.ts'

const maxPathLength = 200

/**
 * Writes the line of one request: method, path, status, and the result of its verification. It names
 * nothing of a request that was refused but method and path, since any other part may be a secret in
 * the wrong place.
 */
export function logLine({ method, path, status, auth }: RecordedRequest): string {
  const shown = path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path
  // A terminal would obey a control character.
  const printable = shown.replace(/[^\x21-\x7e…]/g, uriEncode)
  return `${method} ${printable} ${status ?? 'dropped'}: ${explain(auth)}`
}

function explain({ scheme, ok, user, accessKeyId, code }: RecordedRequest['auth']): string {
  if (!ok) return code === undefined ? 'nothing was verified' : `refused, ${code}`
  switch (scheme) {
    case 'login':
      return `logged in ${user}`
    case 'token':
      return `verified the token of ${user}`
    case 'sigv4':
      return `verified the signature of ${accessKeyId}`
  }
  return 'nothing to verify'
}
