import { createHash, createPublicKey, verify } from 'node:crypto'
import type { SignedRequest } from './signed-requests.ts'

/**
 * Verifies an Ed25519 signature of HTTP Message Signatures, and returns the components that it covers.
 *
 * @param publicKey - The 32 bytes of the key.
 * @throws Error that says what is wrong.
 * @see https://www.rfc-editor.org/rfc/rfc9421#section-2.5
 */
export function verifyMessageSignature(
  { method, url, headers, body }: SignedRequest,
  publicKey: Uint8Array,
): string {
  const [, label, parameters = ''] =
    /^([\w-]+)=(\(.*)$/.exec(String(headers['signature-input'])) ?? []
  const [, covered = ''] = /^\(([^)]*)\)/.exec(parameters) ?? []
  const derived: Readonly<Record<string, string>> = {
    '@method': method,
    '@target-uri': url.href,
    '@authority': url.host,
    '@path': url.pathname,
  }
  const lines = covered.split(' ').map((quoted) => {
    const name = quoted.slice(1, -1)
    return `${quoted}: ${derived[name] ?? String(headers[name])}`
  })
  const base = [...lines, `"@signature-params": ${parameters}`].join('\n')
  const [, signature = ''] =
    new RegExp(`^${label}=:([^:]+):$`).exec(String(headers['signature'])) ?? []
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
    format: 'jwk',
  })
  if (!verify(null, Buffer.from(base), key, Buffer.from(signature, 'base64'))) {
    throw new Error(`the signature is not that of ${base}`)
  }
  const hash = createHash('sha256').update(body).digest('base64')
  const digest = headers['content-digest']
  if (digest === undefined ? body.length > 0 : digest !== `sha-256=:${hash}:`) {
    throw new Error('the body is another one')
  }
  return covered
}
