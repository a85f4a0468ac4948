import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { findChromium } from '../../../../tests/support/chromium/find-chromium.ts'
import { listenOnLoopback, type LoopbackServer } from '../../../../tests/support/loopback.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The built page on a server, and the browser that opens it. */
export interface Stage {
  readonly browser: Browser
  readonly url: string
  /** The paths that were asked for. */
  readonly requests: string[]
  readonly close: () => Promise<void>
}

/** Serves the built page as any static host does, and starts the browser. */
export async function openStage(): Promise<Stage> {
  const requests: string[] = []
  const dist = join(import.meta.dirname, '../../dist')
  const server = createServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://a')
    requests.push(incoming.url ?? '')
    const file = pathname === '/inspector/' ? 'index.html' : pathname.replace('/inspector/', '')
    readFile(join(dist, file)).then(
      (content) =>
        outgoing
          .writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' })
          .end(content),
      () => outgoing.writeHead(404).end('nothing here'),
    )
  })
  const listening: LoopbackServer = await listenOnLoopback(server)
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [
      // As root there is no sandbox.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
    ],
  })
  return {
    browser,
    url: new URL('inspector/', listening.url).href,
    requests,
    async close() {
      await browser.close()
      await listening.close()
    },
  }
}

/** A page of the inspector, as a person uses it. */
export interface InspectorPage {
  readonly page: Page
  readonly context: BrowserContext
  /** What the page reported that it should not: errors, refused requests, violations of its policy. */
  readonly complaints: string[]
}

/** Options of {@link openInspector}. */
export interface OpenOptions {
  /** The time, in epoch milliseconds. */
  readonly now?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
  readonly fragment?: string
}

/** Opens the inspector in a context of its own. */
export async function openInspector(
  { browser, url }: Stage,
  { now, colorScheme = 'light', width = 1280, fragment = '' }: OpenOptions = {},
): Promise<InspectorPage> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(100_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  if (now !== undefined) await page.clock.setFixedTime(now)
  await page.goto(url + fragment)
  await page.locator('h1').waitFor()
  return { page, context, complaints }
}

/** Pastes a text into a field with the keyboard, from the clipboard. */
export async function paste(page: Page, label: string, text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await page.getByLabel(label, { exact: true }).focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Control+V')
}

/** Returns the titles of the findings, once one of them is the one that is waited for. */
export async function findingsWith(page: Page, title: string): Promise<string[]> {
  await page.locator('.finding h3', { hasText: title }).first().waitFor()
  const titles = await page.locator('.finding h3').allTextContents()
  return titles.map((one) => one.replace(/^[✗✓?]\w+: /, ''))
}

/** Returns the lines that are marked as differing, with both sides. */
export async function differences(page: Page): Promise<string[][]> {
  const textsOf = async (row: Locator, name: string): Promise<string> =>
    (await row.locator(name).allTextContents()).join('|')
  const rows = await page.locator('tr.differs').all()
  return Promise.all(
    rows.map(async (row) => {
      const sides = await row.locator('dd').allTextContents()
      return sides.concat(await textsOf(row, 'del'), await textsOf(row, 'ins'))
    }),
  )
}
