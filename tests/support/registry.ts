import { createHash } from 'node:crypto'
import { access, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
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
  /** The `.npmrc` of someone who is logged in to it, and to whom it is the registry of our scope. */
  readonly settings: string
  /** Publishes what a package depends on and others that it names, and what those depend on, as it is installed here. */
  publishDependencies(ofManifest: string, ...others: readonly string[]): Promise<void>
  /** Returns the document of a package, with all of its versions, if it has any. */
  find(name: string): Promise<PublishedPackage | undefined>
  /**
   * Lets the publishing of a package fail, until the function that it returns is called: refused with a 503 before
   * anything is stored, or lost, since the connection drops once everything is.
   */
  failFor(name: string, how: 'refused' | 'lost'): () => void
  close(): Promise<void>
}

/** The part of the document of a package that is read. */
export interface PublishedPackage {
  readonly 'dist-tags': Readonly<Record<string, string>>
  readonly readme?: string
  readonly versions: Readonly<Record<string, PublishedManifest>>
}

/** The part of the manifest of a published version that is read. */
export interface PublishedManifest {
  readonly name: string
  readonly version: string
  readonly homepage?: string
  readonly repository?: { readonly url: string; readonly directory?: string }
  readonly dependencies?: Readonly<Record<string, string>>
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
  const failures = failPublishing(server)
  const { url, close } = await listenOnLoopback(server)
  const token = await signUp(url)
  const settings = join(home, '.npmrc')
  await writeFile(settings, `@svc:registry=${url.href}\n//${url.host}/:_authToken=${token}\n`)
  const known = new Set<string>()

  return {
    url: url.href,
    settings,
    async publishDependencies(of, ...others) {
      const publishAll = async (path: string, named: readonly string[] = []): Promise<void> => {
        const { dependencies = {} }: Manifest = JSON.parse(await readFile(path, 'utf8'))
        const needed = [...Object.keys(dependencies), ...named]
        for (const name of needed.filter((one) => !one.startsWith('@svc/'))) {
          if (known.has(name)) continue
          known.add(name)
          const found = await findManifest(path, name)
          await put(url, token, name, await packAsItIs(dirname(found), folder), found)
          await publishAll(found)
        }
      }
      await publishAll(of, others)
    },
    async find(name) {
      const response = await fetch(new URL(name.replace('/', '%2f'), url))
      return response.ok ? response.json() : undefined
    },
    failFor(name, how) {
      failures.set(name, how)
      return () => failures.delete(name)
    },
    close,
  }
}

/** Stands before a registry, and returns the packages whose publishing is to fail. */
function failPublishing(server: Server): Map<string, 'refused' | 'lost'> {
  const failures = new Map<string, 'refused' | 'lost'>()
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const name = decodeURIComponent(incoming.url ?? '').slice(1)
    const failure = incoming.method === 'PUT' ? failures.get(name) : undefined
    if (failure === 'refused') {
      incoming.resume().once('end', () => outgoing.writeHead(503).end())
      return
    }
    if (failure === 'lost') {
      outgoing.end = () => {
        incoming.socket.destroy()
        return outgoing
      }
    }
    for (const listener of listeners) listener.call(server, incoming, outgoing)
  })
  return failures
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
