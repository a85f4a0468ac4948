import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type BuildOptions } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FirstService, startFirstService } from '../support/first-use.ts'
import { hasProgram } from '../support/needs.ts'
import { outputIn } from '../support/run-program.ts'
import { installPacked } from './installed/install-packed.ts'

const own = join(import.meta.dirname, 'deployed')
const node20 = join(import.meta.dirname, '../node_modules/node20/bin/node')
const hasNode20 = hasProgram('Node 20', [node20, '--version'], 'an install on Linux with x64')
const hasZip = hasProgram('python3', ['python3', '--version'], 'apt-get install python3')
const stored = 'PUT /V1/a%20b%2Bc.csv 200'

let folder: string
let project: string
let service: FirstService

beforeAll(async () => {
  // Outside of the repository, so that nothing is found but what is installed.
  folder = await mkdtemp(join(tmpdir(), 'deployed-'))
  project = await installPacked(folder)
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  service = await startFirstService()
})
afterEach(() => service.close())

/** Bundles a file of ours with the packages as they were packed, into one file. */
async function bundle(file: string, outfile: string, options: BuildOptions): Promise<void> {
  await cp(join(own, file), join(project, file))
  const settings = { entryPoints: [join(project, file)], outfile, bundle: true, minify: true }
  const { warnings } = await build({ ...settings, logLevel: 'silent', ...options })
  expect(warnings).toEqual([])
}

describe.skipIf(!hasNode20 || !hasZip)('a function that was uploaded as one file in a zip', () => {
  test.each([
    { format: 'cjs', file: 'index.cjs' },
    { format: 'esm', file: 'index.mjs' },
  ] as const)(
    'logs in once for all calls of a warm process, as $format',
    async ({ format, file }) => {
      const [made, unpacked] = [join(folder, format), join(folder, `${format}-unpacked`)]
      await mkdir(unpacked)
      const options: BuildOptions = { platform: 'node', target: 'node20', format }
      await bundle('function.mjs', join(made, file), options)
      await outputIn(made, ['python3', '-m', 'zipfile', '--create', 'function.zip', file])
      const zip = join(made, 'function.zip')
      await outputIn(unpacked, ['python3', '-m', 'zipfile', '--extract', zip, unpacked])
      expect(await readdir(unpacked)).toEqual([file])

      const environment = { ...service.environment, BASE_URL: service.url, NODE_OPTIONS: '' }
      const call = (...keys: readonly string[]): Promise<string> => {
        const events = keys.map((key) => JSON.stringify({ key }))
        const host = [join(own, 'host.cjs'), join(unpacked, file), ...events]
        return outputIn(unpacked, [node20, ...host], environment)
      }
      expect(await call()).toBe('[]\n')
      expect(service.arrived()).toEqual([])
      expect(await call('a b+c.csv', 'a b+c.csv')).toBe('[[200,200],[200,200]]\n')
      const one = ['GET /user/groups 200', stored]
      expect(service.arrived()).toEqual(['POST /user/login 200', ...one, ...one])
    },
  )
})

describe('a Cloudflare Worker, bundled as wrangler does', () => {
  test.each([
    { flags: [], hasNode: false },
    { flags: ['nodejs_compat'], hasNode: true },
  ])('logs in once for all requests, with the flags $flags', async ({ flags, hasNode }) => {
    // Loaded here, so that a platform without workerd only fails this.
    const { Miniflare } = await import('miniflare')
    const file = join(folder, `worker-${flags.join()}.mjs`)
    await bundle('worker.mjs', file, {
      platform: 'browser',
      format: 'esm',
      target: 'es2024',
      conditions: ['workerd', 'worker', 'browser'],
      external: ['cloudflare:*', 'node:*'],
    })
    const script = await readFile(file, 'utf8')
    // With `nodejs_compat` too it is Web Crypto that signs: wrangler does not set the condition `node`.
    const found = script.match(/webcrypto|node:\w+|createHmac|diagnostics_channel/g)
    expect([...new Set(found)]).toEqual(['webcrypto'])

    const miniflare = new Miniflare({
      modules: true,
      script,
      compatibilityDate: '2026-07-01',
      compatibilityFlags: flags,
      bindings: { ...service.environment, BASE_URL: service.url },
    })
    try {
      const ask = async (): Promise<unknown> =>
        (await miniflare.dispatchFetch('http://localhost/')).json()
      const expected = { statuses: [200, 200], hasNode }
      expect(await ask()).toEqual(expected)
      expect(await ask()).toEqual(expected)
      expect(await Promise.all([ask(), ask()])).toEqual([expected, expected])
    } finally {
      await miniflare.dispose()
    }
    const arrived = service.arrived()
    expect(arrived.filter((line) => line === 'POST /user/login 200')).toHaveLength(1)
    expect(arrived.filter((line) => line === stored)).toHaveLength(4)
    expect(arrived).toHaveLength(9)
  })
})
