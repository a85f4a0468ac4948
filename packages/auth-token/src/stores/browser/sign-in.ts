import { abortable } from '@svc/auth-hooks/scheme'
import { every, type Timers } from '../../timers.ts'
import type { TokenStore } from '../store.ts'

/** The sign-in that tabs hand to each other. */
export interface SignIns {
  signIn<SignIn>(
    ask: () => Promise<SignIn> | SignIn,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<SignIn>
  signOut(): Promise<void>
}

const key = 'sign-in'
const notPlain = '[@svc/auth-token] signIn: ask must return the sign-in, as plain data'
const lockMs = 5000
const lookAgainMs = 250
/** The time for which a sign-in is kept: longer than a page is open. */
const keptMs = 400 * 24 * 60 * 60 * 1000

/** Returns the sign-in of a store. */
export function createSignIns(store: TokenStore, timers: Timers): SignIns {
  const read = async (): Promise<{
    generation: number
    found: { signIn: unknown } | undefined
  }> => {
    const { generation = 0, sealed = '' } = (await store.get(key)) ?? {}
    return { generation, found: parse(sealed) }
  }
  const write = (before: { generation: number }, text: string) =>
    store.compareAndSwap(
      key,
      { generation: before.generation + 1, sealed: text },
      { ttlMs: keptMs },
    )

  return {
    async signIn<SignIn>(
      ask: () => Promise<SignIn> | SignIn,
      { signal }: { readonly signal?: AbortSignal | undefined } = {},
    ) {
      for (;;) {
        signal?.throwIfAborted()
        const { found } = await abortable(read(), signal)
        // It was put there by another tab, as the type says.
        if (found) return found.signIn as SignIn
        const lock = { owner: crypto.randomUUID(), ttlMs: lockMs }
        const fencingToken = await abortable(store.lock(key, lock), signal)
        if (fencingToken === undefined) {
          const pause = new Promise<void>((resolve) => void timers.after(lookAgainMs, resolve))
          await abortable(pause, signal)
          continue
        }
        const endBeats = every(timers, lockMs / 3, () => {
          store.lock(key, lock).catch(() => {})
        })
        try {
          const before = await abortable(read(), signal)
          if (before.found) continue
          const given = await abortable(Promise.resolve(ask()), signal)
          const text: unknown = JSON.stringify(given)
          if (typeof text !== 'string') throw new TypeError(notPlain)
          // If another tab was faster, its sign-in is that of all.
          if (await abortable(write(before, text), signal)) return given
        } finally {
          endBeats()
          // Where that is lost, the lock ends by itself.
          await abortable(store.unlock(key, lock.owner), signal).catch(() => {})
        }
      }
    },
    async signOut() {
      for (;;) {
        const before = await read()
        if (!before.found || (await write(before, ''))) return
      }
    },
  }
}

/** Reads a sign-in. A text that is empty stands for none, and so does one that is none of this store's. */
function parse(text: string): { signIn: unknown } | undefined {
  try {
    return { signIn: JSON.parse(text) }
  } catch {
    return undefined
  }
}
