/* oxlint-disable typescript/no-unsafe-type-assertion -- odd values are given where the types of the clients allow none */
import type { OddCall } from './client.ts'

/** Returns the arguments of `fetch` for a call. */
export function argumentsOf(
  call: OddCall,
  more: object,
  OwnRequest: typeof Request,
): [input: string, init: RequestInit] {
  const { url, method, headers, body, init, asRequest, withoutDuplex, isFrozen } = call
  const signal = endOf(call)
  const own = Object.defineProperties(
    Object.create(Object.getPrototypeOf(init)) as object,
    Object.getOwnPropertyDescriptors(init),
  )
  Object.assign(own, given({ ...more, method, headers, body, signal }))
  if (body !== undefined && !withoutDuplex) Object.assign(own, { duplex: 'half' })
  if (isFrozen) Object.freeze(own)
  if (asRequest) return [new OwnRequest(url as string, own) as unknown as string, {}]
  return [url as string, own]
}

/** Returns the signal of a call, or that of its timeout, where a client has none of its own. */
export function endOf({ signal, timeout }: OddCall): unknown {
  return signal === undefined && timeout === 150 ? AbortSignal.timeout(timeout) : signal
}

/** Leaves out what is not there. */
export function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
