import { randomBytes, randomUUID } from 'node:crypto'
import type { ObjectGroup } from '@svc/types'
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose'

/** A user who can log in. */
export interface EmulatorUser {
  /** The account name; `Username` of the login. */
  readonly username: string
  /** The password; `Password` of the login. */
  readonly password: string
  /**
   * For a subaccount user, the external ID of its primary account, which its logins must send as
   * `ParentUid`.
   * @default none, for a primary user
   */
  readonly parentUid?: string
  /**
   * A primary user's own external ID: the only `ParentUid` that its logins may send.
   * @default none, and its logins may not send a `ParentUid`
   */
  readonly uid?: string
  /**
   * The groups that `GET /user/groups` lists.
   * @default `[]`
   */
  readonly groups?: readonly ObjectGroup[]
}

/** Returns a text that tells apart users of one name under different primary accounts. */
export function userIdentity(user: EmulatorUser): string {
  const { username, parentUid = null } = user
  return `${JSON.stringify(username)} ${JSON.stringify(parentUid)}`
}

/** The issuer of the tokens, which keeps the state of each. */
export interface TokenIssuer {
  /** Issues a new token of `user`. */
  issue(user: EmulatorUser, now: number): Promise<{ readonly token: string; readonly jti: string }>
  /** Verifies a token at `now`. */
  verify(token: string, now: number): Promise<TokenVerification>
  /** Ends every earlier token of a user, because a new unique session begins. */
  endOthers(user: EmulatorUser): void
  /** Revokes the tokens of every user of that name, or all. */
  revoke(username: string | undefined): void
}

/** The user of a good token, or the code of its rejection. */
type TokenVerification =
  | { readonly ok: true; readonly user: EmulatorUser; readonly jti: string }
  | {
      readonly ok: false
      readonly code: 'MalformedToken' | 'ExpiredToken' | 'RevokedToken' | 'EndedSession'
      readonly jti?: string
    }

interface IssuedToken {
  readonly user: EmulatorUser
  readonly state: 'active' | 'revoked' | 'ended'
}

// Each takes some 300 bytes.
const maxIssuedTokens = 100_000

/**
 * Creates an issuer. Its tokens live as long as the emulator, beyond {@link maxIssuedTokens} until as
 * many were issued after them; those of another emulator are malformed.
 */
export function createTokenIssuer(lifetimeSeconds: number): TokenIssuer {
  const secret = randomBytes(32)
  const issuedTokens = new Map<string, IssuedToken>()

  const close = (state: 'revoked' | 'ended', matches: (user: EmulatorUser) => boolean) => {
    for (const [jti, issued] of issuedTokens) {
      if (issued.state === 'active' && matches(issued.user)) {
        issuedTokens.set(jti, { ...issued, state })
      }
    }
  }

  return {
    async issue(user, now) {
      const jti = randomUUID()
      const issuedAt = Math.floor(now / 1000)
      issuedTokens.set(jti, { user, state: 'active' })
      if (issuedTokens.size > maxIssuedTokens) {
        for (const oldest of issuedTokens.keys()) {
          issuedTokens.delete(oldest)
          break
        }
      }
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(user.username)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .setJti(jti)
        .sign(secret)
      return { token, jti }
    },

    async verify(token, now) {
      try {
        const { payload } = await jwtVerify(token, secret, {
          algorithms: ['HS256'],
          currentDate: new Date(now),
        })
        const jti = payload.jti ?? ''
        const issued = issuedTokens.get(jti)
        if (issued === undefined) return { ok: false, code: 'MalformedToken' }
        if (issued.state === 'revoked') return { ok: false, code: 'RevokedToken', jti }
        if (issued.state === 'ended') return { ok: false, code: 'EndedSession', jti }
        return { ok: true, user: issued.user, jti }
      } catch (error) {
        if (!(error instanceof errors.JWTExpired)) return { ok: false, code: 'MalformedToken' }
        const { jti } = decodeJwt(token)
        return { ok: false, code: 'ExpiredToken', ...(jti === undefined ? {} : { jti }) }
      }
    },

    endOthers(user) {
      const identity = userIdentity(user)
      close('ended', (candidate) => userIdentity(candidate) === identity)
    },

    revoke(username) {
      close('revoked', (user) => username === undefined || user.username === username)
    },
  }
}
