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
  exports: { '.': { '@svc/source': './src/index.ts', default: './dist/index.js' } },
  imports: { '#platform': { node: './dist/platform.node.js' } },
  dependencies: { '@svc/types': '^0.1.0' },
}
const good: Readonly<Record<string, string>> = {
  'package/package.json': JSON.stringify(manifest),
  'package/README.md': '# Example',
  'package/LICENSE': 'MIT',
  'package/CHANGELOG.md': '# @svc/example',
  'package/src/index.ts': 'export {}',
  'package/src/platform.node.ts': 'export {}',
  'package/dist/index.js': 'export {}',
  'package/dist/index.js.map': JSON.stringify({ sourceRoot: '', sources: ['../src/index.ts'] }),
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

test('a package of sources, what is built of them, and its documents is good', async () => {
  expect(await check({})).toEqual([])
})

test('a package that was never versioned needs no changelog', async () => {
  expect(
    await check({ ...manifestWith({ version: '0.0.0' }), 'package/CHANGELOG.md': undefined }),
  ).toEqual([])
})

describe('a package is refused', () => {
  test.each([
    ['notes.txt', 'notes.txt does not belong into a package'],
    ['tsconfig.json', 'tsconfig.json does not belong into a package'],
    ['test/index.test.ts', 'test/index.test.ts does not belong into a package'],
    ['src/index.test.ts', 'src/index.test.ts is a test'],
    ['src/fixtures/key.ts', 'src/fixtures/key.ts is a test'],
    ['src/.env', 'src/.env is no source'],
    ['dist/.tsbuildinfo', 'dist/.tsbuildinfo is no output of the compiler'],
    ['dist/removed.js', 'dist/removed.js has no source'],
  ])('that holds %s', async (path, fault) => {
    expect(await check({ [`package/${path}`]: '' })).toEqual([fault])
  })

  test.each(['README.md', 'LICENSE', 'CHANGELOG.md'])('without %s', async (path) => {
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

  test.each(['/srv/build/src/index.ts', '../../other/index.ts'])(
    'with a source map to %s',
    async (source) => {
      const map = JSON.stringify({ sources: [source] })
      const faults = await check({ 'package/dist/index.js.map': map })
      expect(faults).toEqual([expect.stringMatching(/^dist\/index\.js\.map maps to /)])
    },
  )

  test.each(['workspace:^', 'catalog:', 'file:../types', 'link:../types'])(
    'that depends on %s',
    async (range) => {
      const faults = await check(manifestWith({ devDependencies: { '@svc/types': range } }))
      expect(faults).toEqual([`devDependencies has @svc/types as ${range}`])
    },
  )

  test.each([
    ['package/src/index.ts', './src/index.ts'],
    ['package/dist/platform.node.js', './dist/platform.node.js'],
  ])('that names %s and does not hold it', async (path, target) => {
    expect(await check({ [path]: undefined })).toContain(
      `package.json names ${target}, which is not there`,
    )
  })
})
