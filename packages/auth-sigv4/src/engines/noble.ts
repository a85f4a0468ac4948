/**
 * A signing engine that needs nothing of its runtime, and the default on React Native. Needs `@noble/hashes`
 * 1.8 or later.
 *
 * @module @svc/auth-sigv4/noble
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { latin1 } from './latin1.ts'
import type { SigningEngine } from './engine.ts'

/**
 * The engine for React Native, for pages that are no secure context, and for anything else without
 * WebCrypto: [@noble/hashes](https://github.com/paulmillr/noble-hashes), in JavaScript alone. It hashes some
 * ten times slower than WebCrypto, which is noticed from some MiB on.
 *
 * Needs `@noble/hashes` to be installed.
 *
 * @example
 * import { createSigV4Auth } from '@svc/auth-sigv4'
 * import { nobleEngine } from '@svc/auth-sigv4/noble'
 *
 * export const auth = createSigV4Auth({
 *   baseUrl: 'https://search.example.com',
 *   region: 'us-east-1',
 *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
 *   engine: nobleEngine(),
 * })
 * @see https://github.com/paulmillr/noble-hashes
 */
export function nobleEngine(): SigningEngine {
  return {
    name: 'noble',
    hash: (data) => bytesToHex(sha256(typeof data === 'string' ? latin1(data) : data)),
    hashText: (text) => bytesToHex(sha256(new TextEncoder().encode(text))),
    async hashStream(pieces) {
      const hash = sha256.create()
      for await (const piece of pieces) hash.update(piece)
      return bytesToHex(hash.digest())
    },
    deriveKey(secretAccessKey, { date, region, service }) {
      let key: Uint8Array = new TextEncoder().encode(`AWS4${secretAccessKey}`)
      for (const part of [date, region, service, 'aws4_request']) {
        key = hmac(sha256, key, latin1(part))
      }
      return new HmacKey(key)
    },
    // Only what `deriveKey` gave comes here.
    sign: (key, stringToSign) => (key as HmacKey).sign(stringToSign),
  }
}

/** A key of HMAC-SHA-256 with both of its pads hashed once, private, so that no inspection shows it. */
class HmacKey {
  readonly #keyed: ReturnType<typeof hmac.create>

  constructor(key: Uint8Array) {
    this.#keyed = hmac.create(sha256, key)
  }

  /** Returns the HMAC of an ASCII text, in lower-case hex. */
  sign(text: string): string {
    return bytesToHex(this.#keyed.clone().update(latin1(text)).digest())
  }
}
