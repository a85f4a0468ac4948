import { requireSubtle } from '@svc/auth-hooks/scheme'

/** The hash of an algorithm of Digest, by its name there. */
export type DigestHashName = 'MD5' | 'SHA-256' | 'SHA-512-256'

/** Computes hashes that Web Crypto does not have: `nobleHashes()` of `@svc/auth-digest/noble` does. */
export interface DigestHashes {
  /** Returns the hash of bytes. SHA-512-256 is SHA-512/256, with initial values of its own, and no SHA-512 cut short. */
  hash(name: DigestHashName, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** Returns a hash in lower-case hex. A string stands for its Latin-1 bytes. */
export type HexHash = (data: string | Uint8Array) => Promise<string>

/** The end of a message about a hash that cannot be computed. */
export const remedy =
  '; give hashes: nobleHashes() of @svc/auth-digest/noble, and npm install @noble/hashes'

/**
 * Returns the function of a hash. Web Crypto computes SHA-256 where there is one: no page of plain http has it.
 *
 * @throws AuthError `ERR_AUTH_CRYPTO`, from the function, if there is neither Web Crypto nor a library.
 */
export function hexHash(name: DigestHashName, hashes: DigestHashes | undefined): HexHash {
  return async (data) => {
    const bytes =
      typeof data === 'string' ? Uint8Array.from(data, (one) => one.charCodeAt(0)) : data
    const isNative = name === 'SHA-256' && (!hashes || globalThis.crypto?.subtle)
    if (hashes && !isNative) return toHex(await hashes.hash(name, bytes))
    const subtle = requireSubtle('[@svc/auth-digest] digest cannot hash', remedy)
    return toHex(new Uint8Array(await subtle.digest('SHA-256', new Uint8Array(bytes))))
  }
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
