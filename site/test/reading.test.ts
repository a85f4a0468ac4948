import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { output, site as folder } from '../src/pages.ts'
import { breaches } from './support/axe.ts'
import { hydrated } from './support/hydrated.ts'
import { hasChromium, openSite } from './support/open-site.ts'

const pictured = ['index', 'guides/refused-signatures', 'compatibility', 'speed', 'api/auth-sigv4']

describe.skipIf(!hasChromium)('a reader', () => {
  const site = openSite()

  test.each([
    ['SignatureDoesNotMatch', 'My signature is refused'],
    ['many users', 'A server with many users'],
    ['upload a stream', 'Uploads and downloads'],
    ['ERR_AUTH_LOGIN_REFUSED', '@svc/auth-token'],
    ['createSigV4Auth', '@svc/auth-sigv4'],
  ])('finds %s by typing it', async (words, title) => {
    const { page, faults } = await site.open()
    await page.goto(site.url('index.html'))
    await hydrated(page)
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').pressSequentially(words)
    const result = page.locator('.VPLocalSearchBox .result', { hasText: title }).first()
    await result.click()
    await page.waitForURL((url) => url.pathname !== '/index.html')
    await page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' })
    expect(await page.locator('main').textContent()).toContain(words.split(' ').at(-1))
    expect(faults).toEqual([])
  })

  test('can use the search without seeing it', async () => {
    const { page } = await site.open()
    await page.goto(site.url('index.html'))
    await hydrated(page)
    await page.locator('#local-search button').click()
    await page.locator('#localsearch-input').fill('presign')
    await page.locator('.VPLocalSearchBox .result').first().waitFor()
    expect(await breaches(page, 'whole')).toEqual([])
    await page.keyboard.press('Escape')
    await page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' })
  })

  test('follows links without a new load, still under the policy', async () => {
    const { page, faults } = await site.open()
    await page.goto(site.url('index.html'))
    await hydrated(page)
    await page.evaluate('window.isSame = true')
    await page.locator('.front-guides a', { hasText: 'A server with many users' }).click()
    await page.getByRole('heading', { level: 1, name: 'A server with many users' }).waitFor()
    await page.locator('.VPSidebar a', { hasText: 'Speed, memory and size' }).click()
    await page.getByRole('heading', { level: 1, name: 'Speed, memory and size' }).waitFor()
    await page.locator('.VPSidebar a', { hasText: 'Architecture' }).click()
    await page.locator('.diagram img').first().waitFor()
    expect(await page.evaluate('window.isSame')).toBe(true)
    expect(faults).toEqual([])
  })

  test('loads the inspector anew, since it has a policy of its own', async () => {
    const { page } = await site.open()
    await page.goto(site.url('guides/refused-signatures.html'))
    const targets = await page
      .locator('a[href$="inspector/"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('target')))
    expect(targets.length).toBeGreaterThan(2)
    expect(new Set(targets)).toEqual(new Set(['_self']))
    await page.goto(site.url('inspector/'))
    await page.getByRole('link', { name: 'svc-auth' }).click()
    await page.waitForURL(site.url(''))
    await page.getByRole('link', { name: 'Get started' }).first().waitFor()
  })

  test('is led back from a page that is not there', async () => {
    const { page, faults } = await site.open()
    await page.goto(site.url('nowhere/at-all.html'))
    await page.getByRole('link', { name: /home/i }).first().click()
    await page.getByRole('link', { name: 'Get started' }).first().click()
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
    const { page } = await site.open()
    await page.goto(site.url('guides/uploads.html'))
    const link = page.locator('.page-source a', { hasText: 'Markdown' })
    const alternate = page.locator('link[rel=alternate][type="text/markdown"]')
    expect(await alternate.getAttribute('href')).toBe('/guides/uploads.md')
    await link.click()
    await page.waitForURL(site.url('guides/uploads.md'))
    const file = readFileSync(join(output, 'guides/uploads.md'), 'utf8')
    expect(file).toMatch(/^# Uploads and downloads\n/)
  })

  test('sees the numbers of a plot by one click', async () => {
    const { page } = await site.open()
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
    expect(await page.getByRole('table').first().getByRole('row').count()).toBeGreaterThan(60)
    expect(await page.locator('form').count()).toBe(0)
    await page.goto(site.url('index.html'))
    expect(await page.getByText("from '@svc/service-auth'").isVisible()).toBe(true)
    await page.getByRole('link', { name: 'Get started' }).click()
    await page.getByRole('heading', { level: 1, name: 'The first request' }).waitFor()
  })

  test.each([1280, 390])('finds the pictures of five pages at %i pixels', async (width) => {
    mkdirSync(join(folder, 'pictures'), { recursive: true })
    const { page, faults } = await site.open({ viewport: { width, height: 900 } })
    for (const address of pictured) {
      await page.goto(site.url(`${address}.html`))
      await hydrated(page)
      const path = join(folder, 'pictures', `${address.replaceAll('/', '-')}-${width}.png`)
      expect((await page.screenshot({ path })).length).toBeGreaterThan(10_000)
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
    await page.keyboard.type('Hermes')
    expect(await choice.inputValue()).toBe('Hermes')
    expect(await said()).toMatch(/, 1 of \d+ columns$/)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    expect(await table.locator('tbody td.yes:visible').count()).toBe(0)
  })

  test('of neighbours shows one kind', async () => {
    const { form, table, said } = await opened('works-with.html', 0)
    await form.getByLabel(/^kind/).selectOption('SDKs')
    expect(await said()).toMatch(/^3 of \d+ rows$/)
    expect(await table.getByRole('cell', { name: 'Supabase', exact: true }).isVisible()).toBe(true)
    expect(await table.getByRole('cell', { name: 'Jest', exact: true }).isVisible()).toBe(false)
  })

  async function opened(path: string, number: number) {
    const { page } = await site.open()
    await page.goto(site.url(path))
    const frame = page.locator('.filtered-table').nth(number)
    await frame.locator('form').waitFor()
    return {
      page,
      form: frame.locator('form'),
      table: frame.locator('table'),
      said: () => frame.getByRole('status').innerText(),
    }
  }
})
