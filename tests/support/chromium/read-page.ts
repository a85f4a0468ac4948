import type { Page } from 'playwright-core'

/**
 * Opens an address and waits for the result that its page shows.
 *
 * @throws Error where the page breaks before.
 */
export async function readPage(page: Page, url: URL): Promise<string> {
  const broken = new Promise<never>((_resolve, reject) => {
    page.once('pageerror', reject)
  })
  const shown = async (): Promise<string> => {
    await page.goto(url.href)
    return (await page.locator('output:not(:empty)').textContent({ timeout: 60_000 })) ?? ''
  }
  return Promise.race([shown(), broken])
}
