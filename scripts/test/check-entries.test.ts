import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTarGzip } from 'nanotar'
import { expect, onTestFinished, test } from 'vitest'
import { checkEntries } from '../release/check-entries.ts'

const manifest = {
  name: '@svc/example',
  version: '0.1.0',
  type: 'module',
  license: 'MIT',
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
}

/** Checks a tarball with these files beside its manifest. */
async function check(
  files: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'check-entries-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'example.tgz')
  const all = { 'package.json': JSON.stringify({ ...manifest, ...changes }), ...files }
  const entries = Object.entries(all).map(([name, data]) => ({ name: `package/${name}`, data }))
  await writeFile(path, await createTarGzip(entries))
  return checkEntries(path)
}

const code = { 'dist/index.js': 'export const one = 1\n' }
const types = { 'dist/index.d.ts': 'export declare const one: number\n' }

test('a package whose imports find code and types has no fault', async () => {
  expect(await check({ ...code, ...types })).toEqual([])
})

test('a program has no types', async () => {
  const bin = { example: './dist/index.js' }
  const program = { 'dist/index.js': '#!/usr/bin/env node\nexport {}\n' }
  expect(await check(program, { exports: undefined, bin })).toEqual([])
})

test.each([
  ['an entry without its code', types, '/dist/index.js', {}],
  [
    'an entry without its types',
    { ...code, ...types, 'dist/other.js': 'export {}' },
    'the types of ./other: ',
    {
      exports: {
        '.': manifest.exports['.'],
        './other': './dist/other.js',
      },
    },
  ],
  [
    'types of another form than the code',
    { ...code, 'dist/index.d.cts': types['dist/index.d.ts'] },
    'FalseCJS',
    {
      exports: { '.': { types: './dist/index.d.cts', default: './dist/index.js' } },
    },
  ],
  [
    'types after the code',
    { ...code, ...types },
    'types',
    {
      exports: { '.': { default: './dist/index.js', types: './dist/index.d.ts' } },
    },
  ],
])('%s is a fault', async (_, files, fault, changes) => {
  expect((await check(files, changes)).join('\n')).toContain(fault)
})
