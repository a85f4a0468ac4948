import type { AuthEvent } from '@svc/auth-hooks'
import { createSessionAuth, type SessionAuthOptions } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken, type RefreshTokenOptions } from '@svc/auth-token/oauth2'
import { sharedTokenStore, type TokenStore } from '@svc/auth-token/sharing'
import { expect, vi } from 'vitest'
import { turnedTime } from '../../support/time.ts'
import { authorizationServer, reports } from './authorization-server.ts'

type Own = Partial<
  RefreshTokenOptions &
    Pick<SessionAuthOptions<object>, 'clock' | 'fetch' | 'baseUrl' | 'loginTimeoutMs'>
> & {
  readonly store?: TokenStore
}

/** A store that outlives processes, as far as the session can tell, whose methods a test may spoil. */
export function durableStore(clock?: () => number) {
  const memory = memoryTokenStore(clock)
  const spoilt: Partial<TokenStore> = {}
  const keys = new Set<string>()
  const current = (): TokenStore => ({ ...memory, ...spoilt })
  const store: TokenStore = {
    get(key) {
      keys.add(key)
      return current().get(key)
    },
    compareAndSwap: (...given) => current().compareAndSwap(...given),
    lock: (...given) => current().lock(...given),
    unlock: (...given) => current().unlock(...given),
  }
  return { store: sharedTokenStore(store), spoilt, memory, keys }
}

export async function away(): Promise<never> {
  throw new Error('the store is away')
}

/** The memory of a process: another one has its own. */
const thisProcess = { createSessionAuth, refreshToken, sharedTokenStore }

/** Loads the package anew, as another process does. */
export async function otherProcess(): Promise<typeof thisProcess> {
  vi.resetModules()
  const [token, oauth2, sharing] = await Promise.all([
    import('@svc/auth-token'),
    import('@svc/auth-token/oauth2'),
    import('@svc/auth-token/sharing'),
  ])
  return { ...token, ...oauth2, ...sharing }
}

/** A user who has signed in, and the sessions that any number of processes would make. */
export async function signedIn(time = turnedTime()) {
  const server = await authorizationServer()
  const first = await server.signIn()
  const events: AuthEvent[] = []
  const { store, ...rest } = durableStore(() => time.now)
  const session = (
    {
      fetch,
      baseUrl = server.baseUrl,
      loginTimeoutMs,
      store: other,
      clock = time.clock,
      ...own
    }: Own = {},
    { createSessionAuth: create, refreshToken: grantOf, sharedTokenStore: share } = thisProcess,
  ) => {
    const { issuer } = server
    const grant = { issuer, clientId: 'app', refreshToken: first, resource: reports, ...own }
    return create({
      baseUrl,
      ...grantOf(grant),
      store: share(other ?? store),
      session: 'own',
      clock,
      random: () => 0,
      fetch,
      loginTimeoutMs,
      onEvent: (event) => events.push(event),
    })
  }
  /** Lets the access token run out. */
  const expire = (): void => void (time.now += 600_000)
  return { ...server, ...rest, first, time, events, session, expire }
}

export function failure(auth: { getToken: () => Promise<string> }): Promise<unknown> {
  return auth.getToken().then(
    () => undefined,
    (error: unknown) => error,
  )
}

export const lost = expect.objectContaining({ code: 'ERR_AUTH_REFRESH_LOST' })
export const noStore = expect.objectContaining({ code: 'ERR_AUTH_STORE' })
