/**
 * The hashes that Web Crypto does not have: MD5 and SHA-512/256. Needs `@noble/hashes` 1.8 or later.
 *
 * @module @svc/auth-digest/noble
 */
import type { DigestHashes } from './hashes.ts'

/**
 * Hashes in JavaScript alone, by [@noble/hashes](https://github.com/paulmillr/noble-hashes): for servers that offer only
 * `SHA-512-256` or `MD5`, and for pages of plain http, which have no Web Crypto. A hash is loaded when a challenge asks
 * for it. Needs `@noble/hashes` to be installed.
 *
 * @example
 * import { createDigestAuth } from '@svc/auth-digest'
 * import { nobleHashes } from '@svc/auth-digest/noble'
 *
 * export const auth = createDigestAuth({
 *   baseUrl: 'http://camera.example.com',
 *   credentials: { username: 'reader', password: 'a password' },
 *   hashes: nobleHashes(),
 *   allowMd5: true,
 * })
 * @see https://github.com/paulmillr/noble-hashes
 */
export function nobleHashes(): DigestHashes {
  return {
    async hash(name, bytes) {
      if (name === 'MD5') return (await import('@noble/hashes/legacy.js')).md5(bytes)
      const { sha256, sha512_256 } = await import('@noble/hashes/sha2.js')
      return name === 'SHA-256' ? sha256(bytes) : sha512_256(bytes)
    },
  }
}
