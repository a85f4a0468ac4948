import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { browse } from '../../../tests/support/chromium/browse.ts'
import { findChromium } from '../../../tests/support/chromium/find-chromium.ts'
import { readPage } from '../../../tests/support/chromium/read-page.ts'
import { listenOnLoopback, type LoopbackServer } from '../../../tests/support/loopback.ts'
import { bundleForBrowser } from '../jobs/bundle.ts'
import type { TimingEffort } from '../measure/time-calls.ts'
import type { Contest } from './run-contest.ts'

const execute = promisify(execFile)

/** Returns the version of Debian's Chromium; rejects if it is not installed. */
export async function chromiumVersion(): Promise<string> {
  const { stdout } = await execute(await findChromium(), ['--version'])
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim()
}

/** Signs all requests in a page. */
export async function chromiumContests(effort: TimingEffort): Promise<readonly Contest[]> {
  const jobParameters = JSON.stringify(effort)
  const server = await servePage(await bundleForBrowser('../signing/page.ts', { jobParameters }))
  try {
    const text = await browse(async (browser) => readPage(await browser.newPage(), server.url))
    // The page of this folder wrote it.
    return JSON.parse(text) as Contest[]
  } finally {
    await server.close()
  }
}

/** Serves a page in which mitata may compile the loop that it measures. */
async function servePage(script: string): Promise<LoopbackServer> {
  const server = createServer((incoming, outgoing) => {
    // An isolated page has a clock of 5 µs, any other one of 100 µs.
    outgoing.setHeader('cross-origin-opener-policy', 'same-origin')
    outgoing.setHeader('cross-origin-embedder-policy', 'require-corp')
    const isScript = incoming.url === '/page.js'
    outgoing.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    outgoing.end(
      isScript ? script : '<output></output><script type="module" src="page.js"></script>',
    )
  })
  // Only a page with an address on this machine is a secure context, which WebCrypto asks for.
  return listenOnLoopback(server)
}
