import type { Fetch } from '@svc/types'
import { Agent } from 'undici7'

/** The `fetch` below an adapter, and how to be done with it. */
export interface InnerFetch {
  readonly fetch?: Fetch
  readonly close: () => Promise<void>
}

/** The global `fetch`, or one that trusts a certificate and speaks HTTP/2. */
export function innerFetch(ca: string | undefined): InnerFetch {
  if (ca === undefined) return { close: () => Promise.resolve() }
  // Of the major that is in Node's own `fetch`.
  const dispatcher = new Agent({ allowH2: true, connect: { ca } })
  return {
    // `dispatcher` is known to the types of Node alone, and there to those of its own undici.
    fetch: (input, init) => fetch(input, { ...init, dispatcher } as RequestInit),
    close: () => dispatcher.destroy(),
  }
}
