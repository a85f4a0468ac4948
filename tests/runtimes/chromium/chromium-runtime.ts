import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import type { Addresses } from '../addresses.ts'
import { equal } from '../assert.ts'
import { bundle } from '../../support/bundle.ts'
import type { Check } from '../check.ts'
import { createControl } from '../control.ts'
import { parseReport } from '../parse-report.ts'
import { runChecks } from '../run-checks.ts'
import type { Report } from '../report.ts'
import type { Runtime } from '../runtime.ts'
import { browse, insecureHost } from '../../support/chromium/browse.ts'
import { findChromium } from '../../support/chromium/find-chromium.ts'
import { servePages } from './page-server.ts'
import { readPage } from '../../support/chromium/read-page.ts'

const execute = promisify(execFile)

/** A page in Chromium, of another origin than the service's. */
export function chromiumRuntime(): Runtime {
  const scripts = ['page', 'service-worker', 'insecure-page', 'leaving-page']
  return {
    name: 'Chromium',
    version: chromiumVersion,
    run: (addresses) =>
      visitPages(addresses, scripts, async (browser, url) => {
        const insecureUrl = new URL('insecure-page.html', url)
        insecureUrl.hostname = insecureHost
        return [
          ...parseReport(await readPage(await browser.newPage(), new URL('page.html', url))),
          ...parseReport(await readPage(await browser.newPage(), insecureUrl)),
          ...(await runChecks([leavingCheck(browser, url, addresses)])),
        ]
      }),
  }
}

/** A module worker of such a page. */
export function webWorkerRuntime(): Runtime {
  return {
    name: 'Web Worker',
    version: chromiumVersion,
    run: (addresses) =>
      visitPages(addresses, ['web-worker', 'web-worker-page'], async (browser, url) =>
        parseReport(await readPage(await browser.newPage(), new URL('web-worker-page.html', url))),
      ),
  }
}

async function chromiumVersion(): Promise<string> {
  const { stdout } = await execute(await findChromium(), ['--version'])
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim()
}

async function visitPages(
  { service, control }: Addresses,
  names: readonly string[],
  visit: (browser: Browser, url: URL) => Promise<Report>,
): Promise<Report> {
  const hostAddresses = JSON.stringify({ service, control })
  const scripts: Record<string, string> = {}
  for (const name of names) {
    scripts[name] = await bundle(`runtimes/chromium/${name}.ts`, 'neutral', { hostAddresses })
  }
  const server = await servePages(scripts, [service, control])
  try {
    return await browse((browser) => visit(browser, server.url))
  } finally {
    await server.close()
  }
}

/** A check that only somebody who stays behind can make. */
function leavingCheck(browser: Browser, url: URL, addresses: Addresses): Check {
  const control = createControl(addresses.control)
  return {
    name: 'a request with a token and keepalive outlives its page',
    async run() {
      const page = await browser.newPage()
      equal(await readPage(page, new URL('leaving-page.html', url)), '200', 'status')
      const { arrived: before } = await control.state()
      await page.goto('about:blank')
      const deadline = Date.now() + 5000
      let arrived: number
      do ({ arrived } = await control.state())
      while (arrived === before && Date.now() < deadline)
      equal(arrived - before, 1, 'requests')
    },
  }
}
