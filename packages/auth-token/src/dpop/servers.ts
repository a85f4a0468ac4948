import type { ReadonlyHeaders } from '@svc/types'

/** What a server has told, which sees proofs of a key. */
export interface Server {
  readonly nonce: string | undefined
  /** The time by which its clock is ahead, in milliseconds. */
  readonly skewMs: number
}

const mostServers = 64
/** A smaller difference may be that of a date, which tells whole seconds, and of its way. */
const tolerableSkewMs = 1500
/** The characters of a nonce. A longer one would make a header that servers refuse. */
const nonceForm = /^[!#-[\]-~]{1,2048}$/

/**
 * Returns the nonce of a response, unless it is none that can be sent back.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-8.1
 */
export function nonceIn(headers: ReadonlyHeaders): string | undefined {
  const nonce = headers.get('dpop-nonce') ?? ''
  return nonceForm.test(nonce) ? nonce : undefined
}

/**
 * Takes what a response tells of its server, and tells if that makes another proof than the last one.
 *
 * @param refusedAt - Our time, if the response refused a proof, perhaps for the time of that. Any other may be an old one
 * from a cache.
 */
export function learn(
  servers: Map<string, Server>,
  name: string,
  headers: ReadonlyHeaders,
  refusedAt: number = Number.NaN,
): boolean {
  const { nonce: last, skewMs: lastSkewMs = 0 } = servers.get(name) ?? {}
  const nonce = nonceIn(headers)
  const aheadMs = Date.parse(headers.get('date') ?? '') - refusedAt
  const isTold = !Number.isNaN(aheadMs)
  const skewMs = !isTold ? lastSkewMs : Math.abs(aheadMs) > tolerableSkewMs ? aheadMs : 0
  servers.delete(name)
  servers.set(name, { nonce: nonce ?? last, skewMs })
  const [oldest = ''] = servers.keys()
  if (servers.size > mostServers) servers.delete(oldest)
  // The response to another request may have told the time first.
  return nonce !== undefined || (isTold && (skewMs !== 0 || lastSkewMs !== 0))
}
