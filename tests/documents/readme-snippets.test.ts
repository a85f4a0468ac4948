import { delimiter, join } from 'node:path'
import process from 'node:process'
import { createEmulator, defaultUsers } from '@svc/emulator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withAwsStandIn, writeAwsStandIn } from '../support/aws-stand-in.ts'
import { atNight, isNightly } from '../support/nightly.ts'
import { hasProgram } from '../support/needs.ts'
import { bun, deno, denoRun, hasBun, hasDeno } from '../support/other-runtimes.ts'
import { guides, readmes, readSnippets, type Snippet } from '../support/readme-snippets.ts'
import { fakeBrowser } from '../support/fake-browser.ts'
import { startMcpService } from '../support/mcp-service.ts'
import { startOtherService } from '../support/other-service.ts'
import { hasRedisServer, startRedis } from '../support/redis-server.ts'
import { shownModules } from '../support/shown-modules.ts'

const root = join(import.meta.dirname, '../..')

const snippets = [...readmes, ...guides].flatMap(readSnippets)
const plain = snippets.filter(({ language }) => language === 'js')

// Snippets against the real service run against the emulator, at its address.
const realService = 'https://search.example.com'
const elsewhere = 'https://api.example.com'
// A stand-in of its own is behind those that have nothing of the service.
const mcpServer = 'https://mcp.example.com'
const others = ['login', 'reports', 'billing', 'camera'].map(
  (name) => `https://${name}.example.com`,
)
const [{ groups = [] }] = defaultUsers
const user = { username: 'reader@example.com', password: 'not-a-secret-password', groups }
const apiKey = { accessKeyId: 'AKIDREADER', secretAccessKey: 'not-a-secret-key' }
const secrets = {
  SVC_PASSWORD: user.password,
  CAMERA_PASSWORD: 'not-a-secret-of-a-camera',
  SVC_SECRET_KEY: apiKey.secretAccessKey,
  AWS_ACCESS_KEY_ID: apiKey.accessKeyId,
  AWS_SECRET_ACCESS_KEY: apiKey.secretAccessKey,
  OAUTH_CLIENT_SECRET: 'not-a-secret-of-a-client',
  OAUTH_REFRESH_TOKEN: 'not-a-secret-of-a-sign-in',
}

// Plain ones compile in TypeScript too.
const compiled = plain.map(({ file, code }) => ({ file: file.replace('.mjs', '.ts'), code }))
const modules = shownModules('.snippets', [...snippets, ...compiled])
const browser = await fakeBrowser()
const emulator = createEmulator({ users: [user], apiKeys: [apiKey] })
let servers: readonly { close(): void | Promise<void> }[] = []
beforeAll(async () => {
  const [service, other] = [await emulator.listen(), await emulator.listen()]
  const third = await startOtherService(apiKey.secretAccessKey, secrets.CAMERA_PASSWORD)
  const mcp = await startMcpService()
  servers = [service, other, third, mcp]
  modules.write((code) =>
    callingWorker(withAwsStandIn(code))
      .replaceAll(`'${mcpServer}`, `'${mcp.origin}`)
      .replaceAll(`'${realService}`, `'${service.url.origin}`)
      .replaceAll(`'${elsewhere}`, `'${other.url.origin}`)
      .replaceAll(new RegExp(others.map((url) => `(?<=')${url}`).join('|'), 'g'), third.origin),
  )
  writeAwsStandIn(modules.path, apiKey)
})
afterAll(async () => {
  modules.remove()
  await browser.remove()
  for (const server of servers) await server.close()
})

