import { AuthError } from '@svc/auth-hooks'
import { chainOf } from '../../clients/expect.ts'

/** The error with which the source of an upload fails. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed'
}

/**
 * A failure as a caller sees it: the code of an `AuthError`, `status …` where a client makes an error of
 * one, and else the names and codes of the client's own error and of what led to it.
 */
export function describeFailure(error: unknown): string {
  const chain = chainOf(error)
  const own = chain.find((part) => AuthError.is(part))
  if (AuthError.is(own)) return own.code
  if (chain.some((part) => part instanceof SourceFailed)) return 'source failed'
  for (const { status, statusCode, response } of chain) {
    const found = status ?? statusCode ?? statusIn(response)
    // Of a response that broke off, axios tells the status of its head.
    if (typeof found === 'number' && found >= 300) return `status ${found}`
  }
  return chain.map(({ name, code }) => [name, code].filter(isShort).join(' ')).join(' < ')
}

function isShort(part: unknown): boolean {
  return typeof part === 'string' || typeof part === 'number'
}

function statusIn(response: unknown): unknown {
  if (typeof response !== 'object' || response === null) return undefined
  if ('status' in response) return response.status
  return 'statusCode' in response ? response.statusCode : undefined
}
