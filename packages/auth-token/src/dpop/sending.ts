import { readChallenges } from '@svc/auth-hooks/challenge'
import type { RequestFacts } from '../session-scheme.ts'
import type { DpopRules } from './contract.ts'
import { dpopError, type DpopSettings, holderFor, keyOf, prove } from './key.ts'
import { awaitNonce, learn, nonceIn, serverOf, wake } from './servers.ts'

const noNonce = 'the server asks for a nonce and gives none; a page needs it in CORS'
const sentOnce = 'its body is sent: call again with a new one'
const unbound = 'its token is not bound; to send it as Bearer, give allowBearer'

/** Returns the way in which the tokens of a session are sent. */
export function sendingOf({ own, allowBearer }: DpopSettings): DpopRules['sending'] {
  return ({ clock, timers }) => ({
    async headers(token, request, binding) {
      if (binding === undefined) {
        if (allowBearer) return { authorization: `Bearer ${token}` }
        throw dpopError(unbound, 'ERR_AUTH_LOGIN_FAILED', request)
      }
      // To be compared with.
      if (own) await keyOf(own)
      const holder = holderFor(binding, own)
      const server = serverOf(holder.servers, new URL(request.url).origin)
      const nonce = ownNonce(request)
      if (nonce === undefined) await awaitNonce(server, timers)
      const dpop = await prove(holder, server, clock(), request, nonce, token)
      return { authorization: `DPoP ${token}`, dpop }
    },
    review(head, request, binding) {
      if (binding === undefined) return undefined
      const { body, reason, url } = request
      const server = serverOf(holderFor(binding, own).servers, url.origin)
      if (!head) return wake(server)
      const { status, headers } = head
      const refusal = status === 401 ? refusalIn(headers.get('www-authenticate')) : undefined
      const nonce = nonceIn(headers)
      const isNew = learn(server, headers, refusal && clock())
      // Those in a row, each of which comes once. Another hop, or token, may meet the same.
      const earlier = reason.includes('dpop') ? reason : `dpop ${(rows += 1)}`
      const isLast = !refusal || !isNew || earlier.includes(refusal)
      const isRepeated = !isLast && body?.replayable !== false
      const known = nonce ?? ownNonce(request)
      const isShared = server.usedAt === undefined && nonce !== undefined
      // A server may take each nonce once: that of a refusal is left to the request, unless others wait for one.
      if (isShared || (!isRepeated && (known ?? status < 500))) {
        server.nonce = known ?? server.nonce
        server.usedAt = timers.now()
      }
      wake(server)
      if (refusal === 'use_dpop_nonce' && nonce === undefined) {
        throw dpopError(noNonce, 'ERR_AUTH_CHALLENGE', request)
      }
      if (isLast) return refusal && ''
      if (!isRepeated) throw dpopError(sentOnce, 'ERR_AUTH_BODY', request)
      // They may use up a nonce that is shared: its refusal does not count.
      return `${isShared ? 'shared' : refusal} ${earlier}`
    },
  })
}

/** The number of rows of refusals: a client may count the attempts of each hop anew. */
let rows = 0

/** Returns the nonce of the refusal after which a request is repeated. A redirect has that of another server. */
function ownNonce({ previous }: Pick<RequestFacts, 'previous'>): string | undefined {
  return previous?.status === 401 ? nonceIn(previous.headers) : undefined
}

/** Tells if an error is about a proof, and not about its token. */
export function isOfProof(error: unknown): error is 'use_dpop_nonce' | 'invalid_dpop_proof' {
  return error === 'use_dpop_nonce' || error === 'invalid_dpop_proof'
}

/** @see https://www.rfc-editor.org/rfc/rfc9449#section-7.1 */
function refusalIn(field: string | null) {
  const own = readChallenges(field).filter(({ scheme }) => scheme === 'dpop')
  return own.map(({ parameters }) => parameters.get('error')).find(isOfProof)
}