/** Makes a snippet of a worker respond to one request. */
function callingWorker(code: string): string {
  const worker = code.replace(/^export default \{$/m, 'const worker = {')
  if (worker === code) return code
  const env = "{ SVC_SECRET_KEY: process.env['SVC_SECRET_KEY'] ?? '' }"
  return `${worker}
const { status } = await worker.fetch(undefined, ${env})
if (status === 403) throw new Error('refused')
`
}

test('every README has a snippet', () => {
  const withSnippets = new Set(snippets.map(({ place }) => place.replace(/:\d+$/, '')))
  // That of the command has lines for a shell: see `command-lines.test.ts`.
  const expected = readmes.filter((name) => name !== 'packages/cli/README.md')
  expect(expected.filter((name) => !withSnippets.has(name))).toEqual([])
})

test('the emulator stands only in the sections without the service', () => {
  // The README's own runs as it is pasted.
  const service = snippets.filter(
    ({ place }) => !/^(?:README|docs\/|packages\/emulator\/)/.test(place),
  )
  const early = service.filter(({ code, above }) => {
    const heading = above.split(/^## /m).at(-1) ?? ''
    return code.includes('@svc/emulator') && !heading.startsWith('Without the service')
  })
  expect(early.map(({ place }) => place)).toEqual([])
})

test('a snippet in TypeScript says so', () => {
  const untold = snippets.filter(({ language, above }) => {
    const introduction = above.split('\n\n').at(-2) ?? ''
    return language === 'ts' && !introduction.includes('TypeScript')
  })
  expect(untold.map(({ place }) => place)).toEqual([])
})

test('every snippet compiles', async () => {
  const { status, stdout } = await modules.compile()
  expect(stdout).toBe('')
  expect(status).toBe(0)
})

const needsRedis = ({ code }: Snippet): boolean => code.includes('REDIS_URL')
const hasRedis = !snippets.some(needsRedis) || hasRedisServer()

interface SnippetRuntime {
  readonly runtime: string
  readonly isThere: boolean
  readonly shown: readonly Snippet[]
  /** The command that runs a snippet, where it is not the default one. */
  readonly command?: readonly [program: string, ...args: string[]]
  /** The snippets that it cannot run, as the READMEs say. */
  readonly beyond?: RegExp
}

const fromSource = '--conditions=@svc/source'
const node20 = join(root, 'tests/node_modules/node20/bin/node')
const hasNode20 = hasProgram('Node 20', [node20, '--version'], 'an install on Linux with x64')
// undici 8 needs Node 22.
const needsUndici8 = /'undici'/
const runtimes: readonly SnippetRuntime[] = [
  {
    runtime: 'Node',
    isThere: true,
    // In a short run those that Node 20 does not run.
    shown: snippets.filter(
      (one) => isNightly || !hasNode20 || !plain.includes(one) || needsUndici8.test(one.code),
    ),
  },
  {
    runtime: 'Node 20',
    isThere: hasNode20,
    shown: plain,
    // As users have them, since only the sources have types.
    command: [node20],
    beyond: needsUndici8,
  },
  {
    runtime: 'Bun',
    isThere: hasBun(),
    shown: snippets,
    command: [bun, fromSource],
    beyond: /'undici'/,
  },
  {
    runtime: 'Deno',
    isThere: hasDeno(),
    shown: snippets,
    command: [deno, ...denoRun, '--allow-all', fromSource],
    beyond: /'@svc\/auth-sigv4\/streaming'/,
  },
]
for (const { runtime, isThere, shown, command, beyond } of runtimes.slice(
  0,
  atNight(undefined, 2),
)) {
  const canRun = ({ code }: Snippet): boolean => !beyond?.test(code)

  for (const snippet of shown.filter(canRun)) {
    const isSkipped = !isThere || (needsRedis(snippet) && !hasRedis)
    test.skipIf(isSkipped)(`the snippet at ${snippet.place} runs in ${runtime}`, async () => {
      const redis = needsRedis(snippet) ? await startRedis() : undefined
      try {
        const environment = {
          // Defaults of a snippet write to this folder; a user names the secrets in the environment.
          XDG_CACHE_HOME: modules.path,
          // Each run has a sign-in of its own.
          XDG_STATE_HOME: join(modules.path, `state-${runtime}-${snippet.file}`),
          PATH: `${browser.path}${delimiter}${process.env['PATH']}`,
          SSH_CONNECTION: '',
          DISPLAY: ':0',
          ...secrets,
          ...(redis && { REDIS_URL: redis.url }),
        }
        const { status, stderr } = await modules.run(snippet.file, environment, command)
        // What a program shows the user stands beside its output.
        // What a user is asked to do.
        const asked = /^(?:Open http:\S+ and enter \S+|If no browser opens: http:\S+)\n$/
        expect(stderr.replace(asked, '')).toBe('')
        expect(status).toBe(0)
      } finally {
        await redis?.stop()
      }
    })
  }

  for (const { place, file } of shown.filter((snippet) => !canRun(snippet))) {
    test.runIf(isThere && isNightly)(
      `the snippet at ${place} still fails in ${runtime}`,
      async () => {
        expect((await modules.run(file, secrets, command)).status).toBe(1)
      },
    )
  }
}

test.each(snippets.filter(needsRedis))('$place ends where there is no Redis', async ({ file }) => {
  // Nobody listens on port 1.
  const { status, stdout } = await modules.run(file, {
    ...secrets,
    REDIS_URL: 'redis://127.0.0.1:1',
  })
  expect(stdout).toBe('store.failed\nlogin.start\nlogin.ok\n')
  expect(status).toBe(0)
})
