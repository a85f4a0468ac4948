import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasRedisServer, startRedis } from '../../test-support/redis-server.ts'
import { run } from '../../test-support/run-program.ts'

const root = join(import.meta.dirname, '../..')
// Beside the examples, since their package depends on every other one.
const folder = join(root, 'examples/.snippets')

interface Snippet {
  readonly place: string
  readonly file: string
  readonly code: string
}

const snippets = ['README.md', ...globSync('packages/*/README.md', { cwd: root })].flatMap(
  (readme): Snippet[] => {
    const text = readFileSync(join(root, readme), 'utf8')
    return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ index, 1: code = '' }) => {
      const line = text.slice(0, index).split('\n').length
      return { place: `${readme}:${line}`, file: `${readme.replace(/\W/g, '-')}-${line}.ts`, code }
    })
  },
)

const tsconfig = {
  extends: '../../tsconfig.test.json',
  compilerOptions: { composite: false, customConditions: ['@svc/source'], skipLibCheck: true },
  include: ['*.ts'],
}

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const { file, code } of snippets) writeFileSync(join(folder, file), code)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every README has a snippet', () => {
  const readmes = new Set(snippets.map(({ place }) => place.replace(/:\d+$/, '')))
  expect([...readmes].sort()).toEqual(
    ['README.md', ...globSync('packages/*/README.md', { cwd: root })].sort(),
  )
})

test('every snippet compiles', { timeout: 60_000 }, async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = await run(process.execPath, [tsc, '-p', folder])
  expect(stdout).toBe('')
  expect(status).toBe(0)
})

const needsRedis = ({ code }: Snippet): boolean => code.includes('REDIS_URL')
const hasRedis = !snippets.some(needsRedis) || hasRedisServer()

for (const snippet of snippets) {
  const isSkipped = needsRedis(snippet) && !hasRedis
  test.skipIf(isSkipped)(`the snippet at ${snippet.place} runs`, { timeout: 60_000 }, async () => {
    const redis = needsRedis(snippet) ? await startRedis() : undefined
    try {
      const flags = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning']
      const environment = {
        // Where the defaults of a snippet write to, and what a user names in the environment.
        XDG_CACHE_HOME: folder,
        ...(redis && { REDIS_URL: redis.url }),
      }
      const file = join(folder, snippet.file)
      const { status, stderr } = await run(process.execPath, [...flags, file], '', environment)
      expect(stderr).toBe('')
      expect(status).toBe(0)
    } finally {
      await redis?.stop()
    }
  })
}

test.each(snippets.filter(needsRedis))('$place ends where there is no Redis', async ({ file }) => {
  const flags = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning']
  // Nobody listens on port 1.
  const environment = { REDIS_URL: 'redis://127.0.0.1:1' }
  const { status, stdout } = await run(
    process.execPath,
    [...flags, join(folder, file)],
    '',
    environment,
  )
  expect(stdout).toBe('store.failed\nlogin.start\nlogin.ok\n')
  expect(status).toBe(0)
})
