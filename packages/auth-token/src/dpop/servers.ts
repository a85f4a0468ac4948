import type { ReadonlyHeaders } from '@svc/types'
import type { Timers } from '../timers.ts'

/** What a server has told, which sees proofs of a key. */
export interface Server {
  nonce?: string | undefined
  /** The time by which its clock is ahead, in milliseconds. */
  skewMs: number
  /** When the last request was proved for it, once it is known which nonce it wants. */
  usedAt?: number | undefined
  /** Those who wait for the response to a request that asks, if one does. */
  waiting?: (() => void)[] | undefined
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
export const serverOf = (servers: Map<string, Server>, name: string): Server =>
  recall(servers, name, () => ({ skewMs: 0 }))

/**
 * Lets one request ask for the nonce that others need too: the first one to a server, or after a while. They wait for its
 * response, and the next one asks if none comes within a second: none waits for much longer than two. Each has a timer of its
 * own, since in workerd the request that asked may be gone.
 */
export async function awaitNonce(server: Server, timers: Timers): Promise<void> {
  const now = timers.now()
  const { nonce, usedAt = now } = server
  if (nonce !== undefined && Math.abs(now - usedAt) > idleMs) server.usedAt = undefined
  while (server.usedAt === undefined && server.waiting && timers.now() < now + 1500) {
    const cancel = timers.after(1000, () => wake(server))
    await new Promise<void>((resolve) => void server.waiting?.push(resolve))
    cancel()
  }
  if (server.usedAt === undefined) server.waiting ??= []
  else server.usedAt = now
}

/** Ends the wait of all others: they go on, or the next one asks if it is still not known which nonce the server wants. */
export function wake(server: Server): undefined {
  for (const go of server.waiting ?? []) go()
  server.waiting = undefined
}

/** @see https://www.rfc-editor.org/rfc/rfc9449#section-8.1 */
export function nonceIn(headers: ReadonlyHeaders): string | undefined {
  const nonce = headers.get('dpop-nonce') ?? ''
  return nonceForm.test(nonce) ? nonce : undefined
}

/**
 * Takes the time that a response tells, and tells if that or its nonce makes another proof than the last one.
 *
 * @param refusedAt - Our time, if the response refused a proof, perhaps for that. Any other may come from a cache.
 */
export function learn(server: Server, headers: ReadonlyHeaders, refusedAt?: number): boolean {
  const aheadMs = Date.parse(headers.get('date') ?? '') - Number(refusedAt)
  // The response to another request may have told the time first. Without a date, it is none.
  const isOff = Math.max(Math.abs(aheadMs), Math.abs(server.skewMs)) > tolerableSkewMs
  if (isOff) server.skewMs = aheadMs
  return isOff || nonceIn(headers) !== undefined
}
