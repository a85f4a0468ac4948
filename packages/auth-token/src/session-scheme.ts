import {
  assertNoDotSegment,
  assertNotAborted,
  chain,
  check,
  checkOptions,
  emit,
  type MaybePromise,
} from '@svc/auth-hooks/scheme'
import type { Authorization, AuthScheme, OutgoingRequest, ResponseHead } from '@svc/types'
import { type CredentialsSource, joinedKey, type SessionCredentials } from './credentials.ts'
import type { Sending } from './dpop/contract.ts'
import { createRegistry, globalRegistry, type SessionEntry } from './registry.ts'
import { createBackOff } from './session/back-off.ts'
import { conclude, type LoginSlot, type SessionUser, startLoginRun } from './session/login-run.ts'
import {
  createSession,
  type Session,
  type SessionReport,
  type TokenRequest,
} from './session/session.ts'
import { readInTime } from './session/session-login.ts'
import type { SessionAuthSettings } from './session/session-options.ts'
import type { Token } from './token.ts'

const tokenCaller = '[@svc/auth-token] getToken'

/**
 * A token session, as a scheme for `authFetch`, `authKy` and the adapters of other clients.
 *
 * @see Interface of the service, section 5.1
 */
export interface TokenAuth extends AuthScheme {
  /**
   * Resolves to the token, after a login if one is needed.
   *
   * @throws AuthError if the login fails: `ERR_AUTH_CREDENTIALS` or one of `ERR_AUTH_LOGIN_…`, with
   * `status` and `retryAt` when known. `signal.reason` if the signal aborts. TypeError if an option is wrong.
   */
  getToken(options?: {
    /** Ends the wait, without affecting others that wait for the same login. */
    readonly signal?: AbortSignal | undefined
  }): Promise<string>
  /**
   * Drops the token that this scheme was given last, and any pause, so the next request logs in. A newer
   * token stays, since others may share the session, and so does a pause after five refused logins in a row.
   * The service is not notified: its interface shows no way to revoke a token.
   */
  invalidate(): Promise<void>
  /** Returns the state of the session. It contains no secrets. */
  inspect(): SessionReport
}

/** A request that is about to be sent with a token. */
export interface RequestFacts {
  /** The method as it is sent. */
  readonly method: string
  /** The URL as it is sent. */
  readonly url: string
  /**
   * The response to the attempt before, such as a 401 with a `www-authenticate` or a `dpop-nonce` header.
   *
   * @default none: this is the first attempt
   */
  readonly previous?: ResponseHead | undefined
}

/** The settings of a scheme, and the ways in which those of two services differ. */
export interface SessionSchemeSettings extends SessionAuthSettings {
  /** Header names that a redirect to elsewhere must not carry. */
  readonly sensitiveHeaders: readonly string[]
  /** Returns the headers of a request with a token. */
  readonly headers: (
    token: string,
    request: RequestFacts,
    binding: Token['binding'],
  ) => Authorization['headers'] | Promise<Authorization['headers']>
  /** Looks at each response first, or is told that none came: what it returns says that the token is not to blame. */
  readonly review?: Sending['review'] | undefined
  /** The URL of the login, whose POST gets no token; `undefined` if it is not known. */
  readonly loginHref: string | undefined
}

/** Returns a scheme for a session of any service. */
export function createSessionScheme(settings: SessionSchemeSettings): TokenAuth {
  const { headers, sensitiveHeaders, loginHref, review } = settings
  const { covers, coverage, onEvent, rejectedStatuses } = settings
  const { name, origin } = settings.ofSession
  const holder = holdSession(settings)
  const { user } = holder

  const isLogin = ({ method, url }: Pick<OutgoingRequest, 'method' | 'url'>): boolean =>
    method === 'POST' && url.href === loginHref

  const authorizeWith = (
    { session, token: { generation, isAdopted, value, binding } }: SessionToken,
    request: OutgoingRequest,
  ): MaybePromise<Authorization> => {
    const { method, previous, reason, url } = request
    const ended = (head?: ResponseHead): string | undefined => {
      session.requestEnded(user, generation)
      const found = review?.(head, request, binding)
      if (found !== undefined || !head) return found
      const { status } = head
      const target = `${method} ${url.origin}${url.pathname}`
      if (rejectedStatuses.has(status)) {
        // The token of another session may be refused too, without a login having been made.
        const again = reason === 'rejected' && isAdopted
        if (!session.rejected(user, generation, status, target)) return undefined
        return again ? 'rejected-again' : 'rejected'
      }
      // A 503 may come from something in front that never looked at the token.
      if (status < 500) session.accepted(generation, target)
      return undefined
    }
    return chain(headers(value, { method, url: url.href, previous }, binding), (given) => {
      session.requestBegan(generation)
      return { scheme: name, headers: given, abandon: ended, review: ended }
    })
  }

  return Object.freeze<TokenAuth>({
    name,
    covers,
    coverage,
    sensitiveHeaders,
    authorize(request) {
      const { method, url, body, signal } = request
      assertNoDotSegment(url, `[@svc/auth-token] ${method}`)
      // The login itself, sent through a global dispatcher that asks this very scheme, would wait for itself.
      if (isLogin(request)) return { scheme: name, headers: [] }
      const singleUse = body?.replayable === false
      const found = holder.tokenAtHand(singleUse)
      if (!found) {
        return holder.token({ signal, singleUse }).then((later) => authorizeWith(later, request))
      }
      const { generation } = found.token
      emit(onEvent, () => ({ type: 'token.reused', scheme: name, origin, generation }))
      return authorizeWith(found, request)
    },
    async prepare(request) {
      if (isLogin(request) || holder.tokenAtHand(false)) return
      await holder.token({ signal: request.signal })
    },
    async getToken(given = {}) {
      const { signal } = checkOptions(given, tokenCaller, { signal: 'abortSignal' })
      const isSignal = signal === undefined || typeof signal?.addEventListener === 'function'
      check(isSignal, tokenCaller, 'signal must be an AbortSignal')
      const { token } = await holder.token({ signal })
      return token.value
    },
    invalidate: async () => holder.invalidate(),
    inspect: () => holder.report(),
  })
}

