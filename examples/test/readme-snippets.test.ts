import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OtherRuntime, otherRuntimes } from '../../test-support/other-runtimes.ts'
import { hasRedisServer, startRedis } from '../../test-support/redis-server.ts'
import { shownModules } from '../../test-support/shown-modules.ts'

const root = join(import.meta.dirname, '../..')

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

const modules = shownModules('.snippets', snippets)
beforeAll(() => modules.write())
afterAll(() => modules.remove())

test('every README has a snippet', () => {
  const readmes = new Set(snippets.map(({ place }) => place.replace(/:\d+$/, '')))
  expect([...readmes].sort()).toEqual(
    ['README.md', ...globSync('packages/*/README.md', { cwd: root })].sort(),
  )
})

test('every snippet compiles', { timeout: 60_000 }, async () => {
  const { status, stdout } = await modules.compile()
  expect(stdout).toBe('')
  expect(status).toBe(0)
})

const needsRedis = ({ code }: Snippet): boolean => code.includes('REDIS_URL')
const hasRedis = !snippets.some(needsRedis) || hasRedisServer()

interface Use {
  readonly snippet: Snippet
  readonly where: string
  readonly command?: OtherRuntime['command']
}

// What the README says that a runtime cannot do.
const beyond = { Bun: /'undici'/, Deno: /'@svc\/auth-sigv4\/streaming'/ }
const uses = snippets.flatMap((snippet): Use[] => [
  { snippet, where: 'runs' },
  ...otherRuntimes
    .filter(({ runtime }) => !beyond[runtime].test(snippet.code))
    .map(({ runtime, command }) => ({ snippet, command, where: `runs in ${runtime}` })),
])

for (const { snippet, where, command } of uses) {
  const isSkipped = needsRedis(snippet) && !hasRedis
  test.skipIf(isSkipped)(
    `the snippet at ${snippet.place} ${where}`,
    { timeout: 60_000 },
    async () => {
      const redis = needsRedis(snippet) ? await startRedis() : undefined
      try {
        const environment = {
          // Where the defaults of a snippet write to, and what a user names in the environment.
          XDG_CACHE_HOME: modules.path,
          ...(redis && { REDIS_URL: redis.url }),
        }
        const { status, stderr } = await modules.run(snippet.file, environment, command)
        expect(stderr).toBe('')
        expect(status).toBe(0)
      } finally {
        await redis?.stop()
      }
    },
  )
}

test.each(
  otherRuntimes.flatMap(({ runtime, command }) =>
    snippets
      .filter(({ code }) => beyond[runtime].test(code))
      .map(({ place, file }) => ({ place, file, runtime, command })),
  ),
)('the snippet at $place fails in $runtime still', async ({ file, command }) => {
  expect((await modules.run(file, {}, command)).status).toBe(1)
})

test.each(snippets.filter(needsRedis))('$place ends where there is no Redis', async ({ file }) => {
  // Nobody listens on port 1.
  const { status, stdout } = await modules.run(file, { REDIS_URL: 'redis://127.0.0.1:1' })
  expect(stdout).toBe('store.failed\nlogin.start\nlogin.ok\n')
  expect(status).toBe(0)
})
