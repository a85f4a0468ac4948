import type { AuthErrorCode, AuthErrorOptions } from '@svc/auth-hooks'
import { requireSubtle } from '@svc/auth-hooks/scheme'
import { fromBase64 } from '../base64.ts'
import { joinedKey, type SessionCredentials } from '../credentials.ts'
import { type Run, startRun } from '../run.ts'
import type { TokenRecord } from '../stores/store.ts'
import type { Internals } from '../timers.ts'
import type { Lockout, Token } from '../token.ts'

/** A record of the sessions with the same credentials, opened. Instants are epoch milliseconds. */
export interface SharedContent {
  readonly token?: SharedToken | undefined
  /** What the next login may be made with; it outlives the token. */
  readonly refreshToken?: string | undefined
  /** Stands while the refresh token is on the wire, until its outcome is known. */
  readonly spending?: WireNote | undefined
  readonly lockout?: (Lockout & SharedError) | undefined
  /** The last login that failed for a reason that passes; those who waited for it take it, too. */
  readonly failure?: SharedFailure | undefined
}

/** `at` is the time of the login. By the `id`, those who wait tell it from a failure before. */
type SharedFailure = SharedError & { readonly id: string; readonly at: number }

/** Says that the refresh token was, or is about to be, sent. Nothing else can mean that it is lost. */
export interface WireNote {
  /** That of the login which sent it last. */
  readonly id: string
  /** The logins which sent it before, where the server takes it more than once. */
  readonly earlier?: readonly string[] | undefined
  /** When it was sent first. */
  readonly since: number
  /** The time within which the sender stores the result, unless it was stopped. */
  readonly lastsMs?: number | undefined
  /** When another process had waited for that long in vain, or the sender got no response. Its result counts all the same. */
  readonly lostAt?: number | undefined
}

interface SharedError extends Pick<AuthErrorOptions, 'retryAt' | 'serverMessage' | 'status'> {
  readonly code: AuthErrorCode
}

/** A token and its lifetime by the clock of the session that logged in. */
export interface SharedToken extends Pick<
  Token,
  'value' | 'issuedAt' | 'expiresAt' | 'replacements' | 'binding'
> {
  /** That of its login; absent if all tokens of the account are for the same. */
  readonly purpose?: string | undefined
}

export interface Seal {
  /** Their key in a store, which tells nothing of the account. */
  readonly key: string
  seal(generation: number, content: SharedContent): Promise<string>
  /** Resolves to `undefined` if it was not sealed with the same credentials as this generation. */
  open(record: TokenRecord): Promise<SharedContent | undefined>
}

/** The version that is sealed along, so that a later one never reads what it does not know. */
const version = 1
/** The form of a key of 32 random bytes, which cannot be guessed: it needs no stretching. */
const randomKey = /^random-key:[\w-]{43}$/
const ivBytes = 12
const keyBytes = 32

const mostKept = 1000

const encoder = /* @__PURE__ */ new TextEncoder()

/** The seals that are being made, and the last ones that were. */
const kept = new Map<string, Run<Seal>>()

/** Returns the seal of some credentials, which is made once for all who ask for it. */
export function sealOf(
  account: readonly string[],
  credentials: SessionCredentials,
  internals: Internals,
): Promise<Seal> {
  const { timers, sealRounds } = internals
  const id = joinedKey([sealRounds, ...account, credentials.key.reveal()])
  const again = (): Promise<Seal> => {
    kept.delete(id)
    return sealOf(account, credentials, internals)
  }
  const known = kept.get(id)
  if (known) return known.join(again)
  // Two keys are derived at a time, so that other work gets its turn.
  const before: Run<unknown> | undefined = [...kept.values()].at(-2)
  const made = startRun(timers, async () => {
    await before?.join(async () => {}).catch(() => {})
    return createSeal(account, credentials, sealRounds)
  })
  kept.set(id, made)
  made.promise.catch(() => kept.delete(id))
  const [oldest = ''] = kept.keys()
  if (kept.size > mostKept) kept.delete(oldest)
  return made.join(again)
}

/**
 * Derives the key of the cipher and the key in the store from the credentials. Others have other keys,
 * so that a wrong password finds nothing and disturbs no other.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8018#section-5.2
 * @see https://csrc.nist.gov/pubs/sp/800/38/d/final
 */
export async function createSeal(
  account: readonly string[],
  { key: secretKey }: SessionCredentials,
  rounds: number,
): Promise<Seal> {
  const subtle = requireSubtle('[@svc/auth-token] a token cannot be sealed for a store')
  const text = secretKey.reveal()
  const password = encoder.encode(text)
  const secret = await subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits'])
  const about = joinedKey([version, ...account])
  const iterations = randomKey.test(text) ? 1 : rounds
  const salt = encoder.encode(`[${about}]`)
  const derivation = { name: 'PBKDF2', hash: 'SHA-512', iterations, salt }
  const derived = new Uint8Array(await subtle.deriveBits(derivation, secret, 2 * keyBytes * 8))
  const cipherKey = derived.subarray(0, keyBytes)
  const key = await subtle.importKey('raw', cipherKey, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const algorithm = (generation: number, iv: Uint8Array<ArrayBuffer>): AesGcmParams => ({
    name: 'AES-GCM',
    iv,
    additionalData: encoder.encode(`[${about},${generation}]`),
  })

  return {
    key: toBase64Url(derived.subarray(keyBytes)),
    async seal(generation, content) {
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
      const plain = encoder.encode(JSON.stringify(content))
      const sealed = await subtle.encrypt(algorithm(generation, iv), key, plain)
      return toBase64Url([...iv, ...new Uint8Array(sealed)])
    },
    async open({ generation, sealed }) {
      try {
        const record = fromBase64(sealed)
        const iv = record.slice(0, ivBytes)
        const plain = await subtle.decrypt(algorithm(generation, iv), key, record.subarray(ivBytes))
        // A record that opens was sealed by this very version with the same password.
        const content: SharedContent = JSON.parse(new TextDecoder().decode(plain))
        return content
      } catch {
        return undefined
      }
    },
  }
}

function toBase64Url(bytes: Iterable<number>): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
