import { AuthError } from '@svc/auth-hooks'
import { readChallenges } from '@svc/auth-hooks/challenge'
import type { Sending } from './contract.ts'
import { type Holder, holderFor, keyOf, prove } from './key.ts'
import { learn, nonceIn } from './servers.ts'

export interface DpopSettings {
  /** Holds the key of the program. */
  readonly own: Holder | undefined
  readonly allowBearer: boolean
  readonly createJti: () => string
  readonly clock: () => number
}

/** The reason of one more attempt in a call, and of another where that is not the first: as with a replaced token. */
const repeat = 'dpop-proof'

/** Returns the way in which the tokens of a session are sent. */
export function sendingOf({ own, allowBearer, createJti, clock }: DpopSettings): Sending {
  return {
    async headers(token, { method, url, previous }, binding) {
      if (binding === undefined) {
        if (allowBearer) return { authorization: `Bearer ${token}` }
        throw dpopError('ERR_AUTH_CREDENTIALS', method, url, 'the login left out its binding')
      }
      // To be compared with.
      if (own) await keyOf(own)
      const holder = holderFor(binding, own)
      const { nonce, skewMs = 0 } = holder.servers.get(new URL(url).origin) ?? {}
      // A server may take each nonce once, so that the last one may be used up. A redirect has that of another server.
      const given = previous?.status === 401 ? nonceIn(previous.headers) : undefined
      const about = { method, url, token, nonce: given ?? nonce }
      const proof = await prove(holder, { ...about, jti: createJti(), now: clock() + skewMs })
      return { authorization: `DPoP ${token}`, dpop: proof }
    },
    review({ status, headers }, { method, url, body, reason }, binding) {
      if (binding === undefined) return undefined
      const error = status === 401 ? errorIn(headers.get('www-authenticate')) : undefined
      const refusedAt = error === 'invalid_dpop_proof' ? clock() : undefined
      const { servers } = holderFor(binding, own)
      const isNew = learn(servers, url.origin, headers, refusedAt)
      if (!isOfProof(error)) return undefined
      if (reason.startsWith(repeat)) return ''
      if (!isNew && refusedAt !== undefined) return ''
      if (!isNew) {
        const what =
          'the server asks for a nonce and gives none that can be used; for a page, it must list dpop-nonce in access-control-expose-headers'
        throw dpopError('ERR_AUTH_CHALLENGE', method, url.href, what)
      }
      if (body?.replayable === false) {
        const what = 'refused after a body that cannot be repeated: call again with a new one'
        throw dpopError('ERR_AUTH_BODY', method, url.href, what)
      }
      return reason === 'initial' ? repeat : `${repeat}-again`
    },
  }
}

/** Tells if an error is about a proof, and not about its token. */
export function isOfProof(error: unknown): boolean {
  return error === 'use_dpop_nonce' || error === 'invalid_dpop_proof'
}

/** @see https://www.rfc-editor.org/rfc/rfc9449#section-7.1 */
function errorIn(field: string | null): string | undefined {
  const own = readChallenges(field).filter(({ scheme }) => scheme === 'dpop')
  return own.map(({ parameters }) => parameters.get('error')).find(Boolean)
}

function dpopError(code: AuthError['code'], method: string, href: string, what: string): AuthError {
  const { origin, pathname } = new URL(href)
  return new AuthError(code, `[@svc/auth-token] ${method} ${origin}${pathname}: dpop: ${what}`)
}
