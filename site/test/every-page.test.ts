import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { atNight } from '../../tests/support/nightly.ts'
import { breaches } from './support/axe.ts'
import { builtPages } from './support/built-pages.ts'
import { hydrated } from './support/hydrated.ts'
import { hasChromium, openSite, type WatchedPage } from './support/open-site.ts'

const all = builtPages()
  .map(({ path }) => path)
  .filter((path) => path !== '404.html')
// One of each kind.
const sample = [
  'index.html',
  'guides/streams.html',
  'compatibility.html',
  'speed.html',
  'api/auth-sigv4.html',
]
// What dark and narrow pages may break: the front page, and the widest tables.
const often = ['index.html', 'compatibility.html']
const narrow = { width: 360, height: 800 }

describe.skipIf(!hasChromium)('every page', { timeout: 300_000 }, () => {
  const site = openSite()

  test('in light breaks neither the policy nor a rule of accessibility, and asks no other host', async () => {
    const opened = await site.open({ colorScheme: 'light' })
    expect(await faultsOf(opened, atNight(all, sample))).toEqual([])
  })

  test('in dark does so too', async () => {
    const opened = await site.open({ colorScheme: 'dark' })
    expect(await faultsOf(opened, atNight(all, often))).toEqual([])
  })

  test('on a narrow screen does so too', async () => {
    const opened = await site.open({ viewport: narrow })
    expect(await faultsOf(opened, atNight(all, often))).toEqual([])
  })

  test('is not wider than the screen of a tablet', async () => {
    const { page } = await site.open()
    const wide: string[] = []
    for (const path of atNight(sample, often)) {
      await page.goto(site.url(path))
      await hydrated(page)
      for (const width of [768, 800, 960]) {
        await page.setViewportSize({ width, height: 1024 })
        wide.push(...(await overflow(page, barWidth)).map((line) => `${path}, ${width}: ${line}`))
      }
    }
    await page.context().close()
    expect(wide).toEqual([])
  })

  async function faultsOf(
    { page, faults }: WatchedPage,
    paths: readonly string[],
  ): Promise<readonly string[]> {
    const lines: string[] = []
    for (const path of paths) {
      await page.goto(site.url(path))
      await hydrated(page)
      const broken = [...(await breaches(page)), ...(await overflow(page, 0))]
      lines.push(...broken.map((breach) => `${path}: ${breach}`))
    }
    await page.context().close()
    return [...faults, ...lines]
  }
})

/** The width of a bar to scroll by, which a browser without a screen does not show. */
const barWidth = 15

/** Tells if a page is wider than the screen: its tables and its code scroll in boxes of their own. */
async function overflow(page: Page, bar: number): Promise<readonly string[]> {
  const width = page.viewportSize()?.width ?? 0
  const wide = await page.locator('html').evaluate((html, less) => {
    html.style.width = `calc(100% - ${less}px)`
    return html.scrollWidth + less
  }, bar)
  return wide > width + bar ? [`it is ${wide} pixels wide`] : []
}
