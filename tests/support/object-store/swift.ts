import { mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { hasProgram } from '../needs.ts'
import type { ObjectStoreKind } from './kind.ts'
import { freePort } from '../redis-server.ts'
import { createFolder, python, serve } from './serve.ts'

const region = 'us-east-1'
// Of tempauth: the account and the user, and the user's password.
const key = { accessKeyId: 'svc:tester', secretAccessKey: 'not-a-secret-of-the-store' }

/** Swift of one disk with s3api. */
export const swift: ObjectStoreKind = {
  name: 'Swift with s3api',
  // Version 2.35 takes chunks.
  takesForms: false,
  takesSignedChunks: false,
  trailerRefusal: { code: 'NotImplemented', status: 501 },
  isInstalled: () =>
    hasProgram(
      'Swift with s3api',
      [python, '-c', 'import swift.common.middleware.s3api.s3api, swift.obj.server'],
      'apt-get install -y --no-install-recommends memcached python3-swift swift-account swift-container swift-object swift-proxy',
    ),
  start: async () => {
    const folder = await createFolder()
    await mkdir(join(folder, 'disk'))
    const cachePort = await freePort()
    const files: Record<string, readonly string[]> = { 'swift.conf': ring }
    const ports = { account: 0, container: 0, object: 0, proxy: 0 }
    for (const server of ['account', 'container', 'object', 'proxy'] as const) {
      ports[server] = await freePort()
      const configuration = server === 'proxy' ? proxyServer(cachePort) : backend(server)
      files[`${server}-server.conf`] = [...common(folder, ports[server]), ...configuration]
    }
    const probes = Object.values(ports).map((port) => `http://127.0.0.1:${port}/healthcheck`)
    const { stop } = await serve(folder, {
      script: 'serve_swift.py',
      args: [`${cachePort}`],
      files,
      probes,
    })
    return { url: `http://127.0.0.1:${ports.proxy}`, region, ...key, stop }
  },
}

const ring = [
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
