import type { Timers } from '../../timers.ts'

/** The part that is used of Web Locks. */
export type WebLocks = Pick<LockManager, 'request'>

/** A channel to all tabs that opened one of its name, this one too if it opened two. */
export interface Channel {
  readonly post: (message: object) => void
  /** Says if a message is waited for: where a page is made by Node, nothing else may keep it from ending, or has to. */
  readonly wait: (isWaiting: boolean) => void
  readonly close: () => void
}

/** Opens a channel. What comes is anything that a script of the origin posts. */
export type OpenChannel = (name: string, onMessage: (data: unknown) => void) => Channel

/** The browser as this store needs it. */
export interface Platform {
  /** Absent in a page that is no secure context, and in old browsers. */
  readonly locks: WebLocks | undefined
  readonly openChannel: OpenChannel | undefined
  readonly timers: Timers
  /** Calls back when the page is about to be frozen or left, and when it goes on. */
  watch(onAway: () => void, onReturn: () => void): void
}

/** A browser that has what it takes to share. */
export type UsablePlatform = Platform & { locks: WebLocks; openChannel: OpenChannel }

/** Returns what this page or worker has. */
export function thisPlatform(timers: Timers): Platform {
  const { navigator, BroadcastChannel } = globalThis as Partial<typeof globalThis>
  return {
    // Some runtimes have a navigator without locks.
    locks: navigator?.locks,
    openChannel: BroadcastChannel && channelsOf(BroadcastChannel),
    timers,
    watch(onAway, onReturn) {
      const page = globalThis as Partial<Pick<Window, 'addEventListener' | 'document'>>
      if (!page.document) return
      // These come to the document, on their way by the window.
      page.addEventListener?.('freeze', onAway, true)
      page.addEventListener?.('resume', onReturn, true)
      page.addEventListener?.('pagehide', onAway)
      page.addEventListener?.('pageshow', ({ persisted }) => {
        if (persisted) onReturn()
      })
    },
  }
}

/** In Node, a channel keeps the process from ending, or lets it. */
type MayKeepNode = BroadcastChannel & { ref?(): unknown; unref?(): unknown }

function channelsOf(Channels: typeof BroadcastChannel): OpenChannel {
  return (name, onMessage) => {
    const channel: MayKeepNode = new Channels(name)
    channel.addEventListener('message', ({ data }) => onMessage(data))
    channel.unref?.()
    return {
      wait: (isWaiting) => void (isWaiting ? channel.ref?.() : channel.unref?.()),
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
      post: (message) => channel.postMessage(message),
      close: () => channel.close(),
    }
  }
}
