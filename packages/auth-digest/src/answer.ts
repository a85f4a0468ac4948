import type { OutgoingRequest } from '@svc/types'
import { type HexHash, hexHash } from './hashes.ts'
import type { Offer } from './offer.ts'
import type { DigestCredentials, DigestSettings } from './options.ts'

/** A nonce, and the number of requests that were sent with it. */
export interface Nonce {
  readonly value: string
  count: number
}

/** The use of one challenge. */
export interface Session {
  readonly offer: Offer
  readonly credentials: DigestCredentials
  readonly hash: HexHash
  /** The current nonce: that of the challenge, or the next one that a response brought. */
  nonce: Nonce
  /** The key, hashed of the password. */
  readonly secret: Promise<string>
  /** For `-sess`, whose key is made of it: one for all requests of the session. */
  readonly cnonce: string | undefined
}

/** Begins the use of a challenge. */
export function openSession(
  offer: Offer,
  nonce: Nonce,
  credentials: DigestCredentials,
  { hashes, createCnonce }: DigestSettings,
): Session {
  const { realm, isSession } = offer
  const { username, password } = credentials
  const hash = hexHash(offer.hash, hashes)
  const cnonce = isSession ? createCnonce() : undefined
  const plain = hash(`${utf8(username)}:${realm}:${utf8(password)}`)
  const secret = isSession
    ? plain.then((key) => hash(`${key}:${nonce.value}:${cnonce ?? ''}`))
    : plain
  // Whoever needs it meets the error.
  secret.catch(() => {})
  return { offer, credentials, hash, nonce, secret, cnonce }
}

/** The answer to a challenge. */
export interface Answer {
  /** The value of the `authorization` header. */
  readonly value: string
  /** The nonce that it was made with. */
  readonly nonce: Nonce
  /** Returns the hash by which the server proves that it knows the password too. */
  readonly proof: () => Promise<string>
}

/**
 * Answers a challenge for one request. The count is taken at once, so that callers at the same moment have different
 * ones.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7616#section-3.4.1
 */
export async function answer(
  session: Session,
  { method, url, body }: OutgoingRequest,
  createCnonce: () => string,
): Promise<Answer> {
  const { offer, hash, nonce } = session
  const { realm, qop, opaque, algorithm, isSession } = offer
  const count = (nonce.count += 1).toString(16).padStart(8, '0')
  const uri = targetOf(url)
  // First what fails with a typed error where there is no crypto at all.
  const secret = await session.secret
  const cnonce = session.cnonce ?? createCnonce()
  const middle = qop ? `${nonce.value}:${count}:${cnonce}:${qop}` : nonce.value
  const respond = async (target: string): Promise<string> =>
    hash(`${secret}:${middle}:${await hash(target)}`)
  const entity = qop === 'auth-int' ? `:${await hash((await body?.bytes()) ?? '')}` : ''
  const parts = [
    await userPart(session),
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce.value)}`,
    `uri=${quoted(uri)}`,
    algorithm && `algorithm=${algorithm}`,
    `response="${await respond(`${method}:${uri}${entity}`)}"`,
    opaque !== undefined && `opaque=${quoted(opaque)}`,
    // A server of RFC 2069 knows none of these, but for the one that a `-sess` needs.
    qop && `qop=${qop}, nc=${count}`,
    (qop ?? isSession) && `cnonce=${quoted(cnonce)}`,
  ]
  const value = `Digest ${parts.filter(Boolean).join(', ')}`
  return { value, nonce, proof: () => respond(`:${uri}`) }
}

/** Returns the parameters that name the user. */
async function userPart({ offer, hash, credentials }: Session): Promise<string> {
  const { username } = credentials
  if (offer.hidesUser)
    return `username="${await hash(`${utf8(username)}:${offer.realm}`)}", userhash=true`
  if (/^[\x20-\x7e]*$/.test(username)) return `username=${quoted(username)}`
  const text = encodeURIComponent(username)
  return `username*=UTF-8''${text.replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)}`
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Returns a text as the Latin-1 text whose bytes are those of its UTF-8. */
function utf8(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}

/** Returns the target of a request as it is answered for and sent. */
export function targetOf({ pathname, search }: Pick<URL, 'pathname' | 'search'>): string {
  return pathname + search
}
