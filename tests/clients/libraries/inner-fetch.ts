import type { Fetch } from '@svc/types'
import { Agent } from 'undici7'
import type { ConnectionSettings } from '../client.ts'

/** The `fetch` below an adapter, what the client above it is given, and how to be done with both. */
export interface InnerFetch {
  readonly fetch?: Fetch
  /** The option by which a client hands a dispatcher on, if there is a guard. */
  readonly dispatcherOption: object
  readonly close: () => Promise<void>
}

/** The global `fetch`, or one that trusts a certificate and speaks HTTP/2. */
export function innerFetch({ ca, guard }: ConnectionSettings): InnerFetch {
  if (ca === undefined && !guard) return { dispatcherOption: {}, close: () => Promise.resolve() }
  // Of the major that is in Node's own `fetch`.
  const agent = new Agent(ca === undefined ? {} : { allowH2: true, connect: { ca } })
  const close = (): Promise<void> => agent.destroy()
  // The same interceptors, which the types of the two majors describe apart.
  if (guard) {
    return { dispatcherOption: { dispatcher: agent.compose(guard.interceptor as never) }, close }
  }
  return {
    // `dispatcher` is known to the types of Node alone, and there to those of its own undici.
    fetch: (input, init) => fetch(input, { ...init, dispatcher: agent } as RequestInit),
    dispatcherOption: {},
    close,
  }
}
