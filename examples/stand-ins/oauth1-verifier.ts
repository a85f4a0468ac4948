import { createHmac } from 'node:crypto'
import type { SignedRequest } from './signed-requests.ts'

interface Pair {
  readonly key: string
  readonly secret: string
}

/**
 * Verifies a request of OAuth 1.0a, and returns the parameters that are signed.
 *
 * @throws Error that says what is wrong.
 * @see https://www.rfc-editor.org/rfc/rfc5849#section-3.4
 */
export function verifyOAuth1(
  { method, url, headers, body }: SignedRequest,
  consumer: Pair,
  token: Pair,
): string {
  const fields = (headers.authorization ?? '').matchAll(/[ ,](oauth_\w+)="([^"]*)"/g)
  const oauth = new Map(
    Array.from(fields, ([, name = '', value = '']) => [name, decodeURIComponent(value)]),
  )
  const signature = oauth.get('oauth_signature')
  oauth.delete('oauth_signature')
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  const form = new URLSearchParams(isForm ? Buffer.from(body).toString() : '')
  const given = [...url.searchParams, ...form]
  const parameters = [...given, ...oauth]
    .map((pair) => pair.map(encode).join('='))
    // By their bytes, which are those of ASCII here.
    .toSorted((one, other) => (one.replace('=', '\0') < other.replace('=', '\0') ? -1 : 1))
    .join('&')
  const base = [method, url.origin + url.pathname, parameters].map(encode).join('&')
  const key = `${encode(consumer.secret)}&${encode(token.secret)}`
  const expected = createHmac('sha1', key).update(base).digest('base64')
  if (oauth.get('oauth_consumer_key') !== consumer.key) throw new Error('another consumer')
  if (oauth.get('oauth_token') !== token.key) throw new Error('another token')
  if (signature !== expected) throw new Error(`the signature is not that of ${base}`)
  return given.map((pair) => pair.join('=')).join(', ')
}

/** Percent-encodes as RFC 5849 has it: all but letters, digits and `-._~`. */
function encode(text: string): string {
  return Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte)
    if (/[\w.~-]/.test(character)) return character
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}
