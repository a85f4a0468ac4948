import type { BrowserTokenStore, BrowserTokenStoreOptions } from '@svc/auth-token/browser-store'
import { manualTime } from '../../support/time.ts'
import { openBrowserStore, type OpenChannel, type Platform } from '../../testing.ts'

export const hasLocks = Boolean(Reflect.get(navigator, 'locks'))

/** A tab whose messages a test holds back. Its Web Locks are those of Node. */
export interface TestTab {
  readonly store: BrowserTokenStore
  /** Drops what the tab says from now on. */
  mute(): void
  /** Keeps what is said to the tab until it hears again. */
  deafen(): void
  hear(): void
  /** Lets it hear again, and drops what was kept. */
  miss(): void
  /** Ends the tab: it says and hears no more, and its locks are free. */
  close(): void
  /** What the page is told by its browser. */
  leave(): void
  comeBack(): void
}

/** Makes tabs that share a channel, in a time that passes only when the test lets it. */
export function tabsOf(name: string = crypto.randomUUID(), answerMs = 300) {
  const time = manualTime()
  const channels = new Set<TestChannel>()
  const openTab = (
    platform: Partial<Platform> = {},
    options: BrowserTokenStoreOptions = {},
  ): TestTab => {
    const state = { isMute: false, waiting: undefined as (() => void)[] | undefined }
    const own = new Set<TestChannel>()
    let close = (): void => {}
    const closed = new Promise<void>((resolve) => (close = resolve))
    const locks = {
      request: (lock: string, wanted: LockOptions, action: LockGrantedCallback<unknown>) =>
        navigator.locks.request(lock, wanted, (granted) => Promise.race([action(granted), closed])),
    }
    let leave = (): void => {}
    let comeBack = (): void => {}
    const openChannel: OpenChannel = (_name, onMessage) => {
      const channel: TestChannel = {
        tab: state,
        deliver(data) {
          const action = (): void => onMessage(data)
          if (state.waiting) state.waiting.push(action)
          else queueMicrotask(action)
        },
      }
      channels.add(channel)
      own.add(channel)
      return {
        post(message) {
          const heardBy = [...channels].filter(
            (other) => other !== channel && (!state.isMute || other.tab === state),
          )
          for (const other of heardBy) other.deliver(structuredClone(message))
        },
        wait() {},
        close: () => void channels.delete(channel),
      }
    }
    const store = openBrowserStore(
      {
        // As the type of the browser says.
        locks: hasLocks ? (locks as unknown as LockManager) : undefined,
        openChannel,
        timers: time.timers,
        watch: (...given) => void ([leave, comeBack] = given),
        ...platform,
      },
      { name, answerMs, ...options },
    )
    return {
      store,
      mute: () => void (state.isMute = true),
      deafen: () => void (state.waiting = []),
      hear() {
        const held = state.waiting ?? []
        state.waiting = undefined
        for (const action of held) queueMicrotask(action)
      },
      miss: () => void (state.waiting = undefined),
      close() {
        for (const channel of own) channels.delete(channel)
        close()
      },
      leave: () => leave(),
      comeBack: () => comeBack(),
    }
  }
  return { time, name, openTab }
}

interface TestChannel {
  readonly tab: object
  deliver(data: unknown): void
}
