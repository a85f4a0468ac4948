import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasProgram } from './needs.ts'
import { freePort } from './redis-server.ts'

/** An object store of its own that takes requests of S3, on loopback: Swift with s3api. It keeps nothing. */
export interface ObjectStore {
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Ends all of its processes at once; what it kept is gone. */
  stop(): Promise<void>
}

/** The packages of Debian that the store is made of. */
const packages = 'memcached python3-swift swift-account swift-container swift-object swift-proxy'
const python = '/usr/bin/python3'

/** Tells if the store is on this machine, for `describe.runIf`. */
export function hasObjectStore(): boolean {
  return hasProgram(
    'Swift with s3api',
    [python, '-c', 'import swift.common.middleware.s3api.s3api, swift.obj.server'],
    `apt-get install -y --no-install-recommends ${packages}`,
  )
}

const region = 'us-east-1'
// Of tempauth: the account and the user, and the user's password.
const key = { accessKeyId: 'svc:tester', secretAccessKey: 'not-a-secret-of-the-store' }

/** Starts a store and waits until all of its servers respond. */
export async function startObjectStore(): Promise<ObjectStore> {
  const folder = await mkdtemp(join(tmpdir(), 'object-store-'))
  await mkdir(join(folder, 'disk'))
  const ports = { account: 0, container: 0, object: 0, proxy: 0 }
  const cachePort = await freePort()
  for (const server of ['account', 'container', 'object', 'proxy'] as const) {
    ports[server] = await freePort()
    const configuration = server === 'proxy' ? proxyServer(cachePort) : backend(server)
    const text = [...common(folder, ports[server]), ...configuration].join('\n')
    await writeFile(join(folder, `${server}-server.conf`), text)
  }
  await writeFile(join(folder, 'swift.conf'), swift.join('\n'))

  const script = new URL('object-store/serve.py', import.meta.url).pathname
  // It ends when its input does, so that a run that ends in the middle leaves no server behind.
  const child = spawn(python, [script, folder, `${cachePort}`], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const output: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const ended = once(child, 'close')

  const stop = async (): Promise<void> => {
    child.stdin.end()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const allRespond = Promise.all(Object.values(ports).map((port) => responds(port, 30_000)))
  const areUp = await Promise.race([ended.then(() => [false]), allRespond])
  if (areUp.every(Boolean)) return { url: `http://127.0.0.1:${ports.proxy}`, region, ...key, stop }
  await stop()
  throw new Error(`Swift did not start: ${output.join('')}`)
}

const swift = [
  '[swift-hash]',
  'swift_hash_path_suffix = svc',
  '[storage-policy:0]',
  'name = disk',
  'default = yes',
  '',
]

function common(folder: string, port: number): readonly string[] {
  return [
    '[DEFAULT]',
    'bind_ip = 127.0.0.1',
    `bind_port = ${port}`,
    'workers = 0',
    `user = ${userInfo().username}`,
    `swift_dir = ${folder}`,
    `devices = ${folder}`,
    'mount_check = false',
    'fallocate_reserve = 0',
    'log_level = WARNING',
    // A listing shows an object at once only if the object server told the container in time.
    'container_update_timeout = 30',
    'conn_timeout = 10',
    '[filter:healthcheck]',
    'use = egg:swift#healthcheck',
  ]
}

function backend(server: string): readonly string[] {
  return [
    '[pipeline:main]',
    `pipeline = healthcheck ${server}-server`,
    `[app:${server}-server]`,
    `use = egg:swift#${server}`,
    '',
  ]
}

const filters = 'catch_errors gatekeeper listing_formats bulk copy slo dlo versioned_writes'.split(
  ' ',
)

/** Swift's own pipeline with s3api, but for the quotas and the log. */
const proxyServer = (cachePort: number): readonly string[] => [
  '[pipeline:main]',
  'pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes proxy-server',
  ...filters.flatMap((name) => [`[filter:${name}]`, `use = egg:swift#${name}`]),
  '[filter:cache]',
  'use = egg:swift#memcache',
  `memcache_servers = 127.0.0.1:${cachePort}`,
  '[filter:tempauth]',
  'use = egg:swift#tempauth',
  `user_${key.accessKeyId.replace(':', '_')} = ${key.secretAccessKey} .admin`,
  '[filter:s3api]',
  'use = egg:swift#s3api',
  `location = ${region}`,
  '[app:proxy-server]',
  'use = egg:swift#proxy',
  'account_autocreate = true',
  '',
]

async function responds(port: number, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs
  while (Date.now() < end) {
    const response = await fetch(`http://127.0.0.1:${port}/healthcheck`).catch(() => undefined)
    if (response?.ok === true) return true
    await sleep(50)
  }
  return false
}
