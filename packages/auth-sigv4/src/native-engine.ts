import * as crypto from 'node:crypto'
import type { SigningEngine } from './signing-engine.ts'

/**
 * The engine of Node, Bun and Deno: synchronous `node:crypto`, with the signing key held as a
 * `KeyObject`, which makes an HMAC five times cheaper than a raw key.
 *
 * @example
 * createSigV4Auth({ baseUrl, region, credentials, engine: nativeEngine() })
 */
export function nativeEngine(): SigningEngine {
  return {
    name: 'native',
    hash: (data) => sha256(typeof data === 'string' ? Buffer.from(data, 'latin1') : data),
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
      return crypto.createSecretKey(key)
    },
    sign: (key, stringToSign) =>
      crypto
        // Only what `deriveKey` gave comes here.
        .createHmac('sha256', key as crypto.KeyObject)
        .update(stringToSign)
        .digest('hex'),
  }
}

// One call where the runtime has it (Node from 20.12), which halves the cost of a short hash.
const sha256: (data: Uint8Array) => string = crypto.hash
  ? (data) => crypto.hash('sha256', data, 'hex')
  : (data) => crypto.createHash('sha256').update(data).digest('hex')
