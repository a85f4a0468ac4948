import { check } from '@svc/auth-hooks/scheme'

/**
 * Reads headers that the platform's `Headers` takes, and every transport sends.
 *
 * @param option - The name of the option, for the message.
 * @throws TypeError naming the option. It has no `cause`, since the platform's own errors quote values.
 */
export function readHeaders(
  source: RequestInit['headers'],
  caller: string,
  option: string,
): Headers {
  let headers: Headers | undefined
  try {
    headers = new Headers(source)
  } catch {
    // The check below names what is wrong.
  }
  const areSent =
    headers && [...headers.values()].every((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value))
  check(areSent && headers, caller, `${option} must be headers that fetch accepts`)
  return headers
}
