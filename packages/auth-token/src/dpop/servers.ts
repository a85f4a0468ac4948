import type { ReadonlyHeaders } from '@svc/types'

/** What a server has told, which sees proofs of a key. */
export interface Server {
  nonce?: string | undefined
  /** The time by which its clock is ahead, in milliseconds. */
  skewMs: number
  /** When the last request was proved for it. */
  usedAt?: number
  /** `true` while all others wait for the response to one request. */
  isAsked?: boolean
}

/** A smaller difference may be that of a date, which tells whole seconds, and of its way. */
const tolerableSkewMs = 1500
/** The characters of a nonce. A longer one would make a header that servers refuse. */
const nonceForm = /^[!#-[\]-~]{1,2048}$/
/** A nonce that was not used for so long may have run out. */
const idleMs = 30_000

/** Returns the value of a key, made if there is none. Of 1,000, the one is forgotten that was unused for longest. */
export function recall<Value>(all: Map<string, Value>, key: string, make: () => Value): Value {
  const value = all.get(key) ?? make()
  all.delete(key)
  all.set(key, value)
  const [oldest = ''] = all.keys()
  if (all.size > 1000) all.delete(oldest)
  return value
}

/** Returns what is known of a server. */
export function serverOf(servers: Map<string, Server>, name: string): Server {
  return recall(servers, name, () => ({ skewMs: 0 }))
}

/**
 * Lets one request ask for the nonce that others need too: the first one to a server, or after a while. They wait for its
 * response, each by its own timers: in workerd, a promise of another request may never settle.
 */
export async function awaitNonce(server: Server, now: number, longestMs = 1000): Promise<void> {
  const { nonce, usedAt } = server
  const asks = usedAt === undefined || (nonce !== undefined && Math.abs(now - usedAt) > idleMs)
  server.usedAt = now
  for (let leftMs = asks ? 0 : longestMs; server.isAsked && leftMs > 0; leftMs -= 10) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  server.isAsked = asks
}

/** @see https://www.rfc-editor.org/rfc/rfc9449#section-8.1 */
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
export function learn(server: Server, headers: ReadonlyHeaders, refusedAt?: number): boolean {
  const nonce = nonceIn(headers)
  const aheadMs = Date.parse(headers.get('date') ?? '') - Number(refusedAt)
  // The response to another request may have told the time first. Without a date, it is none.
  const isOff = Math.max(Math.abs(aheadMs), Math.abs(server.skewMs)) > tolerableSkewMs
  if (isOff) server.skewMs = aheadMs
  server.nonce = nonce ?? server.nonce
  server.isAsked = false
  return isOff || nonce !== undefined
}
