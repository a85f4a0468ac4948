import { type Message, protocolVersion, readMessage, type Said } from './messages.ts'
import type { Channel, UsablePlatform } from './platform.ts'

/** What this tab says to the others, and hears. */
export interface Conversation {
  /** Resolves once another tab has told what it knows, or none has in time. */
  readonly joined: () => Promise<void>
  /**
   * Says something to all tabs. Resolves once this one has heard it, and each tab that is known to be there has
   * acknowledged a record, or is silent for too long: then it is frozen or gone.
   *
   * @returns the name of the message, as its listener was given it.
   */
  readonly say: (said: Said) => Promise<string>
}

export interface Listener {
  /** Takes what any tab has said, this one included. No two messages have the same name. */
  readonly hear: (said: Said, messageName: string) => void
  /** Returns what this tab knows, for another one. */
  readonly tell: (to: string) => Said
}

/**
 * Begins the conversation of a tab.
 *
 * What a tab posts is queued for each tab there is, frozen ones too, before the tab hears it itself, on a channel of
 * its own. So a message to itself returns after everything that was said before.
 *
 * @param answerMs - The time for which other tabs are waited for.
 * @see https://html.spec.whatwg.org/multipage/web-messaging.html#broadcasting-to-other-browsing-contexts
 */
export function beginConversation(
  platform: UsablePlatform,
  channel: string,
  answerMs: number,
  { hear, tell }: Listener,
): Conversation {
  const { timers } = platform
  const tab = crypto.randomUUID()
  /** The other tabs that were heard, and have not said that they are away. */
  const others = new Set<string>()
  const heard = new Map<number, () => void>()
  const unacknowledged = new Map<number, { readonly by: Set<string>; readonly done: () => void }>()
  let last = 0
  let hasJoined = false
  let answered = (): void => {}

  const numbered = (said: Said): object => {
    last += 1
    return { svcAuth: protocolVersion, ...said, from: tab, id: last }
  }
  const listener = platform.openChannel(channel, (data) => {
    const message = readMessage(data)
    if (message) take(message)
  })
  let speaker: Channel | undefined
  const post = (said: Said): number => {
    speaker ??= platform.openChannel(channel, () => {})
    speaker.post(numbered(said))
    return last
  }
  /** Says that this tab is away. Nothing may be on its way to itself, or the page is not kept in the bfcache. */
  const leave = (): void => {
    listener.post(numbered({ type: 'bye' }))
    speaker?.close()
    speaker = undefined
  }
  /** Waits for an answer, or until the time is up. */
  const answerOf = (set: (done: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      const end = timers.after(answerMs, resolve)
      set(() => {
        end()
        resolve()
      })
    })
  const join = async (): Promise<void> => {
    const answer = answerOf((done) => (answered = done))
    post({ type: 'hello' })
    await answer
    hasJoined = true
  }
  const take = (message: Message): void => {
    const { from, id, type } = message
    if (from === tab) {
      hear(message, `${from}.${id}`)
      heard.get(id)?.()
      heard.delete(id)
      if (heard.size === 0) listener.wait(false)
      return
    }
    // One that was just opened has nothing to tell.
    if (type === 'hello' && hasJoined) post(tell(from))
    if (type === 'record') post({ type: 'acknowledged', to: from, which: id })
    if (type === 'bye') others.delete(from)
    else if (type !== 'sync') others.add(from)
    if (type === 'acknowledged' && message.to === tab) {
      const waiting = unacknowledged.get(message.which)
      waiting?.by.delete(from)
      if (waiting?.by.size === 0) waiting.done()
    }
    hear(message, `${from}.${id}`)
    if (type === 'state' && message.to === tab) answered()
  }
  const allAcknowledge = async (id: number): Promise<void> => {
    if (others.size === 0) return
    const by = new Set(others)
    await answerOf((done) => unacknowledged.set(id, { by, done }))
    unacknowledged.delete(id)
    for (const silent of by) others.delete(silent)
  }
  const hearOwn = (id: number): Promise<void> => {
    listener.wait(true)
    return new Promise((resolve) => void heard.set(id, resolve))
  }

  let joining = join()
  // What was said meanwhile was queued. A page that comes back from the bfcache may have missed it in some browsers.
  platform.watch(leave, () => void (joining = join()))

  return {
    joined: () => joining,
    async say(said) {
      const id = post(said)
      await Promise.all([hearOwn(id), said.type === 'record' && allAcknowledge(id)])
      return `${tab}.${id}`
    },
  }
}
