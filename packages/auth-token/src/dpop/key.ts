import { AuthError } from '@svc/auth-hooks'
import { requireSubtle } from '@svc/auth-hooks/scheme'
import type { Server } from './servers.ts'

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
  readonly createJti: () => string
  readonly clock: () => number
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

/**
 * Makes a key.
 *
 * @param isShared - `true` if other processes have to sign with it too. Else nothing can read its private part.
 */
export async function createHolder(isShared: boolean): Promise<Holder> {
  const pair = await requireCrypto().generateKey(ecdsa, isShared, ['sign', 'verify'])
  const key = await readKey(pair.privateKey, isShared ? pair.privateKey : pair.publicKey)
  const holder: Holder = { servers: new Map(), key, read: async () => key }
  // The sessions of this process that find it in the store go on with what its servers have told.
  if (isShared) keep(key.text, holder)
  return holder
}

/** Returns the key. No two wait for one that is being read: in workerd it may be that of a request which is gone. */
export async function keyOf(holder: Holder): Promise<ProofKey> {
  holder.key ??= await holder.read()
  return holder.key
}

/** Holds a key of the program. Its private part is never read. */
export function holdPair({ privateKey, publicKey }: KeyPair): Holder {
  return { servers: new Map(), read: () => readKey(privateKey, publicKey) }
}

/**
 * Returns the holder of a token's key.
 *
 * @param own - That of the program, where a store has the public part of its key alone.
 */
export function holderFor(binding: string | object, own?: Holder): Holder {
  // It is one that a login of this package made.
  if (typeof binding === 'object') return binding as Holder
  const known = own?.key?.text === binding ? own : kept.get(binding)
  if (known) return known
  const read = async (): Promise<ProofKey> => {
    const jwk: JsonWebKey = JSON.parse(binding)
    if (jwk.d === undefined) throw wrongOption('its token needs the keyPair of the sign-in')
    const privateKey = await requireCrypto().importKey('jwk', jwk, ecdsa, false, ['sign'])
    return { privateKey, header: headerOf(jwk), text: binding }
  }
  const holder: Holder = { servers: new Map(), read }
  keep(binding, holder)
  return holder
}

function keep(text: string, holder: Holder): void {
  kept.set(text, holder)
  const [oldest = ''] = kept.keys()
  if (kept.size > 1000) kept.delete(oldest)
}

async function readKey(privateKey: CryptoKey, readable: CryptoKey): Promise<ProofKey> {
  const jwk = await requireCrypto().exportKey('jwk', readable)
  const { kty, crv, x, y, d } = jwk
  return { privateKey, header: headerOf(jwk), text: JSON.stringify({ kty, crv, x, y, d }) }
}

function headerOf({ kty, crv, x, y }: JsonWebKey): string {
  return encode(JSON.stringify({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } }))
}

/** A request to prove. */
export interface Proven {
  readonly method: string
  readonly url: string
  /** The name of its server among those of the key. */
  readonly server: string
  /** Absent for a request of a token. */
  readonly token?: string
  /** Given if it is not the last one of the server. */
  readonly nonce?: string | undefined
}

/**
 * Returns the proof of one attempt.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.2
 */
export async function prove(
  holder: Holder,
  { createJti, clock }: DpopSettings,
  { method, url, server, token, nonce }: Proven,
): Promise<string> {
  const known = holder.servers.get(server)
  const [jti, now] = [createJti(), clock() + (known?.skewMs ?? 0)]
  const isText = typeof jti === 'string' && /^[!-~]+$/.test(jti)
  if (!isText) throw wrongOption('createJti must return text of ASCII')
  if (!Number.isFinite(now)) throw wrongOption('clock must return epoch milliseconds')
  const subtle = requireCrypto()
  const { privateKey, header } = await keyOf(holder)
  const hash = token === undefined ? undefined : await subtle.digest('SHA-256', bytesOf(token))
  const [htu] = url.split(/[?#]/)
  const iat = Math.floor(now / 1000)
  const claims = { jti, htm: method, htu, iat, nonce: nonce ?? known?.nonce }
  const payload = encode(JSON.stringify({ ...claims, ath: hash && encode(hash) }))
  const signed = `${header}.${payload}`
  return `${signed}.${encode(await subtle.sign(ecdsa, privateKey, bytesOf(signed)))}`
}

function wrongOption(what: string): AuthError {
  return new AuthError('ERR_AUTH_CREDENTIALS', `[@svc/auth-token] dpop: ${what}`)
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** Encodes bytes, or text of ASCII, as base64url. */
function encode(data: ArrayBuffer | string): string {
  const text = typeof data === 'string' ? data : String.fromCharCode(...new Uint8Array(data))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
