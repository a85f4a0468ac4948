import { createHash } from 'node:crypto'
import { access, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
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
  /** Publishes what a package depends on, and what that depends on, as it is installed here. */
  publishDependencies(ofManifest: string): Promise<void>
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
    async publishDependencies(of) {
      const known = new Set<string>()
      const publishAll = async (path: string): Promise<void> => {
        const { dependencies = {} }: Manifest = JSON.parse(await readFile(path, 'utf8'))
        for (const name of Object.keys(dependencies).filter((one) => !one.startsWith('@svc/'))) {
          if (known.has(name)) continue
          known.add(name)
          const found = await findManifest(path, name)
          await put(url, token, name, await packAsItIs(dirname(found), folder), found)
          await publishAll(found)
        }
      }
      await publishAll(of)
    },
    close,
  }
}

/** The part of a `package.json` that is read. */
interface Manifest {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Finds the `package.json` of a dependency, as Node finds its files. */
async function findManifest(from: string, name: string): Promise<string> {
  for (const folder of createRequire(await realpath(from)).resolve.paths(name) ?? []) {
    const path = join(folder, name, 'package.json')
    const isThere = await access(path).then(
      () => true,
      () => false,
    )
    if (isThere) return realpath(path)
  }
  throw new Error(`${name} is not installed for ${from}`)
}

/** Packs a folder with all that is in it, which `npm pack` takes seconds for. */
async function packAsItIs(path: string, folder: string): Promise<Buffer> {
  const tarball = join(folder, `${crypto.randomUUID()}.tgz`)
  await outputIn(path, [
    'tar',
    '--exclude=node_modules',
    '--transform=s,^[.],package,',
    '-czf',
    tarball,
    '.',
  ])
  return readFile(tarball)
}

/** Publishes a tarball as npm does, without npm. */
async function put(
  url: URL,
  token: string,
  name: string,
  tarball: Buffer,
  path: string,
): Promise<void> {
  const described: Manifest = JSON.parse(await readFile(path, 'utf8'))
  const { version = '' } = described
  const file = `${name}-${version}.tgz`
  const dist = {
    tarball: new URL(`${name}/-/${file}`, url).href,
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    shasum: createHash('sha1').update(tarball).digest('hex'),
  }
  const attachment = {
    content_type: 'application/octet-stream',
    data: tarball.toString('base64'),
    length: tarball.byteLength,
  }
  const response = await fetch(new URL(name.replace('/', '%2f'), url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      _id: name,
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...described, _id: `${name}@${version}`, dist } },
      _attachments: { [file]: attachment },
    }),
  })
  if (!response.ok) throw new Error(`${name} was not published: ${response.status}`)
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
