import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isNightly } from '../../tests/support/nightly.ts'
import { navigation } from '../src/navigation.ts'
import { output, site as folder } from '../src/pages.ts'
import { breaches } from './support/axe.ts'
import { hydrated } from './support/hydrated.ts'
import { hasChromium, openSite, type WatchedPage } from './support/open-site.ts'

const pictured = ['index', 'guides/refused-signature', 'compatibility', 'speed', 'api/auth-sigv4']

/** What people type, and the title that has to be among so many of the first results. */
const searches = [
  { words: 'install', title: 'Install and first request', within: 3 },
  { words: 'mock', title: 'Test without the service', within: 3 },
  { words: 'test without the service', title: 'Test without the service', within: 1 },
  { words: 'unknown length', title: 'Streams and large uploads', within: 1 },
  { words: 'SignatureDoesNotMatch', title: 'Why was my signature refused?', within: 1 },
  { words: 'minio', title: 'MinIO, Ceph and S3', within: 1 },
  { words: '401', title: 'When something fails', within: 1 },
  { words: 'express', title: 'Express, and an account for each visitor', within: 1 },
  { words: 'many visitors', title: 'Many visitors in one server', within: 1 },
  { words: 'upload a stream', title: 'Streams and large uploads', within: 3 },
  { words: 'ERR_AUTH_LOGIN_REFUSED', title: 'My login is refused', within: 3 },
  { words: 'createSigV4Auth', title: '@svc/auth-sigv4', within: 3 },
]

