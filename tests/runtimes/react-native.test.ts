import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import { createControl } from './control.ts'
import { apiKey, credentials } from './credentials.ts'
import { appEntries, bundleApp, checkingApp, compileBundle, hermes } from './hermes/app-bundle.ts'
import { runApp } from './hermes/native-side.ts'
import { startHost } from './host.ts'

const hasApp = hasProgram('React Native', [hermes, '--version'], 'pnpm react-native, on Linux')

describe.skipIf(!hasApp)('an app of React Native', () => {
  test('is bundled with the stock preset, every entry included, and compiled', async () => {
    const bundle = await bundleApp('compiled', { 'index.js': await checkingApp() })
    const code = await readFile(bundle, 'utf8')
    expect(appEntries.length).toBeGreaterThan(20)
    // Not matched by `expect`, which would print all of the code.
    const found = code.match(/node:\w+|diagnostics_channel|\bstatic \{/g)
    expect(found).toBe(null)
    // The default engine is that of @noble/hashes, which needs nothing of the runtime.
    expect(code.includes('nobleEngine')).toBe(true)
    await compileBundle(bundle)
  }, 120_000)

  test('does what docs/react-native.md says', async () => {
    const guide = await readFile(join(import.meta.dirname, '../../docs/react-native.md'), 'utf8')
    const code = /^```js title="service.js"\n([^]*?)^```$/m.exec(guide)?.[1] ?? ''
    const host = await startHost()
    try {
      const bundle = await bundleApp('guide', guideApp(code))
      expect(await runApp(bundle, host)).toEqual([200, 200])
      expect((await createControl(host.control).state()).logins).toBe(1)
    } finally {
      await host.close()
    }
  }, 120_000)
})

/** Returns an app with the guide's snippet, for the emulator. */
function guideApp(code: string): Record<string, string> {
  const own = { baseUrl: 'globalThis.service', user: literal(credentials), apiKey: literal(apiKey) }
  const service = Object.entries(own).reduce(
    (text, [name, value]) =>
      text.replace(new RegExp(`const ${name} = .*`), `const ${name} = ${value}`),
    code,
  )
  const index = `import '../../environment.js'
    globalThis.runApp = async ({ service }) => {
      Object.assign(globalThis, { service })
      const { serviceFetch } = require('./service.js')
      const groups = await serviceFetch('/user/groups')
      const stored = await serviceFetch('/V1/a file.csv', { method: 'PUT', body: 'größer' })
      return [groups.status, stored.status]
    }`
  return { 'index.js': index, 'service.js': service }
}

function literal(value: object): string {
  return JSON.stringify(value)
}
