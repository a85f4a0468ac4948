import { abortable } from '@svc/auth-hooks/scheme'
import { every, type Timers } from '../../timers.ts'
import { pause } from '../../sign-in/waiting.ts'
import type { TokenRecord, TokenStore } from '../store.ts'
import type { TabStore } from './tab-store.ts'

interface Wait {
  readonly signal?: AbortSignal | undefined
}

/** The sign-in that tabs hand to each other. */
export interface SignIns {
  signIn<SignIn>(ask?: () => Promise<SignIn> | SignIn, options?: Wait): Promise<SignIn>
  signOut(signIn?: unknown): Promise<void>
  /** Tells if the sign-in that this tab goes on with is no more. */
  readonly isOver: () => boolean
}

const key = 'sign-in'
const notPlain = '[@svc/auth-token] signIn: ask must return the sign-in, as plain data'
const noEvent =
  '[@svc/auth-token] signOut: signIn must be what signIn returned, not an event; call it by () => store.signOut()'
const lockMs = 5000
const lookAgainMs = 250
/** The time for which a sign-in is kept: longer than a page is open. */
const keptMs = 400 * 24 * 60 * 60 * 1000

/**
 * Returns the sign-in of a store.
 *
 * @param onChange - Called when another tab has signed in or out.
 * @param tabs - Absent where this tab is alone.
 */
export function createSignIns(
  store: TokenStore,
  timers: Timers,
  onChange: (() => void) | undefined,
  tabs?: TabStore,
): SignIns {
  /** The generations that this tab goes on with, and that it has written or told of last. */
  let [known, told] = [tabs ? Infinity : 0, 0]
  const newest = (): number => (tabs ? (tabs.heard(key)?.generation ?? 0) : told)
  void tabs?.joined().then(() => (known = newest()))
  const isOver = (): boolean => newest() > known
  tabs?.onRecord(() => {
    if (newest() <= Math.max(known, told)) return
    told = newest()
    // What it throws is the page's own, and ends nothing here.
    if (onChange) queueMicrotask(onChange)
  })
  const read = async (): Promise<TokenRecord & { found: { signIn: unknown } | undefined }> => {
    const { generation = 0, sealed = '' } = (await store.get(key)) ?? {}
    return { generation, sealed, found: parse(sealed) }
  }
  const write = async (last: TokenRecord, sealed: string): Promise<boolean> => {
    const record = { generation: last.generation + 1, sealed }
    // It is heard before it is written.
    told = record.generation
    return store.compareAndSwap(key, record, { ttlMs: keptMs })
  }

  return {
    async signIn<SignIn>(ask?: () => Promise<SignIn> | SignIn, { signal }: Wait = {}) {
      let answer: { readonly signIn: SignIn } | undefined
      for (;;) {
        signal?.throwIfAborted()
        const { found, generation } = await abortable(read(), signal)
        if (found && ask) known = generation
        // It was put there by another tab, as the type says.
        if (found || !ask) return found?.signIn as SignIn
        const lock = { owner: crypto.randomUUID(), ttlMs: lockMs }
        const fencingToken = await abortable(store.lock(key, lock), signal)
        if (fencingToken === undefined) {
          await pause(timers, lookAgainMs, signal)
          continue
        }
        const endBeats = every(timers, lockMs / 3, () => {
          store.lock(key, lock).catch(() => {})
        })
        try {
          const last = await abortable(read(), signal)
          if (last.found) continue
          answer ??= { signIn: await abortable(Promise.resolve(ask()), signal) }
          const text: unknown = JSON.stringify(answer.signIn)
          if (typeof text !== 'string') throw new TypeError(notPlain)
          // If another tab was faster, its sign-in is that of all; its sign-out was one of before.
          if (!(await abortable(write(last, text), signal))) continue
          known = last.generation + 1
          return answer.signIn
        } finally {
          endBeats()
          // Where that is lost, the lock ends by itself.
          await abortable(store.unlock(key, lock.owner), signal).catch(() => {})
        }
      }
    },
    async signOut(signIn) {
      // A listener may pass its event, which is no sign-in: nothing would be forgotten.
      if (typeof Object(signIn).preventDefault === 'function') throw new TypeError(noEvent)
      for (;;) {
        const last = await read()
        const isMeant = signIn === undefined || last.sealed === JSON.stringify(signIn)
        const isSignedOut = last.sealed === '' && isOver()
        if (!isMeant || isSignedOut || (await write(last, ''))) return
      }
    },
    isOver,
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
