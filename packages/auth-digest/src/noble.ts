/**
 * The hashes that Web Crypto does not have: MD5 and SHA-512/256. Needs `@noble/hashes` 1.8 or later.
 *
 * @module @svc/auth-digest/noble
 */
import { md5 } from '@noble/hashes/legacy.js'
import { sha256, sha512_256 } from '@noble/hashes/sha2.js'
import type { DigestHashes } from './hashes.ts'

/**
 * Hashes in JavaScript alone, by [@noble/hashes](https://github.com/paulmillr/noble-hashes): for servers that offer only
 * `SHA-512-256` or `MD5`, and for pages of plain http, which have no Web Crypto. Needs `@noble/hashes` to be installed.
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
  const hashes = { MD5: md5, 'SHA-256': sha256, 'SHA-512-256': sha512_256 }
  return { hash: (name, bytes) => hashes[name](bytes) }
}
