import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { authFetch, createServiceAuth } from '@svc/service-auth'
import { test } from '@svc/emulator/vitest'
import { expect, onTestFinished, vi } from 'vitest'
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
  '$name: twenty visitors at the same time cost one login',
  { timeout: 180_000 },
  async ({ name, build, start }, { emulator, service }) => {
    const folder = join(import.meta.dirname, 'apps', name)
    const programs = join(folder, 'node_modules/.bin')
    const path = `${programs}:${join(process.execPath, '..')}:${process.env['PATH']}`
    const own = { PATH: path, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }
    const built = await run('env', ['--chdir', folder, ...build], '', own)
    if (built.status !== 0) throw new Error(`${build.join(' ')}\n${built.stdout}${built.stderr}`)

    const { baseUrl } = service
    const serviceFetch = authFetch(createServiceAuth({ baseUrl, ...account }), { baseUrl })
    await serviceFetch('/V1/report.csv', { method: 'PUT', body: 'a;b' })
    const port = await freePort()
    const [command = '', ...args] = start(port)
    const server = spawn(command, args, {
      cwd: folder,
      env: {
        ...process.env,
        ...own,
        PORT: port,
        HOST: '127.0.0.1',
        SERVICE_URL: baseUrl,
        SERVICE_PASSWORD: account.user.password,
        SERVICE_SECRET_KEY: account.apiKey.secretAccessKey,
      },
      stdio: 'ignore',
    })
    onTestFinished(async () => {
      server.kill()
      await once(server, 'close')
    })

    const url = `http://127.0.0.1:${port}/groups`
    // A path that asks the service nothing.
    await vi.waitUntil(() => isUp(new URL('/favicon.ico', url)), { timeout: 30_000 })
    const visits = Array.from({ length: 20 }, async () => (await fetch(url)).text())
    for (const shown of await Promise.all(visits)) expect(shown).toContain('2 groups, report a;b')
    expect(emulator.logins).toBe(1)
    expect(emulator.requests.filter(({ auth }) => !auth.ok)).toEqual([])
  },
)

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
