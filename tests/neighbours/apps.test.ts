import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { authFetch, createServiceAuth } from '@svc/service-auth'
import { test } from '@svc/emulator/vitest'
import { expect, vi } from 'vitest'
import { listenOnLoopback } from '../support/loopback.ts'
import { run } from '../support/run-program.ts'
import { account } from '../works-with/account.ts'

/* oxlint-disable vitest/no-standalone-expect -- `test` is that of the emulator */

/** An application that its framework builds and serves: both commands run in its folder. */
interface Application {
  readonly name: string
  readonly build: readonly string[]
  /** The command, with the port that it listens on. */
  readonly start: (port: string) => readonly string[]
}

const applications: readonly Application[] = [
  {
    name: 'vite',
    build: ['vite', 'build', '--ssr', 'server.js'],
    start: () => ['node', 'dist/server.js'],
  },
  {
    name: 'next',
    build: ['next', 'build'],
    start: (port) => ['next', 'start', '--hostname', '127.0.0.1', '--port', port],
  },
  {
    name: 'react-router',
    build: ['react-router', 'build'],
    start: () => ['react-router-serve', './build/server/index.js'],
  },
  {
    name: 'sveltekit',
    build: ['vite', 'build'],
    start: () => ['node', 'build'],
  },
]

test.for(applications)(
  '$name: twenty visitors at the same time cost one login, refused or not',
  { timeout: 180_000 },
  async (application, { emulator, service: { baseUrl } }) => {
    await build(application)
    const serviceFetch = authFetch(createServiceAuth({ baseUrl, ...account }), { baseUrl })
    await serviceFetch('/V1/report.csv', { method: 'PUT', body: 'a;b' })

    for (const shown of await visit(application, baseUrl, account.user.password)) {
      expect(shown).toEqual([200, expect.stringContaining('2 groups, report a;b')])
    }
    expect(emulator.logins).toBe(1)
    expect(emulator.requests.filter(({ auth }) => !auth.ok)).toEqual([])

    const password = 'a-wrong-password'
    for (const shown of await visit(application, baseUrl, password)) {
      expect(shown).toEqual([500, expect.not.stringContaining(password)])
    }
    expect(emulator.requests.filter(({ auth }) => !auth.ok)).toHaveLength(1)
  },
)

/** The environment of an application: its framework's programs, and Node. */
function environmentOf({ name }: Application): Readonly<Record<string, string>> {
  const programs = join(folderOf(name), 'node_modules/.bin')
  const path = `${programs}:${dirname(process.execPath)}:${process.env['PATH']}`
  return { PATH: path, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }
}

function folderOf(name: string): string {
  return join(import.meta.dirname, 'apps', name)
}

async function build(application: Application): Promise<void> {
  const args = ['--chdir', folderOf(application.name), ...application.build]
  const { status, stdout, stderr } = await run('env', args, '', environmentOf(application))
  if (status !== 0) throw new Error(`${args.join(' ')}\n${stdout}${stderr}`)
}

/** Serves an application while twenty visitors ask it, and returns what they got. */
async function visit(
  application: Application,
  baseUrl: string,
  password: string,
): Promise<[status: number, text: string][]> {
  const port = await freePort()
  const [command = '', ...args] = application.start(port)
  const server = spawn(command, args, {
    cwd: folderOf(application.name),
    env: {
      ...process.env,
      ...environmentOf(application),
      PORT: port,
      HOST: '127.0.0.1',
      SERVICE_URL: baseUrl,
      SERVICE_PASSWORD: password,
      SERVICE_SECRET_KEY: account.apiKey.secretAccessKey,
    },
    stdio: 'ignore',
  })
  try {
    const url = `http://127.0.0.1:${port}/groups`
    // A path that asks the service nothing.
    await vi.waitUntil(() => isUp(new URL('/favicon.ico', url)), { timeout: 30_000 })
    const visitors = Array.from({ length: 20 }, async (): Promise<[number, string]> => {
      const response = await fetch(url)
      return [response.status, await response.text()]
    })
    return await Promise.all(visitors)
  } finally {
    server.kill()
    await once(server, 'close')
  }
}

async function freePort(): Promise<string> {
  const { url, close } = await listenOnLoopback(createServer())
  await close()
  return url.port
}

function isUp(url: URL): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}
