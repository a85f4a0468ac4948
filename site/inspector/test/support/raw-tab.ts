import { once } from 'node:events'
import { startChromium } from '../../../../tests/support/chromium/start-chromium.ts'

/** A tab of a browser that keeps pages that are left, which playwright cannot follow. */
export interface RawTab {
  readonly evaluate: (read: () => unknown) => Promise<unknown>
  /** Waits until the page says so. */
  readonly until: (isSo: () => boolean) => Promise<void>
  readonly focus: (id: string) => Promise<void>
  /** Types a text, as an input method does. */
  readonly insertText: (text: string) => Promise<void>
  readonly navigate: (url: string) => Promise<void>
  readonly back: () => Promise<void>
  readonly close: () => Promise<void>
}

interface Message {
  readonly id?: number
  readonly result?: Record<string, unknown>
}

/** Opens a page in a browser of its own, over the DevTools protocol alone. */
export async function openRawTab(url: string): Promise<RawTab> {
  const browser = await startChromium(url)
  const listed: unknown = await (await fetch(`${browser.address}/json/list`)).json()
  const pages = Array.isArray(listed) ? (listed as Record<string, unknown>[]) : []
  const address = pages.find(({ type }) => type === 'page')?.['webSocketDebuggerUrl']
  const socket = new WebSocket(String(address))
  await once(socket, 'open')
  const waiting = new Map<number, (result: Record<string, unknown>) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result = {} } = JSON.parse(String(data)) as Message
    if (id !== undefined) waiting.get(id)?.(result)
  })
  let last = 0
  const send = (method: string, params: object = {}): Promise<Record<string, unknown>> => {
    last += 1
    const id = last
    socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve) => {
      waiting.set(id, resolve)
    })
  }
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result } = await send('Runtime.evaluate', { expression, returnByValue: true })
    return Object(result).value as unknown
  }
  return {
    evaluate: (read) => evaluate(`(${String(read)})()`),
    async until(isSo) {
      const endAt = Date.now() + 10_000
      while ((await evaluate(`(${String(isSo)})()`)) !== true) {
        if (Date.now() > endAt) throw new Error(`never: ${String(isSo)}`)
      }
    },
    async focus(id) {
      await evaluate(`document.getElementById(${JSON.stringify(id)}).focus()`)
    },
    async insertText(text) {
      await send('Input.insertText', { text })
    },
    async navigate(next) {
      await send('Page.navigate', { url: next })
    },
    async back() {
      const { entries } = await send('Page.getNavigationHistory')
      const { id } = Object((entries as unknown[]).at(-2)) as { id: number }
      await send('Page.navigateToHistoryEntry', { entryId: id })
    },
    close: browser.close,
  }
}
