import { redact } from '@svc/auth-sigv4/inspect'
import { decode } from '../input/pasted-request.ts'
import type { SignedParts } from './signed-parts.ts'

/** Tells if the packages shorten what stands behind a name. */
function isSecretName(name: string): boolean {
  return redact(name, 'value') !== 'value'
}

/** Lists the values of a request that nobody should see beside who pasted it. */
export function secretsOf({ request, read, key, explanation }: SignedParts): string[] {
  const place = request.url.replace(/\?.*$/s, '').toLowerCase()
  return [
    ...request.secrets,
    ...named(request).flatMap(([, value]) => [value, decode(value)]),
    // A cookie has several values. Of a signature only one part is secret, which stands below.
    ...named(request)
      .filter(([name, value]) => !isSignature(name, value))
      .flatMap(([, value]) => value.split(/[;,\s=]+/))
      // Such as the host, which a cookie may hold, too.
      .filter((value) => !place.includes(value.toLowerCase())),
    key.secretAccessKey,
    key.sessionToken,
    read?.signature ?? '',
    explanation.signature,
  ].filter((value) => value.length >= 8)
}

/** The time in which a server takes a signature in a header, with the difference of its clock. */
const usableMs = 30 * 60_000

/** Tells if somebody who reads what was pasted could use it: an old signature is good for nothing. */
export function holdsUsableSecrets({ request, read, now }: SignedParts): boolean {
  const others = named(request).filter(([name, value]) => !isSignature(name, value))
  const lifetimeMs = (read?.expiresInSeconds ?? 0) * 1000 + usableMs
  const isUsable = read !== undefined && now - (read.signedAt ?? now) < lifetimeMs
  return isUsable || others.length > 0 || request.secrets.some((value) => value !== '')
}

function named({ url, headers }: SignedParts['request']): (readonly [string, string])[] {
  const [, query = ''] = /^[^?]*\?(.*)$/s.exec(url) ?? []
  const parameters = query.split('&').flatMap((piece): [string, string][] => {
    const equals = piece.indexOf('=')
    return equals < 0 ? [] : [[decode(piece.slice(0, equals)), piece.slice(equals + 1)]]
  })
  return [...headers, ...parameters].filter(([name]) => isSecretName(name))
}

function isSignature(name: string, value: string): boolean {
  return (/^authorization$/i.test(name) && /^aws4-/i.test(value)) || /^x-amz-signature$/i.test(name)
}
