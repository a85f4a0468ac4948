import { AuthError } from '@svc/auth-hooks'
import { forgetSessions } from '@svc/auth-token'
import type { AuthScheme } from '@svc/types'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ProtectedServer, startProtectedServer } from './protected-server.ts'

/** A library that speaks a protocol of its own, with a server of that protocol. */
export interface OtherProtocol {
  readonly respond: (request: Request) => Response | Promise<Response>
  /** Makes the client, with which each call reads the same. */
  readonly connect: (
    baseUrl: string,
    auth: AuthScheme,
  ) => (signal?: AbortSignal) => Promise<unknown>
  /** What a call reads. */
  readonly expected: unknown
  /** Finds the AuthError in what the client rejects with. */
  readonly causeOf?: (error: unknown) => unknown
}

/** Tests what every library of another protocol has to do with a scheme. */
export function testProtocol({
  respond,
  connect,
  expected,
  causeOf = (error) => error,
}: OtherProtocol): void {
  let server: ProtectedServer
  beforeEach(async () => {
    server = await startProtectedServer(respond)
  })
  afterEach(async () => {
    await server.close()
    forgetSessions()
  })

  test('ten calls share one login', async () => {
    const call = connect(server.baseUrl, server.auth)
    const results = await Promise.all(Array.from({ length: 10 }, () => call()))
    expect(results).toEqual(Array.from({ length: 10 }, () => expected))
    expect(server.counts.logins).toBe(1)
  })

  test('a refused token costs one more login, and the call is sent again', async () => {
    const call = connect(server.baseUrl, server.auth)
    await call()
    server.revokeTokens()
    expect(await call()).toEqual(expected)
    expect(server.counts).toMatchObject({ logins: 2, requests: 2 })
  })

  test('a refused login is an AuthError, is not repeated, and nothing else is sent', async () => {
    const call = connect(server.baseUrl, server.refused)
    const error: unknown = await call().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(AuthError.is(causeOf(error))).toBe(true)
    expect(server.counts).toMatchObject({ logins: 1, requests: 0 })
  })

  test('an aborted call rejects, and its request ends', async () => {
    const call = connect(server.baseUrl, server.auth)
    await call()
    server.hold()
    const controller = new AbortController()
    const ended = call(controller.signal).then(
      () => 'resolved',
      () => 'rejected',
    )
    await vi.waitUntil(() => server.counts.requests === 2, 30_000)
    controller.abort()
    expect(await ended).toBe('rejected')
    await vi.waitUntil(() => server.counts.aborted === 1, 30_000)
  })
}
