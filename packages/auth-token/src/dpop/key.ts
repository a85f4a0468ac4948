import { AuthError, type AuthErrorCode } from '@svc/auth-hooks'
import { requireSubtle } from '@svc/auth-hooks/scheme'
import type { RequestFacts } from '../session-scheme.ts'
import { recall, type Server } from './servers.ts'

/** The key of a session, and what the servers have told that see its proofs. */
export interface Holder {
  readonly servers: Map<string, Server>
  /** The key, once it was read. */
  key?: ProofKey
  readonly read: () => Promise<ProofKey>
}

export interface DpopSettings {
  /** Holds the key of the program. */
  readonly own: Holder | undefined
  readonly allowBearer: boolean
}

interface ProofKey {
  readonly privateKey: CryptoKey
  /** The header of its proofs, encoded. */
  readonly header: string
  /** The key as it goes into a store: without its private part where the program keeps that. */
  readonly text: string
}

/** As the types of Node and of the DOM have it. */
type Key = Extract<Awaited<ReturnType<typeof crypto.subtle.generateKey>>, { type: string }>
export type KeyPair = Readonly<Record<'privateKey' | 'publicKey', Key>>

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** The holders of keys in stores, by their text. One that is forgotten is made anew. */
const kept = new Map<string, Holder>()

const requireCrypto = () => requireSubtle('[@svc/auth-token] dpop cannot sign')

/** Makes a key. Where it is shared, other processes have to sign with it too; else nothing can read its private part. */
export async function createHolder(isShared: boolean): Promise<Holder> {
  const subtle = requireCrypto()
  const pair = await subtle.generateKey(ecdsa, isShared, ['sign', 'verify'])
  if (!isShared) return holdPair(pair)
  const jwk = await subtle.exportKey('jwk', pair.privateKey)
  // The sessions of this process that find it in the store go on with what its servers have told.
  return holderFor(proofKey(pair.privateKey, jwk).text)
}

/** Returns the key. No two wait for one that is being read: in workerd it may be that of a request which is gone. */
export async function keyOf(holder: Holder): Promise<ProofKey> {
  return (holder.key ??= await holder.read())
}

/** Holds a key of the program. Its private part is never read. */
export function holdPair({ privateKey, publicKey }: KeyPair): Holder {
  const read = async (): Promise<ProofKey> => {
    const subtle = requireCrypto()
    const text = bytesOf('')
    const signature = await subtle.sign(ecdsa, privateKey, text)
    const isPair = await subtle.verify(ecdsa, publicKey, signature, text)
    if (!isPair) throw dpopError('keyPair is of two keys')
    return proofKey(privateKey, await subtle.exportKey('jwk', publicKey))
  }
  return { servers: new Map(), read }
}

/** Returns the holder of a token's key: `own` is that of the program, where a store has the public part of its key alone. */
export function holderFor(binding: string | object, own?: Holder): Holder {
  // It is one that a login of this package made.
  if (typeof binding === 'object') return binding as Holder
  if (own?.key?.text === binding) return own
  const read = async (): Promise<ProofKey> => {
    const jwk: JsonWebKey = JSON.parse(binding)
    if (!jwk.d) throw dpopError('its token needs the keyPair of the sign-in')
    const privateKey = await requireCrypto().importKey('jwk', jwk, ecdsa, false, ['sign'])
    return proofKey(privateKey, jwk)
  }
  return recall(kept, binding, () => ({ servers: new Map(), read }))
}

function proofKey(privateKey: CryptoKey, { x, y, d }: JsonWebKey): ProofKey {
  const jwk = { kty: 'EC', crv: 'P-256', x, y }
  const header = encodeJson({ typ: 'dpop+jwt', alg: 'ES256', jwk })
  return { privateKey, header, text: JSON.stringify({ ...jwk, d }) }
}

/** @see https://www.rfc-editor.org/rfc/rfc9449#section-4.2 */
export async function prove(
  holder: Holder,
  server: Server,
  now: number,
  { method, url }: RequestFacts,
  nonce: string | undefined = server.nonce,
  token?: string,
): Promise<string> {
  const subtle = requireCrypto()
  const { privateKey, header } = await keyOf(holder)
  const ath = token && encode(await subtle.digest('SHA-256', bytesOf(token)))
  const iat = Math.floor((now + server.skewMs) / 1000)
  const claims = { jti: crypto.randomUUID(), htm: method, htu: withoutQuery(url), iat, ath, nonce }
  const signed = `${header}.${encodeJson(claims)}`
  return `${signed}.${encode(await subtle.sign(ecdsa, privateKey, bytesOf(signed)))}`
}

/** Returns an error of an option, or of a request. */
export function dpopError(
  what: string,
  code: AuthErrorCode = 'ERR_AUTH_CREDENTIALS',
  about?: { readonly method: string; readonly url: string | URL },
): AuthError {
  const place = about ? `${about.method} ${withoutQuery(about.url)}: ` : ''
  return new AuthError(code, `[@svc/auth-token] ${place}dpop: ${what}`)
}

const withoutQuery = (url: string | URL): string | undefined => String(url).split(/[?#]/)[0]

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const encodeJson = (value: object): string => encode(bytesOf(JSON.stringify(value)))

/** Encodes bytes as base64url. */
function encode(bytes: ArrayBuffer | Uint8Array): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
