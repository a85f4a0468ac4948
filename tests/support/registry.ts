import { mkdir, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { hasProgram } from './needs.ts'
import { listenOnLoopback } from './loopback.ts'
import { outputIn } from './run-program.ts'

const manifest = join(import.meta.dirname, '../registry/package.json')
const { resolve } = createRequire(manifest)

/** A registry of packages on loopback that knows only what is published to it. */
export interface PackageRegistry {
  readonly url: string
  /** Publishes a tarball as npm does, which knows no one else to ask. */
  publish(tarball: string): Promise<void>
  close(): Promise<void>
}

/** The part of verdaccio that is called. */
interface Verdaccio {
  readonly runServer: (settings: object) => Promise<Server>
}

/** Tells if the registry is on this machine, for `describe.skipIf`. */
export function hasPackageRegistry(): boolean {
  const probe = `require('node:module').createRequire(${JSON.stringify(manifest)}).resolve('verdaccio')`
  return hasProgram('verdaccio', [process.execPath, '--eval', probe], 'pnpm install')
}

/** Starts a registry that keeps its files in a folder. It asks no other registry for anything. */
export async function startPackageRegistry(folder: string): Promise<PackageRegistry> {
  const home = join(folder, 'home')
  await mkdir(home, { recursive: true })
  // As a module of CommonJS has it.
  const { runServer } = (await import(resolve('verdaccio'))) as Verdaccio
  const server = await runServer({
    self_path: folder,
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    uplinks: {},
    packages: { '**': { access: '$all', publish: '$authenticated' } },
    web: { enable: false },
    log: { type: 'stdout', format: 'json', level: 'error' },
  })
  const { url, close } = await listenOnLoopback(server)
  const token = await signUp(url)
  const settings = join(home, '.npmrc')
  await writeFile(settings, `registry=${url.href}\n//${url.host}/:_authToken=${token}\n`)

  return {
    url: url.href,
    async publish(tarball) {
      const options = ['--userconfig', settings, '--cache', join(home, 'cache')]
      // It proves by whom it was built in CI, which has no meaning here.
      const args = ['publish', tarball, ...options, '--provenance=false', '--ignore-scripts']
      await outputIn(folder, ['npm', ...args], { HOME: home })
    },
    close,
  }
}

async function signUp(url: URL): Promise<string> {
  const name = 'publisher'
  const response = await fetch(new URL(`-/user/org.couchdb.user:${name}`, url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password: crypto.randomUUID() }),
  })
  const { token }: { token?: unknown } = await response.json()
  if (typeof token !== 'string') throw new Error(`the registry gave no token: ${response.status}`)
  return token
}
