import { AuthError } from '@svc/auth-hooks'
import { readChallenges } from '@svc/auth-hooks/challenge'
import type { Sending } from './contract.ts'
import { type DpopSettings, holderFor, keyOf, prove } from './key.ts'
import { awaitNonce, learn, nonceIn, serverOf } from './servers.ts'

const noNonce = 'the server asks for a nonce and gives none; a page needs it in CORS'
const sentOnce = 'its body cannot be repeated: call again with a new one'
const unbound = 'its token is not bound; to send it as Bearer, give allowBearer'

/** Returns the way in which the tokens of a session are sent. */
export function sendingOf(settings: DpopSettings): Sending {
  const { own, allowBearer, clock } = settings
  return {
    async headers(token, { method, url, previous }, binding) {
      if (binding === undefined) {
        if (allowBearer) return { authorization: `Bearer ${token}` }
        throw dpopError('ERR_AUTH_LOGIN_FAILED', method, url, unbound)
      }
      // To be compared with.
      if (own) await keyOf(own)
      const holder = holderFor(binding, own)
      const server = serverOf(holder.servers, new URL(url).origin)
      await awaitNonce(server, clock())
      // A server may take each nonce once, so that the last one may be used up. A redirect has that of another server.
      const nonce = previous?.status === 401 ? nonceIn(previous.headers) : undefined
      const about = { method, url, server, token, nonce }
      return { authorization: `DPoP ${token}`, dpop: await prove(holder, settings, about) }
    },
    review({ status, headers }, { method, url, body, reason, attempt }, binding) {
      if (binding === undefined) return undefined
      const error = status === 401 ? errorIn(headers.get('www-authenticate')) : undefined
      const refusal = isOfProof(error) ? error : undefined
      const { servers } = holderFor(binding, own)
      const isNew = learn(serverOf(servers, url.origin), headers, refusal && clock())
      if (!refusal) return undefined
      // Those in a row, each of which comes once. Another hop, or token, may meet the same.
      const earlier = reason.includes('dpop') ? reason : `${attempt}`
      if (earlier.includes(refusal)) return ''
      if (refusal === 'use_dpop_nonce' && nonceIn(headers) === undefined) {
        throw dpopError('ERR_AUTH_CHALLENGE', method, url.href, noNonce)
      }
      if (!isNew) return ''
      if (body?.replayable === false) {
        throw dpopError('ERR_AUTH_BODY', method, url.href, sentOnce)
      }
      return `${refusal} ${earlier}`
    },
  }
}

/** Tells if an error is about a proof, and not about its token. */
export function isOfProof(error: unknown): error is 'use_dpop_nonce' | 'invalid_dpop_proof' {
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
