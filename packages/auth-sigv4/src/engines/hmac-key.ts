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
export class HmacKey {
  // Each pad with room behind it for what is hashed; private, so that no inspection shows them.
  readonly #inner: Buffer
  readonly #outer: Buffer
  readonly #digest: Sha256

  /** @param key - At most 64 bytes, as every digest is. */
  constructor(key: Uint8Array, digest: Sha256) {
    this.#inner = Buffer.alloc(blockBytes + roomBytes)
    this.#outer = Buffer.alloc(blockBytes + digestBytes)
    this.#digest = digest
    for (let index = 0; index < blockBytes; index += 1) {
      const byte = key[index] ?? 0
      this.#inner[index] = byte ^ 0x36
      this.#outer[index] = byte ^ 0x5c
    }
  }

  /** Returns the HMAC of an ASCII text, in lower-case hex. */
  sign(text: string): string {
    const inner = this.#digest(this.#padded(text), 'binary')
    this.#outer.write(inner, blockBytes, 'latin1')
    return this.#digest(this.#outer, 'hex')
  }

  #padded(text: string): Uint8Array {
    if (text.length > roomBytes) {
      return Buffer.concat([this.#inner.subarray(0, blockBytes), Buffer.from(text, 'latin1')])
    }
    this.#inner.write(text, blockBytes, 'latin1')
    return this.#inner.subarray(0, blockBytes + text.length)
  }
}

/** Computes a SHA-256 in one call; of a text, of its bytes in UTF-8. */
export type Sha256 = (data: string | Uint8Array, encoding: 'hex' | 'binary') => string
