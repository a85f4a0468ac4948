/**
 * The signing engine for Node, Bun and Deno, and the default there.
 *
 * @module @svc/auth-sigv4/native
 */

import type * as NodeCrypto from 'node:crypto'
import { createRequire } from 'node:module'
import type { SigningEngine } from './engine.ts'

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
    hash(data) {
      // Text that is ASCII, as nearly all is, has the same bytes in UTF-8, which `node:crypto` reads itself.
      const isBytes = typeof data !== 'string' || Buffer.byteLength(data) === data.length
      return sha256(isBytes ? data : Buffer.from(data, 'latin1'))
    },
    hashText: sha256,
    async hashStream(pieces) {
      const hash = crypto().createHash('sha256')
      for await (const piece of pieces) hash.update(piece)
      return hash.digest('hex')
    },
    deriveKey(secretAccessKey, { date, region, service }) {
      let key: Buffer = Buffer.from(`AWS4${secretAccessKey}`)
      for (const part of [date, region, service, 'aws4_request']) {
        key = crypto().createHmac('sha256', key).update(part).digest()
      }
      return new HmacKey(key)
    },
    // Only what `deriveKey` gave comes here.
    sign: (key, stringToSign) => (key as HmacKey).sign(stringToSign),
  }
}

/** Computes a SHA-256 in hex; of a text, of its bytes in UTF-8. */
function sha256(data: string | Uint8Array): string {
  const { hash, createHash } = crypto()
  // One call where the runtime has it (Node from 20.12), which halves the cost of a short hash.
  return hash ? hash('sha256', data, 'hex') : createHash('sha256').update(data).digest('hex')
}

type Crypto = typeof NodeCrypto

let loaded: Crypto | undefined

/** Loads `node:crypto` at the first signature, since an import of it would take longer than that of this package. */
function crypto(): Crypto {
  // Only Node before 20.16, or from 22.0 to 22.2, needs the second way.
  loaded ??=
    process.getBuiltinModule?.('node:crypto') ?? (createRequire('/')('node:crypto') as Crypto)
  return loaded
}

const blockBytes = 64
const digestBytes = 32

/** Room for a string to sign, which has some 200 characters, and a chunk's, which has 300. */
const roomBytes = 512

/**
 * A key of HMAC-SHA-256 with both of its pads made once, which halves the cost of a short message:
 * `node:crypto` makes an object with a stream in it for each HMAC.
 *
 * @see https://www.rfc-editor.org/rfc/rfc2104#section-2
 */
class HmacKey {
  // Each pad with room behind it for what is hashed; private, so that no inspection shows them.
  readonly #inner: Buffer
  readonly #outer: Buffer

  /** @param key - At most 64 bytes, as every digest is. */
  constructor(key: Uint8Array) {
    this.#inner = Buffer.alloc(blockBytes + roomBytes)
    this.#outer = Buffer.alloc(blockBytes + digestBytes)
    for (let index = 0; index < blockBytes; index += 1) {
      const byte = key[index] ?? 0
      this.#inner[index] = byte ^ 0x36
      this.#outer[index] = byte ^ 0x5c
    }
  }

  /** Returns the HMAC of an ASCII text, in lower-case hex. */
  sign(text: string): string {
    // In hex and UTF-8: Latin-1 costs Deno up to ten times as much.
    this.#outer.write(sha256(this.#padded(text)), blockBytes, 'hex')
    return sha256(this.#outer)
  }

  #padded(text: string): Uint8Array {
    if (text.length > roomBytes) {
      return Buffer.concat([this.#inner.subarray(0, blockBytes), Buffer.from(text)])
    }
    this.#inner.write(text, blockBytes)
    return this.#inner.subarray(0, blockBytes + text.length)
  }
}
