import type { Latch } from '../token.ts'
import type { TokenRecord } from '../stores/store.ts'
import type { HeldCredentials } from '../credentials.ts'

/** What sessions with the same credentials tell each other. Instants are epoch milliseconds. */
export interface SharedContent {
  readonly token?: SharedToken | undefined
  /** No login is made with these credentials until `retryAt`. */
  readonly latch?: SharedLatch | undefined
}

/** A token and its lifetime by the clock of the session that logged in. */
export interface SharedToken {
  readonly value: string
  readonly issuedAt: number
  readonly expiresAt: number
  /** How many logins in a row, that of this token included, were made since a token was refused. */
  readonly replacements: number
}

/** The refusal of a login. */
export interface SharedLatch extends Latch {
  readonly status: number
}

/** Seals and opens the records of one account. */
export interface Seal {
  /** Where they stand in a store: it tells nothing of the account. */
  readonly key: string
  seal(generation: number, content: SharedContent): Promise<string>
  /** `undefined` where it was not sealed with the same credentials as this generation. */
  open(record: TokenRecord): Promise<SharedContent | undefined>
}

/** Part of what is sealed, so that a later version never reads what it does not know. */
const version = 1
/** As many as workerd allows. */
const rounds = 100_000
const ivBytes = 12
const keyBytes = 32

const encoder = new TextEncoder()

/**
 * Derives key and place of the records from the credentials. Whoever has others gets another place
 * and another key, so that a wrong password finds nothing and disturbs nobody.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8018#section-5.2
 * @see https://csrc.nist.gov/pubs/sp/800/38/d/final
 */
export async function createSeal(
  loginUrl: URL,
  tokenHeader: string,
  { username, password, parentUid }: HeldCredentials,
): Promise<Seal> {
  const account = [version, loginUrl.href, tokenHeader, username, parentUid ?? null]
  const { subtle } = crypto
  const secret = await subtle.importKey('raw', encoder.encode(password.reveal()), 'PBKDF2', false, [
    'deriveBits',
  ])
  const salt = encoder.encode(JSON.stringify(account))
  const derived = new Uint8Array(
    await subtle.deriveBits(
      { name: 'PBKDF2', hash: 'SHA-512', iterations: rounds, salt },
      secret,
      2 * keyBytes * 8,
    ),
  )
  const key = await subtle.importKey('raw', derived.subarray(0, keyBytes), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ])
  const algorithm = (generation: number, iv: Uint8Array<ArrayBuffer>): AesGcmParams => ({
    name: 'AES-GCM',
    iv,
    additionalData: encoder.encode(JSON.stringify([...account, generation])),
  })

  return {
    key: toBase64Url(derived.subarray(keyBytes)),
    async seal(generation, content) {
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
      const plain = encoder.encode(JSON.stringify(content))
      const sealed = new Uint8Array(await subtle.encrypt(algorithm(generation, iv), key, plain))
      const record = new Uint8Array(ivBytes + sealed.length)
      record.set(iv)
      record.set(sealed, ivBytes)
      return toBase64Url(record)
    },
    async open({ generation, sealed }) {
      try {
        const record = fromBase64Url(sealed)
        const iv = record.slice(0, ivBytes)
        const plain = await subtle.decrypt(algorithm(generation, iv), key, record.subarray(ivBytes))
        // What opens was sealed by this very version with the same password.
        const content: SharedContent = JSON.parse(new TextDecoder().decode(plain))
        return content
      } catch {
        return undefined
      }
    },
  }
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
