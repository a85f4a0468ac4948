import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { build, preview } from 'vite'
import { launchBrowser } from '../support/chromium/browse.ts'
import { hasProgram } from '../support/needs.ts'
import { freePort } from '../support/redis-server.ts'

// The page of the guide, as Vite builds it, at the server that the guide names.

const root = join(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'docs/guides/many-tabs.md'), 'utf8')
const pages = [...guide.matchAll(/^```html\n([^]*?)^```$/gm)].map(([, html = '']) => html)
const hasChromium = hasProgram('chromium', ['chromium', '--version'], 'apt-get install chromium')
const folder = join(root, 'examples/.page-sign-in')

describe.skipIf(!hasChromium)('the page with the code flow', () => {
  let origin: string
  let close: () => Promise<void>
  let server: ChildProcess | undefined
  let startServer: () => Promise<void>
  let browser: Awaited<ReturnType<typeof launchBrowser>>
  beforeAll(async () => {
    const [index = '', signedIn = ''] = pages
    const [port, own] = [await freePort(), await freePort()]
    origin = `http://localhost:${own}`
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(join(folder, 'public'), { recursive: true })
    const elsewhere = /https:\/\/(?:reports|login)\.example\.com/g
    writeFileSync(join(folder, 'index.html'), index.replace(elsewhere, `http://localhost:${port}`))
    writeFileSync(join(folder, 'public/signed-in.html'), signedIn)
    await build({
      root: folder,
      logLevel: 'error',
      resolve: { conditions: ['@svc/source', 'module', 'browser'] },
    })
    const served = await preview({ root: folder, logLevel: 'error', preview: { port: own } })
    close = () => served.close()
    const script = join(root, 'examples/page-sign-in/server.ts')
    const args = ['--conditions=@svc/source', script, `${port}`, origin]
    startServer = async () => {
      server?.kill()
      server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
      await once(server.stdout ?? server, 'data')
    }
    await startServer()
    browser = await launchBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    server?.kill()
    await close?.()
    rmSync(folder, { recursive: true, force: true })
  })

  const openTab = async (context: BrowserContext): Promise<Page> => {
    const tab = await context.newPage()
    await tab.goto(origin)
    return tab
  }
  /** Clicks, and returns the pop-up. */
  const begin = async (tab: Page): Promise<Page> => {
    const opened = tab.waitForEvent('popup')
    await tab.getByRole('button', { name: 'Sign in' }).click()
    const popup = await opened
    await popup.getByPlaceholder('Enter any login').waitFor()
    return popup
  }
  const complete = async (popup: Page, user: string): Promise<void> => {
    await popup.getByPlaceholder('Enter any login').fill(user)
    await popup.getByPlaceholder('and password').fill('any')
    await popup.getByRole('button', { name: 'Sign-in' }).click()
    const closed = popup.waitForEvent('close')
    await popup.getByRole('button', { name: 'Continue' }).click()
    await closed
  }
  const shows = (tab: Page, text: string): Promise<void> =>
    expect.poll(() => tab.locator('output').textContent(), { timeout: 10_000 }).toBe(text)

  test('signs in for all tabs, out of all, and in as another user', async () => {
    const context = await browser.newContext()
    const [tab, other] = [await openTab(context), await openTab(context)]
    await complete(await begin(tab), 'ann')
    for (const each of [tab, other]) await shows(each, 'The report of ann')
    await shows(await openTab(context), 'The report of ann')
    expect(await tab.evaluate('[location.href, window.name]')).toEqual([`${origin}/`, ''])
    await other.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByRole('button', { name: 'Sign in' }).waitFor()
    await complete(await begin(tab), 'bob')
    for (const each of context.pages()) await shows(each, 'The report of bob')
    await context.close()
  })

  test('asks again in all tabs where the server has ended the sign-in', async () => {
    const context = await browser.newContext()
    const [tab, other] = [await openTab(context), await openTab(context)]
    await complete(await begin(tab), 'ann')
    await shows(other, 'The report of ann')
    // It remembers nothing.
    await startServer()
    await other.reload()
    for (const each of [other, tab]) {
      await expect.poll(() => each.getByRole('button').allInnerTexts()).toContain('Sign in')
    }
    await context.close()
  })

  test('asks again after a pop-up that was closed, and one in which the user denied', async () => {
    const context = await browser.newContext()
    const tab = await openTab(context)
    await (await begin(tab)).close()
    const popup = await begin(tab)
    expect(await popup.evaluate('opener')).toBeNull()
    await popup.getByRole('link', { name: 'Cancel' }).click()
    await shows(tab, 'authorization response from the server is an error')
    await complete(await begin(tab), 'ann')
    await shows(tab, 'The report of ann')
    await context.close()
  })

  test('says in which tab to go on, and asks in another once that one is closed', async () => {
    const context = await browser.newContext()
    const [tab, other] = [await openTab(context), await openTab(context)]
    await (await begin(other)).close()
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await shows(tab, 'Another tab is signing in: go on there, or close it')
    await other.close()
    await complete(await begin(tab), 'ann')
    expect(context.pages()).toEqual([tab])
    await shows(tab, 'The report of ann')
    await context.close()
  })
})
