import { randomBytes, randomUUID } from 'node:crypto'
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose'
import { userIdentity } from '../options.ts'
import type { EmulatorUser } from '../options.ts'

/** The tokens that were issued, and what became of them. */
export interface Sessions {
  /** A new token of `user`. */
  issue(user: EmulatorUser, now: number): Promise<IssuedToken>
  /** What a token is worth at `now`. */
  check(token: string, now: number): Promise<TokenCheck>
  /** Ends every earlier token of a user, because a new unique session begins. */
  endOthers(user: EmulatorUser): void
  /** Revokes the tokens of every user of that name, or all. */
  revoke(username: string | undefined): void
}

/** A token and the `jti` by which it is known. */
export interface IssuedToken {
  readonly token: string
  readonly jti: string
}

/** The user of a good token, or why it is none. */
export type TokenCheck =
  | { readonly ok: true; readonly user: EmulatorUser; readonly jti: string }
  | { readonly ok: false; readonly code: TokenRefusal; readonly jti?: string }

/** Why a token was refused. */
export type TokenRefusal = 'MalformedToken' | 'ExpiredToken' | 'RevokedToken' | 'EndedSession'

interface Session {
  readonly user: EmulatorUser
  readonly state: 'active' | 'revoked' | 'ended'
}

/** Sessions that live as long as the emulator. Tokens of another emulator are malformed here. */
export function createSessions(lifetimeSeconds: number): Sessions {
  const secret = randomBytes(32)
  const sessions = new Map<string, Session>()

  const close = (state: 'revoked' | 'ended', isConcerned: (user: EmulatorUser) => boolean) => {
    for (const [jti, session] of sessions) {
      if (session.state === 'active' && isConcerned(session.user)) {
        sessions.set(jti, { ...session, state })
      }
    }
  }

  return {
    async issue(user, now) {
      const jti = randomUUID()
      const issuedAt = Math.floor(now / 1000)
      sessions.set(jti, { user, state: 'active' })
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(user.username)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .setJti(jti)
        .sign(secret)
      return { token, jti }
    },

    async check(token, now) {
      try {
        const { payload } = await jwtVerify(token, secret, {
          algorithms: ['HS256'],
          currentDate: new Date(now),
        })
        const jti = payload.jti ?? ''
        const session = sessions.get(jti)
        if (session === undefined) return { ok: false, code: 'MalformedToken' }
        if (session.state === 'revoked') return { ok: false, code: 'RevokedToken', jti }
        if (session.state === 'ended') return { ok: false, code: 'EndedSession', jti }
        return { ok: true, user: session.user, jti }
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
