import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { authFetch, createSessionAuth, type LoginContext, type TokenAuth } from '@svc/auth-token'
import { type StepUp, stepUp } from '@svc/auth-token/step-up'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../../../../../tests/support/loopback.ts'
import { turnedTime } from '../../support/time.ts'

/** A request as it arrived. */
export interface Seen {
  readonly path: string
  /** What its token was asked for. */
  readonly wanted: StepUp | undefined
  readonly status: number
}

/** The response to a request, `undefined` for 200. */
export type Rule = (
  path: string,
  wanted: StepUp,
) =>
  | { readonly status: number; readonly challenge?: string; readonly location?: string }
  | undefined

/** Refuses paths such as `/write` to tokens without that scope, as RFC 6750 has it. */
export const byScope: Rule = (path, { scope = '' }) => {
  const needed = path.slice(1).replace(/\?.*/, '')
  if (needed === '' || scope.split(' ').includes(needed)) return undefined
  return insufficient(needed)
}

export function insufficient(scope: string): NonNullable<ReturnType<Rule>> {
  return { status: 403, challenge: `Bearer error="insufficient_scope", scope="${scope}"` }
}

/** A resource server, and an authorization server that gives whatever it is asked for. */
export async function demandingServer(rule: Rule = byScope) {
  const seen: Seen[] = []
  const tokens = new Map<string, StepUp>()
  const world = {
    rule,
    /** The tokens that are refused as invalid. */
    revoked: new Set<string>(),
    /** Runs before a token is given; throws if it is not. */
    grant: (_wanted: StepUp): unknown => undefined,
  }
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const { url: path = '', headers } = request
    const token = headers.authorization?.replace('Bearer ', '') ?? ''
    const wanted = tokens.get(token)
    const isGood = wanted !== undefined && !world.revoked.has(token)
    const refusal = isGood
      ? world.rule(path, wanted)
      : { status: 401, challenge: 'Bearer error="invalid_token"' }
    const { status, challenge, location }: NonNullable<ReturnType<Rule>> = refusal ?? {
      status: 200,
    }
    seen.push({ path, wanted, status })
    if (challenge !== undefined) response.setHeader('www-authenticate', challenge)
    if (location !== undefined) response.setHeader('location', location)
    response.writeHead(status)
    // Without what is still to come, a client may not read the response.
    request.resume().once('end', () => response.end(token))
  }
  const { url, close } = await listenOnLoopback(createServer({ maxHeaderSize: 262_144 }, respond))
  onTestFinished(close)
  const time = turnedTime()
  const random = (): number => 0
  const logins: StepUp[] = []
  const login = async ({ credentials }: LoginContext<{ key: string } & StepUp>) => {
    const { key: _key, ...wanted } = credentials
    const token = `token-${logins.push(wanted)}`
    // As long as others need to come along.
    await new Promise((resolve) => setTimeout(resolve, 5))
    await world.grant(wanted)
    tokens.set(token, wanted)
    return { token, expiresInMs: 3_600_000 }
  }
  const session = (wanted: StepUp, own: object = {}): TokenAuth =>
    createSessionAuth({
      baseUrl: url,
      credentials: { key: 'an API key', ...wanted },
      login,
      clock: time.clock,
      random,
      ...own,
    })
  const create = (own: Partial<Parameters<typeof stepUp>[0]> = {}): TokenAuth =>
    stepUp({ scope: 'read', session, clock: time.clock, ...own })
  const auth = create()
  const send = authFetch(auth, { baseUrl: url })
  const statusOf = async (path: string, init?: RequestInit): Promise<number> =>
    (await send(path, init)).status
  const scopes = (): (string | undefined)[] => logins.map(({ scope }) => scope)
  return { url, seen, world, time, logins, scopes, session, create, auth, send, statusOf, login }
}

/** Resolves to the error of a call. */
export function failure(call: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  return call.then(
    (value) => new Error(`no error: ${String(value)}`),
    (error: unknown) => error as Error,
  )
}
