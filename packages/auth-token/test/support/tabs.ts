import { createServer } from 'node:http'
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { bundle } from '../../../../tests/support/bundle.ts'
import { insecureHost } from '../../../../tests/support/chromium/browse.ts'
import {
  startChromium,
  type StartedChromium,
} from '../../../../tests/support/chromium/start-chromium.ts'
import { listenOnLoopback, type LoopbackServer } from '../../../../tests/support/loopback.ts'
import { hasProgram } from '../../../../tests/support/needs.ts'
import type { Tab } from '../fixtures/tab.ts'

export const hasChromium: boolean = hasProgram(
  'chromium',
  ['chromium', '--version'],
  'apt-get install chromium',
)

/** A tab of the browser, with the application in it. */
export interface OpenTab {
  readonly page: Page
  readonly session: CDPSession
  /** Calls a function of the application. */
  call<Name extends keyof Tab>(
    name: Name,
    ...given: Parameters<Tab[Name]>
  ): Promise<Awaited<ReturnType<Tab[Name]>>>
  /** Freezes the tab, or lets it go on. */
  freeze(): Promise<void>
  resume(): Promise<void>
  /** Ends the process that draws the tab. */
  crash(): Promise<void>
}

/** Starts a browser and connects to it; anew if it does not respond, as on a machine that is busy one may not. */
async function connect(
  attempts = 4,
): Promise<{ readonly started: StartedChromium; readonly browser: Browser }> {
  const started = await startChromium(`--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`)
  try {
    // By its defaults no page is ever hidden, and one that is not hidden cannot be frozen.
    const options = { noDefaults: true, timeout: 25_000 }
    return { started, browser: await chromium.connectOverCDP(started.address, options) }
  } catch (error) {
    await started.close()
    if (attempts <= 1) throw error
    return connect(attempts - 1)
  }
}

/** Starts a browser and the server of an application, for all tests of a file. */
export function useBrowser() {
  let started: StartedChromium
  let browser: Browser
  let server: LoopbackServer
  beforeAll(async () => {
    if (!hasChromium) return
    const script = await bundle('../packages/auth-token/test/fixtures/tab.ts', 'neutral')
    server = await serveApplication(script)
    const connection = await connect()
    started = connection.started
    browser = connection.browser
  }, 120_000)
  afterAll(async () => {
    if (!hasChromium) return
    await browser.close()
    await started.close()
    await server.close()
  })
  return {
    /**
     * Opens a window, whose tabs are closed with the test: then nothing is left of them.
     *
     * @param kind - The tabs of a `private` one share nothing with those of another window, and cannot be frozen.
     */
    async openWindow(kind: 'usual' | 'private' = 'usual') {
      const [usual] = browser.contexts()
      const context = kind === 'usual' && usual ? usual : await browser.newContext()
      onTestFinished(async () => {
        for (const page of context.pages()) await page.close()
        if (context !== usual) await context.close()
      })
      const { origin } = server.url
      return {
        context,
        origin,
        /** Opens a tab of the application; `later.html` is that of another version. */
        open: (document: 'tab.html' | 'later.html' = 'tab.html', at: string = origin) =>
          openTab(context, `${at}/${document}`),
      }
    },
    /** Ends a process of the browser that draws a tab, as the system does for want of memory. */
    async kill(tab: OpenTab): Promise<void> {
      const system = await browser.newBrowserCDPSession()
      const timesOf = async (): Promise<Map<number, number>> => {
        const { processInfo } = await system.send('SystemInfo.getProcessInfo')
        return new Map(processInfo.map(({ id, cpuTime }) => [id, cpuTime]))
      }
      const before = await timesOf()
      // It is the one that has worked meanwhile.
      await tab.page.evaluate(() => {
        const until = performance.now() + 500
        while (performance.now() < until) Math.random()
      })
      const worked = [...(await timesOf())].map(([id, time]) => [time - (before.get(id) ?? 0), id])
      const [[, id = 0] = []] = worked.sort(([one = 0], [other = 0]) => other - one)
      const crashed = tab.page.waitForEvent('crash')
      process.kill(id, 'SIGKILL')
      await crashed
    },
  }
}

async function openTab(context: BrowserContext, url: string): Promise<OpenTab> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await page.goto(url)
  const live = async (state: 'frozen' | 'active'): Promise<void> => {
    await session.send('Page.setWebLifecycleState', { state })
  }
  return {
    page,
    session,
    call: async (name, ...given) =>
      // The page has the functions of the type.
      page.evaluate(
        ([called, args]) => Reflect.get(Reflect.get(globalThis, 'tab'), called)(...args),
        [name as string, given as unknown[]] as const,
      ),
    freeze: () => live('frozen'),
    resume: () => live('active'),
    async crash() {
      const crashed = page.waitForEvent('crash')
      // It never responds.
      session.send('Page.crash').catch(() => {})
      await crashed
    },
  }
}

function serveApplication(script: string): Promise<LoopbackServer> {
  const pages: Record<string, readonly [type: string, text: string]> = {
    '/tab.js': ['text/javascript', script],
    '/later.js': ['text/javascript', script.replaceAll('svcAuth', 'svcAuthLater')],
    '/tab.html': ['text/html', documentOf('tab')],
    '/later.html': ['text/html', documentOf('later')],
    '/other.html': ['text/html', '<!doctype html><title>other</title>'],
  }
  return listenOnLoopback(
    createServer((request, response) => {
      const [type, text] = pages[request.url ?? ''] ?? ['text/plain', '']
      response.setHeader('content-type', `${type}; charset=utf-8`).end(text)
    }),
  )
}

function documentOf(name: string): string {
  return `<!doctype html><title>${name}</title><script type="module" src="/${name}.js"></script>`
}
