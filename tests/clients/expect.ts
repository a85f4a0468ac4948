import assert from 'node:assert/strict'
import { AuthError } from '@svc/auth-hooks'
import type { RecordedRequest } from '@svc/emulator'
import { type ClientResponse, NotPossible } from './client.ts'

/** Returns the error of a call that must fail. */
export async function failureOf(call: Promise<ClientResponse>): Promise<Error> {
  let response: ClientResponse
  try {
    response = await call
  } catch (error) {
    if (!(error instanceof Error) || error instanceof NotPossible) throw error
    return error
  }
  throw new assert.AssertionError({ message: `a response with ${response.status}, not an error` })
}

/** An error and what led to it, by the names that clients have for that. */
export function chainOf(error: unknown): Record<string, unknown>[] {
  const chain = new Set<Record<string, unknown>>()
  const add = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    // Errors have properties that their types do not name.
    const holder = value as Record<string, unknown>
    if (chain.has(holder)) return
    chain.add(holder)
    add(holder['cause'])
    add(holder['error'])
  }
  add(error)
  return [...chain]
}

/** The code of the `AuthError` that a client's error is, or comes from; else throws that error. */
export function authCodeOf(error: unknown): string {
  const own = chainOf(error).find((candidate) => AuthError.is(candidate))
  if (AuthError.is(own)) return own.code
  throw error
}

/** The status of a response, or of the error that a client makes of it. */
export async function statusOf(call: Promise<ClientResponse>): Promise<number> {
  try {
    return (await call).status
  } catch (error) {
    for (const { status, statusCode, response } of chainOf(error)) {
      const found = status ?? statusCode ?? statusIn(response)
      if (typeof found === 'number') return found
    }
    throw error
  }
}

function statusIn(response: unknown): unknown {
  if (typeof response !== 'object' || response === null) return undefined
  if ('status' in response) return response.status
  return 'statusCode' in response ? response.statusCode : undefined
}

/** The text of a body that arrived. */
export function bodyOf(request: RecordedRequest | undefined): string {
  return Buffer.from(request?.body ?? []).toString()
}

/** Asserts which requests came, by the kind of their credential and why it was refused. */
export function assertLetIn(
  requests: readonly RecordedRequest[],
  ...schemes: readonly string[]
): void {
  assert.deepEqual(
    requests.map(({ auth: { scheme, ok, code } }) => (ok ? scheme : `${scheme}: ${code}`)),
    schemes,
  )
}

/** Asserts that each of these requests bears a credential that no other one bears. */
export function assertFresh(requests: readonly RecordedRequest[]): void {
  const credentials = requests.map(
    ({ headers }) => headers['authorization'] ?? headers['x-svc-security-token'],
  )
  assert.equal(new Set(credentials).size, requests.length, 'a credential was sent twice')
}
