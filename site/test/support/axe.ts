import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** All rules on the whole page; or on what differs between pages of one kind, which leaves out the colors. */
export type Extent = 'whole' | 'content'

const calls: Readonly<Record<Extent, string>> = {
  whole: `axe.run(document, { resultTypes: ['violations'], preload: false })`,
  content: `axe.run(
    { include: ['html'], exclude: ['.VPSidebar', '.VPNav'] },
    {
      resultTypes: ['violations'],
      preload: false,
      rules: { 'color-contrast': { enabled: false }, 'link-in-text-block': { enabled: false } },
    },
  )`,
}

/** Returns a line for each element of a page that breaks a rule of accessibility. */
export async function breaches(page: Page, extent: Extent): Promise<readonly string[]> {
  // The debugger of the browser runs it, whatever the policy of the page is.
  await page.evaluate(source)
  const { violations } = await page.evaluate<AxeResults>(calls[extent])
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
