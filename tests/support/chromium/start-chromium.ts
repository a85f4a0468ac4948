import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findChromium } from './find-chromium.ts'

/** A browser as its users have it, which playwright changes when it starts one: it keeps pages that are left. */
export interface StartedChromium {
  /** The address of the DevTools protocol. */
  readonly address: string
  readonly close: () => Promise<void>
}

/** Starts Chromium with more arguments, such as the address of a page. */
export async function startChromium(...more: string[]): Promise<StartedChromium> {
  const folder = await mkdtemp(join(tmpdir(), 'chromium-'))
  const browser = spawn(
    await findChromium(),
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      // It has nobody to talk to.
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-component-extensions-with-background-pages',
      '--disable-sync',
      '--remote-debugging-port=0',
      `--user-data-dir=${folder}`,
      ...more,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  return {
    address: `http://127.0.0.1:${await portOf(browser.stderr)}`,
    async close() {
      const ended = once(browser, 'exit')
      browser.kill()
      await ended
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function portOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const port = /DevTools listening on ws:\/\/[^:]*:(\d+)/.exec(line)?.[1]
    if (port !== undefined) {
      stderr.resume()
      return port
    }
  }
  throw new Error('the browser did not start')
}
