import { join } from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packPackages } from '../../scripts/release/pack-packages.ts'
import { type PackedPackage, readTarball } from '../../scripts/release/packed-package.ts'
import { run } from '../support/run-program.ts'

let folder: string
let packed: ReadonlyMap<string, PackedPackage>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packed-'))
  const packages = await Promise.all((await packPackages(folder)).map(readTarball))
  packed = new Map(packages.map((one) => [one.manifest.name, one]))
})
afterAll(() => rm(folder, { recursive: true }))

/** Returns a package and what npm installs with it, all of which is ours. */
function installed(name: string, found: Set<PackedPackage> = new Set()): Set<PackedPackage> {
  const one = packed.get(name)
  if (!one) throw new Error(`there is no package ${name}`)
  found.add(one)
  for (const dependency of Object.keys(one.manifest['dependencies'] ?? {}))
    installed(dependency, found)
  return found
}

test('auth-token with what it needs is small on disk', () => {
  const files = Array.from(installed('@svc/auth-token'), (one) => [...one.files.values()]).flat()
  expect(files.length).toBeLessThanOrEqual(75)
  const bytes = files.reduce((total, text) => total + Buffer.byteLength(text), 0)
  expect(bytes).toBeLessThanOrEqual(630_000)
})

test('a definition that an editor goes to is documented', () => {
  const bare = [...packed.values()].flatMap(({ manifest, files }) =>
    [...files]
      .filter(([path]) => path.endsWith('.d.ts'))
      .flatMap(([path, text]) =>
        [...text.matchAll(/(?<=^|\n)(.*)\n(?:declare (?:function|const|class)|interface) (\w+)/g)]
          .filter(([, before = '']) => !before.endsWith('*/'))
          .map(([, , name]) => `${manifest.name} ${path}: ${name}`),
      ),
  )
  expect(bare).toEqual([])
})

test('the stack of an error names the functions', async () => {
  const built = new URL('../../packages/auth-token/dist/index.js', import.meta.url).href
  const script = `
    import { createTokenAuth } from '${built}'
    const ofCaller = () => createTokenAuth({ baseUrl: 'search.example.com' })
    try { ofCaller() } catch (error) { console.log(error.stack) }`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout).toMatch(
    / at createTokenAuth \(.+\/auth-token\/dist\/index\.js:\d+:\d+\)\n +at ofCaller /,
  )
})
