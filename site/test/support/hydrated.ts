import type { Page } from 'playwright-core'

/** Waits until the script of the site has taken over the page. */
export async function hydrated(page: Page): Promise<void> {
  // `waitForFunction` would compile its condition each time it looks, which the policy forbids.
  await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      if ('__vue_app__' in document.querySelector('#app')) resolve()
      else requestAnimationFrame(look)
    }
    look()
  })`)
}
