import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTarGzip } from 'nanotar'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkPackage } from '../release/check-package.ts'
import { readTarball } from '../release/packed-package.ts'

const repository = '/home/me/svc-auth'
const manifest = {
  name: '@svc/example',
  version: '0.1.0',
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  imports: { '#platform': { node: './dist/platform.node.js' } },
  dependencies: { '@svc/types': '^0.1.0' },
}
const good: Readonly<Record<string, string>> = {
  'package/package.json': JSON.stringify(manifest),
  'package/README.md': '# Example',
  'package/LICENSE': 'MIT',
  'package/dist/index.js': 'export {}',
  'package/dist/index.d.ts': 'export {}',
  'package/dist/platform.node.js': 'export {}',
}

/** Checks a real tarball: a good one with other files, where `undefined` leaves one out. */
async function check(changes: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'check-package-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const files = Object.entries({ ...good, ...changes }).flatMap(([name, data]) =>
    data === undefined ? [] : [{ name, data }],
  )
  const path = join(folder, 'example.tgz')
  await writeFile(path, await createTarGzip(files))
  return checkPackage(await readTarball(path), repository)
}

function manifestWith(changes: Readonly<Record<string, unknown>>): Record<string, string> {
  return { 'package/package.json': JSON.stringify({ ...manifest, ...changes }) }
}

test('a package of what is built, and its documents, is good', async () => {
  expect(await check({})).toEqual([])
})

describe('a package is refused', () => {
  test.each([
    ['notes.txt', 'notes.txt does not belong into a package'],
    ['tsconfig.json', 'tsconfig.json does not belong into a package'],
    ['test/index.test.ts', 'test/index.test.ts does not belong into a package'],
    ['src/index.ts', 'src/index.ts does not belong into a package'],
    ['dist/index.test.js', 'dist/index.test.js is a test'],
    ['dist/.tsbuildinfo', 'dist/.tsbuildinfo is no output of the build'],
    ['dist/index.js.map', 'dist/index.js.map is no output of the build'],
    ['dist/kit/urls.js', 'dist/kit/urls.js is no output of the build'],
  ])('that holds %s', async (path, fault) => {
    expect(await check({ [`package/${path}`]: '' })).toEqual([fault])
  })

  test.each(['README.md', 'LICENSE'])('without %s', async (path) => {
    expect(await check({ [`package/${path}`]: undefined })).toEqual([`${path} is missing`])
  })

  test('with a file that is not below its folder', async () => {
    expect(await check({ 'stray.js': '' })).toEqual(['stray.js is outside of the package'])
  })

  test('that names a folder of the machine where it was built', async () => {
    expect(await check({ 'package/dist/index.js': `// ${repository}/src` })).toEqual([
      'dist/index.js names a folder of this machine',
    ])
  })

  test('that loads a file only when it is called', async () => {
    const faults = await check({ 'package/dist/index.js': "await import('./platform.node.js')" })
    expect(faults).toEqual(['dist/index.js has an import()'])
  })

  test('that does so as a part of a program is sound', async () => {
    const part = { 'package/dist/index.js': "await import('./part.js')" }
    const program = manifestWith({ bin: { it: './dist/index.js' }, exports: {} })
    expect(await check({ ...program, ...part })).toEqual([])
  })

  test.each(['exports', 'imports'])('with the sources of the workspace in %s', async (field) => {
    const target = { '@svc/source': './dist/index.js', default: './dist/index.js' }
    const faults = await check(manifestWith({ [field]: { '#index': target } }))
    expect(faults).toEqual([`${field} has @svc/source, whose files stay here`])
  })

  test.each(['workspace:^', 'catalog:', 'file:../types', 'link:../types'])(
    'that depends on %s',
    async (range) => {
      const faults = await check(manifestWith({ devDependencies: { '@svc/types': range } }))
      expect(faults).toEqual([`devDependencies has @svc/types as ${range}`])
    },
  )

  test.each([
    ['package/dist/index.d.ts', './dist/index.d.ts'],
    ['package/dist/platform.node.js', './dist/platform.node.js'],
  ])('that names %s and does not hold it', async (path, target) => {
    expect(await check({ [path]: undefined })).toContain(
      `package.json names ${target}, which is not there`,
    )
  })
})
