import type { Timers } from '../../timers.ts'

/** The part that is used of Web Locks. */
export type WebLocks = Pick<LockManager, 'request'>

/** The part that is used of a `BroadcastChannel`. */
export interface Channel extends Pick<BroadcastChannel, 'close' | 'onmessage' | 'postMessage'> {
  /** Lets a process of Node end. */
  unref?(): unknown
}

/** The browser as this store needs it. */
export interface Platform {
  /** Absent in a page that is no secure context, and in old browsers. */
  readonly locks: WebLocks | undefined
  readonly openChannel: ((name: string) => Channel) | undefined
  readonly timers: Timers
  /** Calls back when the page is about to be frozen or left, and when it goes on. */
  watch(onAway: () => void, onReturn: () => void): void
}

/** A browser that has what it takes to share. */
export interface UsablePlatform extends Platform {
  readonly locks: WebLocks
  readonly openChannel: (name: string) => Channel
}

/** Returns what this page or worker has. */
export function thisPlatform(timers: Timers): Platform {
  const { navigator, BroadcastChannel: Opened } = globalThis as Partial<typeof globalThis>
  return {
    // Some runtimes have a navigator without locks.
    locks: navigator?.locks as LockManager | undefined,
    openChannel: Opened && ((name) => new Opened(name)),
    timers,
    watch(onAway, onReturn) {
      const page = globalThis as Partial<Pick<Window, 'addEventListener' | 'document'>>
      if (!page.document) return
      // These come to the document, on their way by the window.
      page.addEventListener?.('freeze', onAway, true)
      page.addEventListener?.('resume', onReturn, true)
      page.addEventListener?.('pagehide', onAway)
      page.addEventListener?.('pageshow', (event) => {
        if ((event as PageTransitionEvent).persisted) onReturn()
      })
    },
  }
}
