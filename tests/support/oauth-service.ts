import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** A request for the service. */
export interface OAuthCall {
  readonly method: string
  /** The address that the client was given. */
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

/** What the service says to a request. */
export interface OAuthVerdict {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export type OAuthService = (call: OAuthCall) => OAuthVerdict

/** What a token was given for. */
interface Granted {
  readonly client: string
  readonly scope: string
  /** The thumbprint of the key that it is bound to. */
  readonly jkt: string | undefined
}

/**
 * Returns an authorization server and a resource server, on `node:crypto` alone: it shares no code with the packages.
 * Both want proofs of DPoP with a nonce of theirs.
 *
 * - `POST /oauth/token`: a token for any client, bound to the key of a proof, if there is one
 * - `/oauth/bound/…`: takes tokens that are bound, with a proof
 * - `/oauth/scope/<scope>`: takes tokens that were granted the scope
 *
 * A request that is served gets the numbers of its client's logins and challenges so far, and its own body.
 */
export function createOAuthService(): OAuthService {
  const nonces = { token: randomUUID(), resource: randomUUID() }
  const tokens = new Map<string, Granted>()
  const logins = new Map<string, number>()
  const challenges = new Map<string, number>()
  const used = new Set<string>()
  const count = (of: Map<string, number>, name: string): number => {
    const next = (of.get(name) ?? 0) + 1
    of.set(name, next)
    return next
  }

  /** Returns the thumbprint of the key of a proof, or what is wrong with it. */
  const readProof = (
    { method, url, headers }: OAuthCall,
    nonce: string,
    token?: string,
  ): { readonly jkt: string } | { readonly error: string } => {
    const [header = '', payload = '', signature = ''] = String(headers['dpop']).split('.')
    const decoded = [header, payload].map(
      (part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>,
    )
    const [{ typ, alg, jwk } = {}, claims = {}] = decoded
    const { crv, kty, x, y, ...more } = jwk as Record<string, string>
    const key = createPublicKey({ format: 'jwk', key: { crv, kty, x, y } as never })
    const isSigned = verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
    const hash = (text: string): string => createHash('sha256').update(text).digest('base64url')
    const { jti, htm, htu, iat, ath } = claims
    const isRight =
      isSigned &&
      typ === 'dpop+jwt' &&
      alg === 'ES256' &&
      Object.keys(more).length === 0 &&
      htm === method &&
      htu === url.origin + url.pathname &&
      Math.abs(Number(iat) * 1000 - Date.now()) < 60_000 &&
      ath === (token === undefined ? undefined : hash(token)) &&
      !used.has(String(jti))
    used.add(String(jti))
    if (!isRight) return { error: 'invalid_dpop_proof' }
    if (claims['nonce'] !== nonce) return { error: 'use_dpop_nonce' }
    return { jkt: hash(JSON.stringify({ crv, kty, x, y })) }
  }

  const giveToken = (call: OAuthCall): OAuthVerdict => {
    const respond = (status: number, body: object, more: object = {}): OAuthVerdict => ({
      status,
      headers: { 'content-type': 'application/json', ...more },
      text: JSON.stringify(body),
    })
    const proof = call.headers['dpop'] ? readProof(call, nonces.token) : undefined
    if (proof && 'error' in proof) {
      return respond(400, { error: proof.error }, { 'dpop-nonce': nonces.token })
    }
    const form = new URLSearchParams(Buffer.from(call.body).toString())
    const basic = Buffer.from(call.headers.authorization?.slice('Basic '.length) ?? '', 'base64')
    const [client = ''] = basic.toString().split(':')
    const token = randomUUID()
    tokens.set(token, { client, scope: form.get('scope') ?? '', jkt: proof?.jkt })
    count(logins, client)
    const type = proof ? 'DPoP' : 'Bearer'
    return respond(200, { access_token: token, token_type: type, expires_in: 600 })
  }

  const serve = (call: OAuthCall): OAuthVerdict => {
    const { url, headers, body } = call
    const [, , kind, name = ''] = url.pathname.split('/')
    const [scheme, token = ''] = headers.authorization?.split(' ') ?? []
    const granted = tokens.get(token)
    const refuse = (status: number, challenge: string, more: object = {}): OAuthVerdict => {
      count(challenges, granted?.client ?? '')
      return { status, headers: { 'www-authenticate': challenge, ...more }, text: 'refused' }
    }
    if (!granted) return refuse(401, 'Bearer error="invalid_token"')
    if (kind === 'bound') {
      const proof = readProof(call, nonces.resource, token)
      const error = 'error' in proof ? proof.error : undefined
      if (error) return refuse(401, `DPoP error="${error}"`, { 'dpop-nonce': nonces.resource })
      const isBound = scheme === 'DPoP' && 'jkt' in proof && proof.jkt === granted.jkt
      if (!isBound) return refuse(401, 'DPoP error="invalid_token"')
    } else if (!granted.scope.split(' ').includes(name)) {
      return refuse(403, `Bearer error="insufficient_scope", scope="${name}"`)
    }
    const counts = [logins, challenges].map((of) => of.get(granted.client) ?? 0)
    return {
      status: 200,
      headers: {},
      text: `${counts.join(' ')}\n${Buffer.from(body).toString()}`,
    }
  }

  return (call) => (call.url.pathname === '/oauth/token' ? giveToken(call) : serve(call))
}
