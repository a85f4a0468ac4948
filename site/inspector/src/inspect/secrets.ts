import { redact } from '@svc/auth-sigv4/inspect'
import { decode } from '../input/pasted-request.ts'
import type { SignedParts } from './inspect-request.ts'

/** Tells if the packages shorten what stands behind a name. */
export function isSecretName(name: string): boolean {
  return redact(name, 'value') !== 'value'
}

/** Lists the values of a request that nobody should see beside who pasted it. */
export function secretsOf({ request, read, key, explanation }: SignedParts): string[] {
  const [, query = ''] = /^[^?]*\?(.*)$/s.exec(request.url) ?? []
  const parameters = query.split('&').flatMap((piece): [string, string][] => {
    const equals = piece.indexOf('=')
    return equals < 0 ? [] : [[decode(piece.slice(0, equals)), piece.slice(equals + 1)]]
  })
  const named = [...request.headers, ...parameters].filter(([name]) => isSecretName(name))
  return [
    ...request.secrets,
    ...named.flatMap(([name, value]) => [
      value,
      decode(value),
      // A cookie has several values. Of a signature only one part is secret, which is told below.
      ...(/^authorization$/i.test(name) && /^AWS4-/.test(value) ? [] : value.split(/[;,\s=]+/)),
    ]),
    key.secretAccessKey,
    key.sessionToken,
    read?.signature ?? '',
    explanation.signature,
  ].filter((value) => value.length >= 8)
}