interface SessionToken {
  readonly session: Session
  readonly token: Token
}

/** Holds the session of a scheme: the one that belongs to its credentials, which may change. */
function holdSession(settings: SessionAuthSettings) {
  const { credentials, ofSession, onEvent, waitUntil, idleMs, sessionKey, owners } = settings
  const readCredentials = typeof credentials === 'function' ? credentials : undefined
  const ownRegistry = settings.session === 'own' ? createRegistry() : undefined
  let entry: SessionEntry | undefined
  let lastGiven = 0
  /** Holds the first call of the credentials function, without which no session is known. */
  const reading: LoginSlot = { login: undefined }

  const find = (own: SessionCredentials): SessionEntry =>
    (ownRegistry ?? globalRegistry()).find({
      key: joinedKey([...sessionKey, own.key.reveal()]),
      refusalKey: joinedKey([...ofSession.account, own.key.reveal()]),
      owners,
      credentials: own,
      idleMs,
      now: ofSession.clock(),
      createBackOff: () => createBackOff(ofSession),
      createSession: (backOff) => createSession(ofSession, own, backOff),
    })

  const user: SessionUser = {
    onEvent,
    waitUntil,
    readCredentials,
    // The token at hand is good until the other session has one.
    onOtherCredentials(other) {
      const next = find(other)
      const moved = next.session.token(user, { wereJustRead: true })
      moved.then(({ kind }) => kind === 'token' && (entry = next)).catch(() => {})
    },
  }

  const readFirst = async (signal: AbortSignal | undefined): Promise<SessionCredentials> => {
    for (;;) {
      assertNotAborted(signal)
      const isJoined = reading.login !== undefined
      const own =
        reading.login ??
        startLoginRun(reading, { user, timers: ofSession.timers }, async (run, abort) => {
          try {
            // Without a session, there are no fixed credentials.
            const read = readCredentials as CredentialsSource
            return { kind: 'moved', credentials: await readInTime(ofSession, abort, read), user }
          } finally {
            conclude(reading, run)
          }
        })
      const end = await own.wait(signal, isJoined)
      if (end.kind === 'moved') return end.credentials
      if (end.kind === 'failed') throw end.error
      conclude(reading, own)
    }
  }

  const session = (): Session | undefined => {
    if (!entry?.isCurrent()) {
      const known =
        entry?.credentials ?? (typeof credentials === 'function' ? undefined : credentials)
      entry = known && find(known)
    }
    return entry?.session
  }

  const give = (known: Session, token: Token): SessionToken => {
    lastGiven = token.generation
    return { session: known, token }
  }

  return {
    user,
    /** Returns the token at hand; `undefined` if it has to be waited for. */
    tokenAtHand(singleUse: boolean): SessionToken | undefined {
      const known = session()
      const token = known?.tokenAtHand(user, singleUse)
      return known && token && give(known, token)
    },
    async token(request: TokenRequest): Promise<SessionToken> {
      assertNotAborted(request.signal)
      let known = session()
      let wereJustRead = false
      const enter = (own: SessionCredentials): Session => {
        entry = find(own)
        wereJustRead = true
        return entry.session
      }
      for (;;) {
        known ??= enter(await readFirst(request.signal))
        const found = await known.token(user, { ...request, wereJustRead })
        if (found.kind === 'token') return give(known, found.token)
        known = enter(found.credentials)
      }
    },
    /** Drops the token that the scheme was given last. */
    invalidate() {
      const known = session()
      // Others may share the session, and have a newer token.
      known?.invalidate(user, ownRegistry ? known.report().generation : lastGiven)
    },
    report: (): SessionReport =>
      session()?.report() ?? { state: reading.login ? 'logging-in' : 'empty', generation: 0 },
  }
}
