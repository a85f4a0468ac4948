import {
  formatDuration as durationText,
  hideValues,
  redact as redactValue,
} from '../diagnose/text.ts'

/**
 * Returns a value of a header or of a parameter as it may be shown: shortened where the name is one of a secret,
 * such as `authorization`, `cookie` or `x-amz-security-token`.
 *
 * @param name - The name of the header or the parameter, in any case.
 * @example
 * import { redact } from '@svc/auth-sigv4/inspect'
 *
 * console.log(redact('cookie', 'id=1'), redact('host', 'a.example')) // … (4 characters) a.example
 */
export function redact(name: string, value: string): string {
  return redactValue(name, value)
}

/**
 * Returns a function that shortens secret values in a text, such as one that quotes a request, in whatever form it
 * has them: percent-encoded, in base64. A value of less than 8 characters would be found in any text, and stays.
 *
 * @example
 * import { hideSecrets } from '@svc/auth-sigv4/inspect'
 *
 * console.log(hideSecrets(['correct horse'])('?q=correct%20horse')) // ?q=… (15 characters)
 */
export function hideSecrets(values: readonly string[]): (text: string) => string {
  return hideValues(values)
}

/**
 * Writes a length of time for people, to two units.
 *
 * @param ms - The time in milliseconds; its sign does not matter.
 * @example
 * import { formatDuration } from '@svc/auth-sigv4/inspect'
 *
 * console.log(formatDuration(3_900_000)) // 1 h 5 min
 */
export function formatDuration(ms: number): string {
  return durationText(ms)
}
