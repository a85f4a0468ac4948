import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import { routeToEmulator } from '@svc/emulator/playwright'
import { describe, expect, test, vi } from 'vitest'
import { bundle } from '../support/bundle.ts'
import { servePages } from '../runtimes/chromium/page-server.ts'
import { browse } from '../support/chromium/browse.ts'
import { readPage } from '../support/chromium/read-page.ts'
import { hasProgram } from '../support/needs.ts'

const baseUrl = 'https://search.example.com'
const [user] = defaultUsers
const [apiKey] = defaultApiKeys
const hasChromium = hasProgram('chromium', ['chromium', '--version'], 'apt-get install chromium')

describe.skipIf(!hasChromium)('a page in Chromium', () => {
  test.each(['page', 'context'])('logs in and signs, routed by its %s', async (routed) => {
    const finished = vi.fn<() => void>()
    const emulator = createEmulator({ onRequest: finished })
    emulator.fault({ path: '/V1/dropped', drop: true })
    emulator.fault({ path: '/V1/late', latencyMs: 3_600_000 })
    const define = { service: JSON.stringify({ baseUrl, user, apiKey }) }
    const script = await bundle('works-with/playwright-page.ts', 'neutral', define)
    const server = await servePages({ page: script }, [baseUrl])
    const shown = await browse(async (browser) => {
      const context = await browser.newContext()
      const page = await context.newPage()
      const pages = routed === 'page' ? page : context
      // #region playwright
      await routeToEmulator(pages, emulator, { baseUrl })
      // #endregion
      return readPage(page, new URL('page.html', server.url))
    })
    await server.close()
    expect(JSON.parse(shown)).toEqual({
      groups: 200,
      stored: { text: [97, 59, 98], bytes: [0, 200, 13, 10], blob: [97, 59, 98] },
      dropped: true,
      late: expect.stringContaining('TimeoutError'),
    })
    expect(emulator.logins).toBe(1)
    const refused = emulator.requests.filter(({ auth, status }) => status && !auth.ok)
    expect(refused).toEqual([])
    await vi.waitUntil(() => finished.mock.calls.length === emulator.requests.length, 30_000)
  })

  test.each(['page', 'context'])(
    'a latency ends with its page, routed by its %s',
    async (routed) => {
      const finished = vi.fn<() => void>()
      const emulator = createEmulator({ onRequest: finished })
      emulator.fault({ latencyMs: 3_600_000 })
      await browse(async (browser) => {
        const page = await browser.newPage()
        await routeToEmulator(routed === 'page' ? page : page.context(), emulator, { baseUrl })
        const opened = page.goto(baseUrl).catch((error: unknown) => error)
        await vi.waitUntil(() => emulator.requests.length === 1, 30_000)
        await page.close()
        expect(await opened).toBeInstanceOf(Error)
        await vi.waitUntil(() => finished.mock.calls.length === 1, 30_000)
      })
    },
  )
})

test.each([undefined, {}, { route: vi.fn<() => Promise<void>>() }])(
  'anything but pages rejects with a TypeError that names it',
  async (pages) => {
    // As a caller without types may have it.
    const routing = routeToEmulator(pages as never, createEmulator(), {
      baseUrl: 'https://a.example',
    })
    await expect(routing).rejects.toThrow(/^\[@svc\/emulator\] routeToEmulator: pages must be /)
  },
)

test('a wrong base URL rejects with a TypeError that names it', async () => {
  const route = vi.fn<() => Promise<void>>()
  const pages = { route, on: () => undefined, once: () => undefined }
  const routing = routeToEmulator(pages, createEmulator(), { baseUrl: '/user' })
  await expect(routing).rejects.toThrow('[@svc/emulator] routeToEmulator: baseUrl must be an http')
  expect(route).not.toHaveBeenCalled()
})
