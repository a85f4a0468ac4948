import { check, checkFunctions, checkOptions, type OptionNames } from '@svc/auth-hooks/scheme'
import { storeAt } from '../../sharing/sharing.ts'
import { memoryTokenStore } from '../memory.ts'
import { aloneIn } from './alone.ts'
import type { Platform } from './platform.ts'
import { type BrowserTokenStore, createSignIns } from './sign-in.ts'
import { heedingSignOut } from './signed-out.ts'
import { createTabStore, type TabStore } from './tab-store.ts'

/** Options of {@link browserTokenStore}. */
export interface BrowserTokenStoreOptions {
  /**
   * Tells it from another store of the same origin, such as that of another application there.
   *
   * @default `'svc-auth'`
   */
  name?: string | undefined
  /**
   * The time for which a tab waits for the others when it opens or comes back, and when it writes, in milliseconds.
   * With no other tab, the first login of a page waits for what is left of it since the store was made.
   *
   * @default `300`
   */
  answerMs?: number | undefined
  /**
   * Called when another tab has signed in or out, perhaps another user: what this page shows is over. Most load it anew,
   * by `() => location.reload()`. A page that waits in `signIn(ask)` gets the sign-in by that alone.
   *
   * @default none
   */
  onChange?: (() => void) | undefined
}

const caller = '[@svc/auth-token] browserTokenStore'

const optionNames: OptionNames<BrowserTokenStoreOptions> = {
  name: 'prefix channel key namespace',
  answerMs: 'timeoutMs waitMs timeout',
  onChange: '',
}

/** Opens the store of a tab on any platform. */
export function openBrowserStore(
  platform: Platform,
  options: BrowserTokenStoreOptions,
): BrowserTokenStore {
  const { name = 'svc-auth', answerMs = 300, onChange } = checkOptions(options, caller, optionNames)
  checkFunctions({ onChange }, caller)
  check(typeof name === 'string' && name !== '', caller, 'name must be a non-empty string')
  // Web Locks have such names for themselves.
  check(!name.startsWith('-'), caller, 'name must not begin with a hyphen')
  const isDuration = Number.isFinite(answerMs) && answerMs >= 0 && answerMs <= 60_000
  check(isDuration, caller, 'answerMs must be a number of milliseconds from 0 to 60 000')
  const tabs = openTabStore(platform, name, answerMs)
  const store = tabs ?? memoryTokenStore()
  const shared = storeAt(['browser', name], store)
  const missing = platform.locks ? 'broadcast-channel' : 'locks'
  const signIns = createSignIns(store, platform.timers, onChange, tabs)
  const all = heedingSignOut(tabs ? shared : aloneIn(shared, missing), signIns)
  return Object.freeze({ ...all, signIn: signIns.signIn, signOut: signIns.signOut })
}

/** Opens the store of a tab, if the browser has what it takes. */
function openTabStore(platform: Platform, name: string, answerMs: number): TabStore | undefined {
  const { locks, openChannel } = platform
  if (!locks || !openChannel) return undefined
  try {
    return createTabStore({ ...platform, locks, openChannel }, name, answerMs)
  } catch {
    // A browser whose user blocks storage may not let a page open a channel.
    return undefined
  }
}
