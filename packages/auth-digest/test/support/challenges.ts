import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import {
  type AuthError,
  createDigestAuth,
  type DigestAuth,
  type DigestAuthOptions,
} from '@svc/auth-digest'
import type { Authorization, OutgoingRequest, ResponseHead } from '@svc/types'
import { expect } from 'vitest'
import { reader } from './reference-server.ts'

/** A challenge with SHA-256 and `auth`, and further parameters. */
export function challengeWith(nonce: string, more = ''): string {
  return `Digest realm="r", nonce="${nonce}", algorithm=SHA-256, qop="auth"${more}`
}

/** Responds with a challenge. */
export function challenge(response: ServerResponse, value: string | readonly string[]): void {
  response.writeHead(401, { 'www-authenticate': value as string | string[] }).end()
}

/** Returns a parameter of an `authorization` header. */
export function parameterOf(header: string | null | undefined, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`[ ,]${name}=(?:"([^"]*)"|([^, ]+))`).exec(header ?? '') ?? []
  return quoted ?? plain
}

/** A scheme, and what it says about requests that are not sent. */
export function digestOf(options: Partial<DigestAuthOptions> = {}): DigestAuth {
  return createDigestAuth({ baseUrl: 'https://a.example', credentials: reader, ...options })
}

/** Returns the request of an attempt. */
export function requestOf(
  more: Partial<OutgoingRequest> & { readonly path?: string } = {},
): OutgoingRequest {
  const { path = '/', ...rest } = more
  return {
    method: 'GET',
    url: new URL(path, 'https://a.example'),
    headers: new Headers(),
    body: undefined,
    attempt: 1,
    reason: 'initial',
    ...rest,
  }
}

/** Returns the head of a response. */
export function headOf(status: number, headers: Record<string, string> = {}): ResponseHead {
  // A `Headers` takes no line break, and those of a foreign `fetch` may.
  const get = (name: string): string | null => headers[name] ?? null
  const entries = Object.entries(headers)
  const all = {
    get,
    has: (name: string) => get(name) !== null,
    [Symbol.iterator]: () => entries.values(),
  }
  return { status, headers: all }
}

/** Lets a scheme answer a challenge, and returns its authorization. */
export async function answerTo(
  auth: DigestAuth,
  value: string,
  request: Parameters<typeof requestOf>[0] = {},
): Promise<Authorization> {
  const previous = headOf(401, { 'www-authenticate': value })
  const first = await auth.authorize(requestOf(request))
  const reason = await first.review?.(previous)
  if (reason === undefined) throw new Error('the challenge is not answered')
  return auth.authorize(requestOf({ ...request, attempt: 2, reason, previous }))
}

/** Returns the value of an authorization's header. */
export function valueOf({ headers }: Authorization): string | null | undefined {
  return headers.find(([name]) => name === 'authorization')?.[1]
}

/** Returns the error of a call, which must be one of ours, name the scheme, and show no secret. */
export async function failureOf(call: Promise<unknown>): Promise<AuthError> {
  const error = await call.then(
    () => expect.unreachable('it did not fail'),
    (reason: AuthError) => reason,
  )
  expect(error.name).toBe('AuthError')
  expect(error.message).toMatch(/digest/i)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(reader.password)
  return error
}
