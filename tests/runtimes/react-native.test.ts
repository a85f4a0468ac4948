import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createEmulator } from '@svc/emulator'
import { describe, expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import { atNight, isNightly } from '../support/nightly.ts'
import { appEntries, bundleApp, checkingApp, compileBundle, hermes } from './hermes/app-bundle.ts'
import { runApp } from './hermes/native-side.ts'

const hasApp = hasProgram('React Native', [hermes, '--version'], 'pnpm react-native, on Linux')

describe.skipIf(!hasApp)('an app of React Native', () => {
  const platforms = atNight<('android' | 'ios')[]>(['android', 'ios'], ['android'])
  test.each(platforms)(
    'of %s is bundled with the stock preset, and compiled',
    async (platform) => {
      const bundle = await bundleApp(platform, { 'index.js': await checkingApp() }, platform)
      expect(appEntries.length).toBeGreaterThan(20)
      await expectToCompile(bundle)
    },
    120_000,
  )

  test.runIf(isNightly)(
    'does what docs/react-native.md says',
    async () => {
      const guide = await readFile(join(import.meta.dirname, '../../docs/react-native.md'), 'utf8')
      const code = /^```js title="service.js"\n([^]*?)^```$/m.exec(guide)?.[1] ?? ''
      // Whom the guide tells of.
      const emulator = createEmulator({
        users: [{ username: 'reader@example.com', password: 'a password' }],
        apiKeys: [{ accessKeyId: 'AKIDREADER', secretAccessKey: 'EXAMPLEKEY' }],
      })
      const service = await emulator.listen()
      try {
        const bundle = await bundleApp('guide', guideApp(code))
        await expectToCompile(bundle)
        const addresses = { service: service.baseUrl, control: '' }
        expect(await runApp(bundle, addresses)).toEqual([200, 200])
        expect(emulator.logins).toBe(1)
      } finally {
        await service.close()
      }
    },
    120_000,
  )
})

async function expectToCompile(bundle: string): Promise<void> {
  const code = await readFile(bundle, 'utf8')
  // Not matched by `expect`, which would print all of the code.
  const found = code.match(/node:\w+|diagnostics_channel|\bstatic \{/g)
  expect(found).toBe(null)
  // The default engine is that of @noble/hashes, which needs nothing of the runtime.
  expect(code.includes('nobleEngine')).toBe(true)
  await compileBundle(bundle)
}

/** Returns an app with the guide's snippet, for the emulator. */
function guideApp(code: string): Record<string, string> {
  const service = code.replace("'https://search.example.com'", 'globalThis.service')
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
