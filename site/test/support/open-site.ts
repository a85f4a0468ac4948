import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchBrowser } from '../../../tests/support/chromium/browse.ts'
import { hasProgram } from '../../../tests/support/needs.ts'
import { output } from '../../src/pages.ts'
import { serve } from '../../src/serve.ts'

/** Tells if the machine has a browser, for `describe.skipIf`. */
export const hasChromium: boolean = hasProgram(
  'Chromium',
  ['chromium', '--version'],
  'apt-get install chromium',
)

/** The site in a browser, for the tests of a file. */
export interface OpenSite {
  /** The address of a page of the site. */
  url: (path: string) => string
  /** Opens an empty page, which gathers what goes wrong in it. */
  open: (options?: BrowserContextOptions) => Promise<WatchedPage>
}

/** A page with all that went wrong in it: violations of the policy, errors, requests to another host. */
export interface WatchedPage {
  readonly page: Page
  readonly faults: string[]
}

/** Serves the site and starts a browser before the tests of a file, and ends both after them. */
export function openSite(): OpenSite {
  let browser: Browser | undefined
  let served: Awaited<ReturnType<typeof serve>> | undefined
  beforeAll(async () => {
    served = await serve(output, 0)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    served?.server.close()
  })
  const url = (path: string): string => `${served?.url}/${path}`
  return {
    url,
    open: async (options = {}) => {
      if (!browser) throw new Error('there is no browser yet')
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        ...options,
      })
      context.setDefaultTimeout(100_000)
      const page = await context.newPage()
      return { page, faults: watch(page, url('')) }
    },
  }
}

function watch(page: Page, site: string): string[] {
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(`${page.url()} throws ${message}`))
  // Chromium reports a violation of the policy, and a file that is not there, in the console.
  page.on('console', (message) => {
    if (/^(?:error|warning)$/.test(message.type()))
      faults.push(`${page.url()} says ${message.text()}`)
  })
  page.on('request', (request) => {
    const address = request.url()
    if (address.startsWith(site) || address.startsWith('data:')) return
    faults.push(`${page.url()} asks for ${address}`)
  })
  return faults
}
