import { AuthError, type AuthErrorCode } from '@svc/auth-hooks'
import { type Challenge, readChallenges } from '@svc/auth-hooks/challenge'
import type { OutgoingRequest, ResponseHead } from '@svc/types'
import { type DigestHashName, remedy } from './hashes.ts'
import type { DigestSettings } from './options.ts'

/**
 * A challenge that can be answered.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7616#section-3.3
 */
export interface Offer {
  readonly realm: string
  readonly nonce: string
  readonly opaque: string | undefined
  /** As the server spells it; `undefined` if it names none, which is MD5. */
  readonly algorithm: string | undefined
  readonly hash: DigestHashName
  /** `true` for `-sess`, whose first nonce is part of the key. */
  readonly isSession: boolean
  /** `undefined` for a server of RFC 2069, which counts no requests. */
  readonly qop: 'auth' | 'auth-int' | undefined
  /** `true` if the server wants a hash in place of the user name. */
  readonly hidesUser: boolean
  /** `true` if the credentials were right, and only the nonce was too old. */
  readonly isStale: boolean
}

export const needsChallenge =
  'digest needs a challenge: send one without a body first, or buffer it'

/** The hashes, the weakest first. */
const strengths: readonly DigestHashName[] = ['MD5', 'SHA-256', 'SHA-512-256']

export function strengthOf({ hash, qop }: Offer): number {
  return 2 * strengths.indexOf(hash) + (qop ? 1 : 0)
}

/**
 * Returns the strongest challenge that can be answered; `undefined` if the response offers no Digest at all. `domain`
 * is not read: an answer goes to the origin that asked for it.
 *
 * @param minimum - The strength of what this origin accepted before.
 * @throws AuthError `ERR_AUTH_CHALLENGE` if none of them may be answered; `ERR_AUTH_CRYPTO` if none can be, here.
 */
export function chooseOffer(
  { allowMd5, hashes }: DigestSettings,
  request: OutgoingRequest,
  { headers, status }: ResponseHead,
  minimum: number,
): Offer | undefined {
  const challenges = readChallenges(headers.get('www-authenticate'))
  const digests = challenges.filter(({ scheme }) => scheme === 'digest')
  if (digests.length === 0) return undefined
  const offers = digests.map(readOffer).filter((each) => each !== undefined)
  const allowed = offers.filter(({ hash, qop }) => allowMd5 || (hash !== 'MD5' && qop))
  const possible = allowed.filter(({ hash }) => hashes || hash === 'SHA-256')
  // Of two that are as strong, the server prefers the first.
  const [strongest] = possible.sort((one, other) => strengthOf(other) - strengthOf(one))
  if (strongest && strengthOf(strongest) >= minimum) return strongest
  if (!strongest && allowed.length > 0) {
    const problem = `digest is offered without a hash of Web Crypto${remedy}`
    throw digestError('ERR_AUTH_CRYPTO', request, problem, status)
  }
  const problem = strongest
    ? 'weaker than before'
    : offers.length > 0
      ? 'with MD5 or without qop, which takes allowMd5: true'
      : 'without a realm, nonce, algorithm or qop'
  throw digestError('ERR_AUTH_CHALLENGE', request, `digest is offered ${problem}`, status)
}

function readOffer({ parameters }: Challenge): Offer | undefined {
  const algorithm = parameters.get('algorithm')
  const known = /^(md5|sha-256|sha-512-256)(-sess)?$/i.exec(algorithm ?? 'MD5')
  const hash = strengths.find((name) => name === known?.[1]?.toUpperCase())
  const realm = parameters.get('realm')
  const nonce = parameters.get('nonce')
  const opaque = parameters.get('opaque')
  const listed = parameters.get('qop')
  const offered = listed?.toLowerCase().split(/[\s,]+/) ?? []
  const qop = (['auth', 'auth-int'] as const).find((each) => offered.includes(each))
  if (!hash || realm === undefined || !nonce || (listed !== undefined && !qop)) return undefined
  if (!isEchoable(realm + nonce + (opaque ?? ''))) return undefined
  return {
    realm,
    nonce,
    opaque,
    algorithm,
    hash,
    isSession: known?.[2] !== undefined,
    qop,
    hidesUser: parameters.get('userhash')?.toLowerCase() === 'true',
    isStale: parameters.get('stale')?.toLowerCase() === 'true',
  }
}

/** Tells if a text of the server's may stand in a header: without a line break, of bytes, and short enough. */
export function isEchoable(text: string): boolean {
  return text.length <= 4096 && /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
}

/** Returns an error whose message names the request, without its query, and nothing of the server's words. */
export function digestError(
  code: AuthErrorCode,
  { method, url }: OutgoingRequest,
  description: string,
  status?: number,
): AuthError {
  const line = `${method} ${url.origin}${url.pathname}`
  return new AuthError(code, `[@svc/auth-digest] ${line}: ${description}`, { status })
}
