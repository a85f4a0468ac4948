import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose'
import { type Arrived, serve } from '../../../../auth-hooks/test/support/server.ts'

/** A proof that was taken apart. */
export interface Proof {
  readonly header: { readonly jwk: Readonly<Record<string, string>> }
  readonly payload: {
    readonly jti: string
    readonly htm: string
    readonly htu: string
    readonly iat: number
    readonly ath?: string
    readonly nonce?: string
  }
}

export function readProof(proof: unknown): Proof {
  const [header, payload] = String(proof)
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object)
  return { header, payload } as unknown as Proof
}

/** What was wrong with each request, in order; `null` for one that was served. */
export interface Served extends Arrived {
  problem?: string | null
}

export interface ResourceWorld {
  /**
   * `none`: it asks for no nonce. `one`: for the one at hand, which a test may change. `each`: every response brings the
   * next, and each is taken once.
   */
  nonces: 'none' | 'one' | 'each'
  nonce: string
  /** The time by which its clock is ahead. */
  skewMs: number
  /** Further headers of each response. */
  headers: Record<string, string>
}

/** A resource server that judges proofs with `jose`. It shares no code with what it judges. */
export async function resourceServer(
  find: (token: string) => Promise<{ readonly jkt?: string | undefined } | undefined>,
  given: Partial<ResourceWorld> = {},
) {
  const world: ResourceWorld = {
    nonces: 'none',
    nonce: randomUUID(),
    skewMs: 0,
    headers: {},
    ...given,
  }
  const used = new Set<string>()
  const open = new Set<string>()
  const served: Served[] = []
  const server = await serve((request, response) => {
    void (async (): Promise<void> => {
      const seen: Served = { ...request }
      served.push(seen)
      seen.problem = await problemOf(request).catch(
        (error: unknown) => `invalid_dpop_proof ${String(error)}`,
      )
      response.setHeader('date', new Date(Date.now() + world.skewMs).toUTCString())
      if (world.nonces === 'one' && seen.problem?.startsWith('use_dpop_nonce')) {
        response.setHeader('dpop-nonce', world.nonce)
      }
      if (world.nonces === 'each') {
        const next = randomUUID()
        open.add(next)
        response.setHeader('dpop-nonce', next)
      }
      for (const [name, value] of Object.entries(world.headers)) response.setHeader(name, value)
      if (seen.problem !== null) {
        const [error] = seen.problem.split(' ')
        const parts = ['Bearer realm="a"', `DPoP algs="ES256", error="${error}"`]
        response.writeHead(401, { 'www-authenticate': parts })
      }
      response.end()
    })()
  })

  const problemOf = async ({
    method,
    path,
    headers,
    rawHeaders,
  }: Arrived): Promise<string | null> => {
    const proofs = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'dpop')
    if (proofs.length !== 1) return `invalid_dpop_proof there are ${proofs.length}`
    const [scheme, token = ''] = (headers.authorization ?? '').split(' ')
    if (scheme !== 'DPoP') return `invalid_token the scheme is ${scheme}`
    const currentDate = new Date(Date.now() + world.skewMs)
    const options = { algorithms: ['ES256'], typ: 'dpop+jwt', maxTokenAge: 60, currentDate }
    const { payload, protectedHeader } = await jwtVerify(
      String(headers['dpop']),
      EmbeddedJWK,
      options,
    )
    const { jti = '', nonce } = payload as { jti?: string; nonce?: string }
    if (world.nonces === 'one' && nonce !== world.nonce) return 'use_dpop_nonce'
    if (world.nonces === 'each' && !open.delete(nonce ?? '')) return 'use_dpop_nonce'
    if (jti === '' || used.has(jti)) return 'invalid_dpop_proof jti'
    used.add(jti)
    if (payload['htm'] !== method) return 'invalid_dpop_proof htm'
    const [own] = path.split('?')
    if (payload['htu'] !== server.origin + own) return 'invalid_dpop_proof htu'
    const ath = createHash('sha256').update(token).digest('base64url')
    if (payload['ath'] !== ath) return 'invalid_dpop_proof ath'
    const found = await find(token)
    if (!found) return 'invalid_token'
    const { jwk } = protectedHeader as unknown as { jwk: Record<string, string> }
    return found.jkt === (await calculateJwkThumbprint(jwk)) ? null : 'invalid_token jkt'
  }

  return {
    origin: server.origin,
    world,
    served,
    problems: () => served.map(({ problem }) => problem),
    proofs: () => served.map(({ headers }) => readProof(headers['dpop'])),
  }
}
