import { abortable } from '@svc/auth-hooks/scheme'
import type { SharedTokenStore } from '../../token.ts'
import { every, type Timers } from '../../timers.ts'
import { pause } from '../../sign-in/waiting.ts'
import type { TokenLock, TokenRecord, TokenStore } from '../store.ts'
import { signInKey as key } from './replica.ts'
import type { TabStore } from './tab-store.ts'

/** A store for the tabs of an origin. */
export interface BrowserTokenStore extends SharedTokenStore {
  /**
   * Returns the sign-in that the open tabs have, or the one that `ask` returns: once for all tabs, while the others
   * wait for it. It is plain data, stays in the memory of the tabs, and ends with the last of them.
   *
   * @param ask - Has the user sign in, and resolves to what it gave: a refresh token, or a name and a password.
   * @param options - A `signal` ends the wait, for the user or for another tab.
   * @throws what `ask` throws; then the next tab asks. The reason of the signal.
   */
  signIn<SignIn>(
    ask: () => Promise<SignIn> | SignIn,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<SignIn>
  /** As above if there is one, without asking: `store.signIn<{ refreshToken: string }>()`. The sessions of this tab stay as they are. */
  signIn<SignIn>(): Promise<SignIn | undefined>
  /**
   * Forgets the sign-in in all tabs, so that the next `signIn` asks. A tab that was opened before uses neither its tokens
   * nor its credentials, even if a user signs in in another tab: its calls reject with `ERR_AUTH_SIGN_IN_NEEDED` until `signIn(ask)`
   * gives it the sign-in of then, or the page is loaded anew. No record from before is used again. The server is not told.
   *
   * @param signIn - What `signIn` returned, to forget only that: where the server has ended it, each tab may say so, and a
   * later sign-in stays. By default, any.
   * @throws TypeError if it is an event, as of a listener.
   */
  signOut(signIn?: unknown): Promise<void>
}

/** The sign-in that tabs hand to each other. */
export interface SignIns extends Pick<BrowserTokenStore, 'signIn' | 'signOut'> {
  /** Resolves once the other tabs have told theirs. */
  readonly joined: Promise<void>
  /** Tells that which this tab goes on with from all others; empty before the first. */
  readonly id: () => string
  readonly isOver: () => boolean
}

/** A sign-in as it is kept. Without a value, the user has signed out. */
type Found = Pick<TokenRecord, 'generation'> & { readonly id: string; readonly signIn?: unknown }

const notPlain = '[@svc/auth-token] signIn: ask must return the sign-in, as plain data'
const noEvent = '[@svc/auth-token] signOut: not an event; call it by () => store.signOut()'
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
  let id = ''
  /** The calls that wait for the user. They get the next sign-in, and need not be told. */
  let asking = 0
  const newest = (): number => (tabs ? (tabs.record(key)?.generation ?? 0) : told)
  const goOnWith = (last: Found): void => void ([known, id] = [last.generation, last.id])
  const joined = Promise.resolve(tabs?.joined()).then(() => goOnWith(parse(tabs?.record(key))))
  const tell = (): void => {
    if (asking > 0 || newest() <= Math.max(known, told)) return
    told = newest()
    // What it throws is the page's own, and ends nothing here.
    if (onChange) queueMicrotask(onChange)
  }
  tabs?.onRecord(tell)
  const read = async (): Promise<Found> => parse(await store.get(key))
  /** Writes the next one, with a value if the user has signed in. Resolves to `undefined` if another tab was faster. */
  const write = async (last: Found, value?: { signIn: unknown }): Promise<Found | undefined> => {
    const next = { id: newId(), ...value, generation: last.generation + 1 }
    const { generation } = next
    // It is heard before it is written.
    told = generation
    const record = { generation, sealed: JSON.stringify(next) }
    return (await store.compareAndSwap(key, record, { ttlMs: keptMs })) ? next : undefined
  }
  return {
    async signIn<SignIn>(
      ask?: () => Promise<SignIn> | SignIn,
      { signal }: { readonly signal?: AbortSignal | undefined } = {},
    ) {
      // Each was put there by a tab, as the types say.
      if (!ask) return (await abortable(read(), signal)).signIn as SignIn
      let answer: { readonly signIn: SignIn } | undefined
      let lock: TokenLock | undefined
      asking += 1
      const endBeats = every(timers, lockMs / 3, () => {
        if (lock) store.lock(key, lock).catch(() => {})
      })
      try {
        for (;;) {
          signal?.throwIfAborted()
          const last = await abortable(read(), signal)
          if ('signIn' in last) {
            goOnWith(last)
            return last.signIn as SignIn
          }
          if (!lock) {
            const wanted = { owner: newId(), ttlMs: lockMs }
            if (await abortable(store.lock(key, wanted), signal)) lock = wanted
            else await pause(timers, lookAgainMs, signal)
            // Another may have written between the look and the lock.
            continue
          }
          answer ??= { signIn: await abortable(Promise.resolve(ask()), signal) }
          const text: unknown = JSON.stringify(answer.signIn)
          if (typeof text !== 'string') throw new TypeError(notPlain)
          // If another tab was faster, its sign-in is that of all; its sign-out was one of before.
          const written = await abortable(write(last, answer), signal)
          if (!written) continue
          goOnWith(written)
          return answer.signIn
        }
      } finally {
        endBeats()
        // Where that is lost, the lock ends by itself.
        if (lock) await abortable(store.unlock(key, lock.owner), signal).catch(() => {})
        asking -= 1
        tell()
      }
    },
    async signOut(signIn) {
      // A listener may pass its event, which is no sign-in: nothing would be forgotten.
      if (typeof Object(signIn).preventDefault === 'function') throw new TypeError(noEvent)
      for (;;) {
        const last = await read()
        const isMeant =
          signIn === undefined || JSON.stringify(last.signIn) === JSON.stringify(signIn)
        if (!isMeant || (await write(last))) return
      }
    },
    joined,
    id: () => id,
    isOver: () => newest() > known,
  }
}

/** Returns a text that is never returned again. A page that is no secure context has no `randomUUID`. */
const newId = (): string => `${[...crypto.getRandomValues(new Uint32Array(4))].join('-')}-`

/** Reads a sign-in. One that is none of this store's counts for none. */
function parse({ generation = 0, sealed = '' }: Partial<TokenRecord> = {}): Found {
  try {
    return { id: '', ...JSON.parse(sealed), generation }
  } catch {
    return { id: '', generation }
  }
}
