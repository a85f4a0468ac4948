import { type Browser, chromium } from 'playwright-core'
import { findChromium } from './find-chromium.ts'

/** A host name that no browser takes for this machine, so that its pages are no secure contexts. */
export const insecureHost = 'insecure.test'

const flags = [
  // As root there is no sandbox.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`,
]

/** Starts Chromium for as long as an action takes. */
export async function browse<T>(action: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await launchBrowser()
  try {
    return await action(browser)
  } finally {
    await browser.close()
  }
}

/** Starts Chromium, which the caller closes. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: flags })
}
