import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { authFetch, createSessionAuth, type TokenAuth } from '@svc/auth-token'
import { clientCredentials, refreshToken } from '@svc/auth-token/oauth2'
import { type StepUp, stepUp, stepUpOf } from '@svc/auth-token/step-up'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import {
  authorizationServer,
  reports,
  secrets,
  type TokenRequest,
} from '../oauth2/support/authorization-server.ts'
import { durableStore } from '../oauth2/support/signed-in.ts'
import { turnedTime } from '../support/time.ts'
import { failure } from './support/demanding-server.ts'

/** A resource server that asks a provider for what its tokens were granted. */
async function resourceServer() {
  const server = await authorizationServer()
  const granted: string[] = []
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '' } = request.headers
    const asked = await fetch(server.baseUrl, { headers: { authorization } })
    const { scope = '' } = (await asked.json()) as { readonly scope?: string }
    granted.push(scope)
    const needed = request.url?.slice(1) ?? ''
    const isEnough = scope.split(' ').includes(needed)
    const error = asked.ok ? 'insufficient_scope' : 'invalid_token'
    const challenge = `Bearer realm="reports", error="${error}", scope="${needed}"`
    const status = asked.ok ? (isEnough ? 200 : 403) : 401
    response.writeHead(status, isEnough ? {} : { 'www-authenticate': challenge }).end()
  }
  const { url, close } = await listenOnLoopback(
    createServer((request, response) => void respond(request, response)),
  )
  onTestFinished(close)
  const time = turnedTime()
  const statusOf = async (auth: TokenAuth, path: string): Promise<number> =>
    (await authFetch(auth, { baseUrl: url })(path)).status
  const scopes = (requests: readonly TokenRequest[] = server.tokenRequests): (string | null)[] =>
    requests.map(({ form }) => form.get('scope'))
  return { ...server, url, granted, time, statusOf, scopes }
}

const { basic: clientSecret } = secrets
const random = (): number => 0

test('a machine is granted further scopes, and a renewed token has them', async () => {
  const { issuer, url, granted, time, statusOf, scopes } = await resourceServer()
  const client = { issuer, clientId: 'basic', clientSecret, resource: reports }
  const auth = stepUp({
    scope: 'read',
    clock: time.clock,
    session: (wanted) =>
      createSessionAuth({
        baseUrl: url,
        ...clientCredentials({ ...client, ...wanted }),
        clock: time.clock,
        random,
      }),
  })
  expect(await statusOf(auth, '/read')).toBe(200)
  const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf(auth, '/write')))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(scopes()).toEqual(['read', 'read write'])
  expect(new Set(granted)).toEqual(new Set(['read', 'read write']))
  time.now += 600_000
  expect(await statusOf(auth, '/read')).toBe(200)
  expect(scopes()).toEqual(['read', 'read write', 'read write'])
})

/** The scheme of a user who has signed in, as any number of processes make it. */
function userScheme(
  { issuer, url, time }: Awaited<ReturnType<typeof resourceServer>>,
  first: string,
  { store }: Pick<ReturnType<typeof durableStore>, 'store'>,
  make = { createSessionAuth, refreshToken, stepUp },
): TokenAuth {
  const session = (wanted: StepUp): TokenAuth =>
    make.createSessionAuth({
      baseUrl: url,
      ...make.refreshToken({
        issuer,
        clientId: 'app',
        refreshToken: first,
        resource: reports,
        ...wanted,
      }),
      store,
      // As in a process of its own.
      session: 'own',
      clock: time.clock,
      random,
    })
  return make.stepUp({ scope: 'read', clock: time.clock, session })
}

test('a user who granted more than was asked for at first gets it by the refresh token', async () => {
  const server = await resourceServer()
  const { statusOf, scopes, spent, revoked, signIn, time } = server
  const auth = userScheme(server, await signIn(), durableStore(server.time.clock))
  expect(await statusOf(auth, '/read')).toBe(200)
  expect(await statusOf(auth, '/write')).toBe(200)
  time.now += 600_000
  expect(await statusOf(auth, '/write')).toBe(200)
  expect(scopes()).toEqual(['read', 'read write', 'read write'])
  expect(Math.max(...spent())).toBe(1)
  expect(revoked()).toBe(0)
})

test('a scope that the user did not grant is an error that says how to get it', async () => {
  const server = await resourceServer()
  const { statusOf, scopes, signIn, time } = server
  const auth = userScheme(server, await signIn(), durableStore(server.time.clock))
  expect(await statusOf(auth, '/read')).toBe(200)
  const error = await failure(statusOf(auth, '/admin'))
  expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', status: 400 })
  expect(error.message).toMatch(/\/admin needs scope 'admin', .*sign in with scope 'read admin'/)
  expect(stepUpOf(error)).toEqual({ scope: 'read admin' })
  expect(await statusOf(auth, '/read')).toBe(200)
  // The pause after a refusal is that of the refresh token.
  time.now += 60_000
  expect(await statusOf(auth, '/write')).toBe(200)
  expect(scopes()).toEqual(['read', 'read admin', 'read write'])
})

test('processes that share a store have their own tokens for what they ask, and one sign-in', async () => {
  const server = await resourceServer()
  const { statusOf, spent, revoked, signIn, time, granted } = server
  const first = await signIn()
  const { store } = durableStore(time.clock)
  const wide = userScheme(server, first, { store })
  vi.resetModules()
  const other = {
    ...(await import('@svc/auth-token')),
    ...(await import('@svc/auth-token/oauth2')),
    ...(await import('@svc/auth-token/step-up')),
  }
  const narrow = userScheme(server, first, { store }, other)
  expect(await statusOf(wide, '/write')).toBe(200)
  expect(await statusOf(narrow, '/read')).toBe(200)
  // The narrower token of the other process is not taken.
  time.now += 600_000
  expect(await statusOf(narrow, '/read')).toBe(200)
  expect(await statusOf(wide, '/write')).toBe(200)
  expect(granted.slice(-2)).toEqual(['read', 'read write'])
  expect(Math.max(...spent())).toBe(1)
  expect(revoked()).toBe(0)
})

test('a machine of another process takes the wider token from the store', async () => {
  const { issuer, url, time, statusOf, scopes } = await resourceServer()
  const { store } = durableStore(time.clock)
  const client = { issuer, clientId: 'basic', clientSecret, resource: reports }
  const create = (): TokenAuth =>
    stepUp({
      scope: 'read',
      clock: time.clock,
      session: (wanted) =>
        createSessionAuth({
          baseUrl: url,
          ...clientCredentials({ ...client, ...wanted }),
          store,
          // As in another process.
          session: 'own',
          clock: time.clock,
          random,
        }),
    })
  expect(await statusOf(create(), '/write')).toBe(200)
  const others = Array.from({ length: 5 }, create)
  const statuses = await Promise.all(others.map((auth) => statusOf(auth, '/write')))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(scopes()).toEqual(['read', 'read write'])
})
