import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown as openRolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import type { Bundled } from './bundlers/bundler.ts'
import { esbuild } from './bundlers/esbuild.ts'
import type { PageResult } from './bundlers/page.ts'
import { rolldown } from './bundlers/rolldown.ts'
import { vite } from './bundlers/vite.ts'
import { webpack } from './bundlers/webpack.ts'
import { browse } from '../support/chromium/browse.ts'
import { atNight } from '../support/nightly.ts'
import { servePages } from './chromium/page-server.ts'
import { readPage } from '../support/chromium/read-page.ts'
import { entries } from './entries.ts'
import { type Host, startHost } from './host.ts'

const own = import.meta.dirname
// Below the workspace, so that it finds the others as a user's project does.
const folder = join(own, '../node_modules/.cache/bundlers')
const names = entries.filter(({ runsOn }) => runsOn === 'web').map(({ name }) => name)
const hasChromium = hasProgram('chromium', ['chromium', '--version'], 'apt-get install chromium')

let host: Host
let page: string
const hooksAlone = join(folder, 'hooks-alone.js')
const hooksOfServiceAlone = join(folder, 'hooks-of-service-alone.js')
const tokenAlone = join(folder, 'token-alone.js')

beforeAll(async () => {
  host = await startHost()
  page = await writePage(host)
  for (const [file, name] of [
    [hooksAlone, '@svc/auth-sigv4'],
    [hooksOfServiceAlone, '@svc/service-auth'],
  ] as const) {
    writeFileSync(file, `import { authFetch } from '${name}'\nglobalThis.send = authFetch\n`)
  }
  writeFileSync(
    tokenAlone,
    `import { createTokenAuth } from '@svc/auth-token'\nglobalThis.logIn = createTokenAuth\n`,
  )
})
afterAll(() => host.close())

// By day the quickest.
describe.each(atNight([esbuild, rolldown, vite, webpack], [esbuild]))('$name', (bundler) => {
  let bundled: Bundled
  beforeAll(async () => {
    bundled = await bundler.bundle(page)
    // webpack takes half a minute on a machine that is busy.
  })

  test('bundles every entry for browsers without a warning', () => {
    expect(bundled.warnings).toEqual([])
  })

  test('chooses Web Crypto and no module of Node', () => {
    // Not matched by `expect`, which would print all of the code.
    const found = bundled.code.match(/webcrypto|node:\w+|createHmac|diagnostics_channel/g)
    expect([...new Set(found)]).toEqual(['webcrypto'])
  })

  test.each([hooksAlone, hooksOfServiceAlone])(
    'leaves out a scheme that nobody imports (%#)',
    async (file) => {
      const { code, warnings } = await bundler.bundle(file)
      expect(warnings).toEqual([])
      expect(code.includes('opaqueredirect')).toBe(true)
      expect(code.includes('AWS4-HMAC-SHA256')).toBe(false)
      expect(code.includes('/user/login')).toBe(false)
    },
  )

  test('leaves out the sharing of a token where nobody uses a store', async () => {
    const { code, warnings } = await bundler.bundle(tokenAlone)
    expect(warnings).toEqual([])
    expect(code.includes('/user/login')).toBe(true)
    expect(code.includes('AES-GCM')).toBe(false)
  })

  test.skipIf(!hasChromium)('makes a page that sends a token and a signature', async () => {
    const server = await servePages({ page: bundled.code }, [host.service])
    try {
      const shown = await browse(async (browser) =>
        readPage(await browser.newPage(), new URL('page.html', server.url)),
      )
      // Written by the page of this very package.
      const { statuses, exported } = JSON.parse(shown) as PageResult
      expect(statuses).toEqual([200, 200])
      const modules = await Promise.all(names.map((name) => import(name)))
      expect(exported).toEqual(modules.map((module) => Object.keys(module).length))
    } finally {
      await server.close()
    }
  })
})

/** Writes a page that imports every entry for browsers, in JavaScript, since webpack takes no other. */
async function writePage({ service, control }: Host): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const typed = join(folder, 'typed-page.ts')
  const imports = names.map((name, index) => `import * as entry${index} from '${name}'\n`)
  const imported = names.map((_name, index) => `entry${index}`).join(', ')
  const opened = `openPage(${JSON.stringify({ service, control })}, [${imported}])\n`
  const openPage = `import { openPage } from '${join(own, 'bundlers/page.ts')}'\n`
  writeFileSync(typed, [...imports, openPage, opened].join(''))

  const file = join(folder, 'page.js')
  const build = await openRolldown({ input: typed, external: /^@svc\// })
  await build.write({ file, format: 'esm' })
  await build.close()
  return file
}