describe.skipIf(!hasChromium)('a reader', () => {
  const site = openSite()
  let opened: Promise<WatchedPage> | undefined
  /** The page of those tests that leave nothing behind, so that its files are loaded once. */
  const sharedPage = (): Promise<WatchedPage> => (opened ??= site.open())

  test('finds what is asked for by typing it, and opens it', async () => {
    const { page, faults } = await sharedPage()
    await page.goto(site.url('index.html'))
    await hydrated(page)
    await page.keyboard.press('Control+k')
    for (const { words, title, within } of searches) {
      await page.locator('#localsearch-input').fill(words)
      const first = async (): Promise<string> =>
        (await page.locator('.VPLocalSearchBox .result').allTextContents())
          .slice(0, within)
          .join('\n')
      await expect.poll(first, { message: words }).toContain(title)
    }

    await page.locator('#localsearch-input').fill('many visitors')
    await page.locator('.VPLocalSearchBox .result', { hasText: 'Many visitors' }).first().click()
    await page.waitForURL((url) => url.pathname !== '/index.html')
    await page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' })
    expect(await page.locator('main').textContent()).toContain('visitor')
    expect(faults).toEqual([])
  })

  test('can use the search without seeing it', async () => {
    const { page } = await sharedPage()
    await page.goto(site.url('index.html'))
    await hydrated(page)
    await page.locator('#local-search button').click()
    await page.locator('#localsearch-input').fill('presign')
    await page.locator('.VPLocalSearchBox .result').first().waitFor()
    expect(await breaches(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' })
  })

  test('follows links without a new load, still under the policy', async () => {
    const { page, faults } = await sharedPage()
    await page.goto(site.url('index.html'))
    await hydrated(page)
    await page.evaluate('window.isSame = true')
    await page.locator('.front-guides a', { hasText: 'Many visitors in one server' }).click()
    await page.getByRole('heading', { level: 1, name: 'Many visitors in one server' }).waitFor()
    await page.locator('.VPSidebar a', { hasText: 'Speed, memory and size' }).click()
    await page.getByRole('heading', { level: 1, name: 'Speed, memory and size' }).waitFor()
    await page.locator('.VPSidebar a', { hasText: 'Architecture' }).click()
    await page.locator('.diagram img').first().waitFor()
    expect(await page.evaluate('window.isSame')).toBe(true)
    expect(faults).toEqual([])
  })

  test('loads the inspector anew, since it has a policy of its own', async () => {
    const { page } = await sharedPage()
    await page.goto(site.url('guides/refused-signature.html'))
    const targets = await page
      .locator('a[href$="inspector/"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('target')))
    expect(targets.length).toBeGreaterThan(1)
    expect(new Set(targets)).toEqual(new Set(['_self']))
    await page.goto(site.url('inspector/'))
    for (const { text } of navigation) {
      const href = await page.getByRole('link', { name: text, exact: true }).getAttribute('href')
      const there = await page.request.get(new URL(href ?? 'nowhere', page.url()).href)
      expect([text, there.status()]).toEqual([text, 200])
    }
    await page.getByRole('link', { name: 'svc-auth' }).click()
    await page.waitForURL(site.url(''))
    await page.getByRole('link', { name: 'Start' }).first().waitFor()
  })

  test('is led back from a page that is not there', async () => {
    const { page, faults } = await site.open()
    await page.goto(site.url('nowhere/at-all.html'))
    await page.getByRole('link', { name: /home/i }).first().click()
    await page.getByRole('link', { name: 'Start' }).first().click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    // The status is an error in the console, too.
    expect(faults.filter((fault) => !fault.includes('status of 404'))).toEqual([])
  })

  test('chooses dark, and finds it dark again', async () => {
    const { page, faults } = await site.open({ colorScheme: 'light' })
    await page.goto(site.url('security.html'))
    await hydrated(page)
    const background = (): Promise<string> =>
      page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
    expect(await background()).toBe('rgb(255, 255, 255)')
    await page.locator('.VPNavBar .VPSwitchAppearance:visible').click()
    expect(await background()).toBe('rgb(20, 24, 29)')
    await page.reload()
    expect(await background()).toBe('rgb(20, 24, 29)')
    expect(faults).toEqual([])
  })

  test('gets the Markdown of a page from the page', async () => {
    const { page } = await sharedPage()
    await page.goto(site.url('guides/streams.html'))
    const link = page.locator('.page-source a', { hasText: 'Markdown' })
    const alternate = page.locator('link[rel=alternate][type="text/markdown"]')
    expect(await alternate.getAttribute('href')).toBe('/guides/streams.md')
    await link.click()
    await page.waitForURL(site.url('guides/streams.md'))
    const file = readFileSync(join(output, 'guides/streams.md'), 'utf8')
    expect(file).toMatch(/^# Streams and large uploads\n/)
  })

  test('sees the numbers of a plot by one click', async () => {
    const { page } = await sharedPage()
    await page.goto(site.url('speed.html'))
    const details = page.locator('details.numbers').first()
    const table = details.locator('table')
    expect(await page.locator('.plot li').count()).toBeGreaterThan(50)
    expect(await table.isVisible()).toBe(false)
    await details.locator('summary').click()
    expect(await table.isVisible()).toBe(true)
  })

  test('reads all of it without JavaScript', async () => {
    const { page } = await site.open({ javaScriptEnabled: false })
    await page.goto(site.url('compatibility.html'))
    expect(await page.getByRole('table').nth(1).getByRole('row').count()).toBeGreaterThan(60)
    expect(await page.locator('form').count()).toBe(0)
    await page.goto(site.url('index.html'))
    expect(await page.getByText("from '@svc/service-auth'").isVisible()).toBe(true)
    await page.getByRole('link', { name: 'Start' }).click()
    await page.getByRole('heading', { level: 1, name: 'Install and first request' }).waitFor()
  })

  test('sees on a phone which sides of a table hide columns, and plain titles of guides', async () => {
    const { page } = await site.open({ viewport: { width: 390, height: 844 } })
    await page.goto(site.url('index.html'))
    await hydrated(page)
    const box = page.locator('.table-box').first()
    expect(await box.evaluate((table) => table.scrollWidth > table.clientWidth)).toBe(true)
    const shades = await box.evaluate((table) => {
      const { backgroundImage, backgroundAttachment } = getComputedStyle(table)
      const cells = [...table.querySelectorAll('tbody td')]
      const covered = cells.some((cell) => getComputedStyle(cell).backgroundImage !== 'none')
      return { backgroundAttachment, count: backgroundImage.split('gradient').length - 1, covered }
    })
    const backgroundAttachment = 'local, local, scroll, scroll'
    expect(shades).toEqual({ backgroundAttachment, count: 4, covered: false })
    expect(await page.locator('.front-guides a', { hasText: '`' }).count()).toBe(0)
  })

  test.runIf(isNightly)('finds the pictures of five pages at 1280 and at 390 pixels', async () => {
    mkdirSync(join(folder, 'pictures'), { recursive: true })
    const { page, faults } = await site.open()
    for (const address of pictured) {
      await page.goto(site.url(`${address}.html`))
      await hydrated(page)
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const path = join(folder, 'pictures', `${address.replaceAll('/', '-')}-${width}.png`)
        expect((await page.screenshot({ path })).length).toBeGreaterThan(10_000)
      }
    }
    expect(faults).toEqual([])
  })
})

describe.skipIf(!hasChromium)('a table that is filtered', () => {
  const site = openSite()

  test('shows one client, and says how much of the table that is', async () => {
    const { form, table, said } = await opened('compatibility.html', 0)
    const all = await said()
    expect(all).toMatch(/^(\d+) of \1 rows, (\d+) of \2 columns$/)
    await form.getByLabel(/^client/).selectOption({ index: 3 })
    expect(await said()).toMatch(/^\d+ of \d+ rows, 1 of \d+ columns$/)
    expect(await table.locator('thead :is(th, td):visible').count()).toBe(3)
    await form.getByLabel(/^client/).selectOption('')
    expect(await said()).toBe(all)
  })

  test('shows one topic, named in its first row, and what does not work', async () => {
    const { form, table, said } = await opened('compatibility.html', 0)
    await form.getByLabel(/^topic/).selectOption('uploads')
    const before = await said()
    expect(await table.getByRole('cell', { name: 'uploads', exact: true }).isVisible()).toBe(true)
    await form.getByLabel('only what is not ✓').check()
    expect(await said()).not.toBe(before)
    const rows = await table.locator('tbody tr:visible').allTextContents()
    expect(rows.filter((row) => !/–|refused|through/.test(row))).toEqual([])
    expect(rows.length).toBeGreaterThan(1)
  })

  test('is filtered by the keyboard alone', async () => {
    const { page, form, table, said } = await opened('compatibility.html', 1)
    const choice = form.getByLabel(/^runtime/)
    await choice.focus()
    expect(await choice.evaluate((field) => getComputedStyle(field).outlineStyle)).toBe('solid')
    await page.keyboard.type('React')
    expect(await choice.inputValue()).toBe('React Native (Hermes)')
    expect(await said()).toMatch(/, 1 of \d+ columns$/)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    const cells = await table.locator('tbody td:nth-child(n + 2):visible').allTextContents()
    expect(new Set(cells.map((text) => text.trim()))).toEqual(new Set(['refused']))
  })

  test('shows the reasons of one client alone, and keeps the names of rows and columns in sight', async () => {
    const { page, form, table } = await opened('compatibility.html', 0)
    const reasons = page.locator('.by-client + ul li:visible')
    expect(await reasons.count()).toBeGreaterThan(10)
    await form.getByLabel(/^client/).selectOption({ label: 'got, 16.1.0, 15.1.0, 14.6.6' })
    expect(await reasons.allTextContents()).toEqual([expect.stringMatching(/^got: – /)])
    await form.getByLabel(/^client/).selectOption('')
    await table.locator('xpath=..').evaluate((box) => box.scrollTo(900, 900))
    const box = await table.locator('xpath=..').boundingBox()
    const head = await table.locator('thead :is(th, td)').nth(1).boundingBox()
    expect(Math.abs((head?.y ?? 0) - (box?.y ?? 0))).toBeLessThan(3)
    expect((head?.x ?? 0) - (box?.x ?? 0)).toBeLessThan(200)
  })

  test('of neighbours shows one kind', async () => {
    const { form, table, said } = await opened('works-with.html', 0)
    await form.getByLabel(/^kind/).selectOption('SDKs')
    expect(await said()).toMatch(/^3 of \d+ rows$/)
    expect(await table.getByRole('cell', { name: 'Supabase', exact: true }).isVisible()).toBe(true)
    expect(await table.getByRole('cell', { name: 'Jest', exact: true }).isVisible()).toBe(false)
  })

  /** The pages that are open: all tests of a page share it, and find its forms empty. */
  const pages = new Map<string, Page>()

  async function opened(path: string, number: number) {
    const page = pages.get(path) ?? (await site.open()).page
    if (!pages.has(path)) await page.goto(site.url(path))
    pages.set(path, page)
    const frame = page.locator('.filtered-table').nth(number)
    const form = frame.locator('form')
    await form.waitFor()
    for (const field of await form.locator('select').all()) await field.selectOption('')
    for (const field of await form.locator('input').all()) await field.uncheck()
    return {
      page,
      form,
      table: frame.locator('table'),
      said: () => form.locator('output').innerText(),
    }
  }
})
