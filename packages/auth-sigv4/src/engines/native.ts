/**
 * The signing engine for Node, Bun and Deno, and the default there.
 *
 * @module @svc/auth-sigv4/native
 */

import * as crypto from 'node:crypto'
import type { SigningEngine } from './engine.ts'
import { HmacKey, type Sha256 } from './hmac-key.ts'

/**
 * The engine for Node, Bun and Deno: synchronous `node:crypto`, with the signing key held in private
 * fields, ready for use.
 *
 * @example
 * import { createSigV4Auth } from '@svc/auth-sigv4'
 * import { nativeEngine } from '@svc/auth-sigv4/native'
 *
 * export const auth = createSigV4Auth({
 *   baseUrl: 'https://search.example.com',
 *   region: 'us-east-1',
 *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
 *   engine: nativeEngine(),
 * })
 * @see https://nodejs.org/api/crypto.html
 */
export function nativeEngine(): SigningEngine {
  return {
    name: 'native',
    hash: (data) =>
      sha256(
        typeof data === 'string' && !isAscii(data) ? Buffer.from(data, 'latin1') : data,
        'hex',
      ),
    hashText: (text) => sha256(text, 'hex'),
    async hashStream(pieces) {
      const hash = crypto.createHash('sha256')
      for await (const piece of pieces) hash.update(piece)
      return hash.digest('hex')
    },
    deriveKey(secretAccessKey, { date, region, service }) {
      let key: Buffer = Buffer.from(`AWS4${secretAccessKey}`)
      for (const part of [date, region, service, 'aws4_request']) {
        key = crypto.createHmac('sha256', key).update(part).digest()
      }
      return new HmacKey(key, sha256)
    },
    // Only what `deriveKey` gave comes here.
    sign: (key, stringToSign) => (key as HmacKey).sign(stringToSign),
  }
}

// Text that is ASCII, as nearly all is, has the same bytes in UTF-8, which `node:crypto` reads itself.
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

// One call where the runtime has it (Node from 20.12), which halves the cost of a short hash.
const sha256: Sha256 = crypto.hash
  ? (data, encoding) => crypto.hash('sha256', data, encoding)
  : (data, encoding) => crypto.createHash('sha256').update(data).digest(encoding)
