import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasProgram } from '../needs.ts'
import type { ObjectStoreKind } from './kind.ts'
import { freePort } from '../redis-server.ts'
import { createFolder, python, serve } from './serve.ts'

const key = { accessKeyId: 'SVCTESTER', secretAccessKey: 'not-a-secret-of-the-store' }

/** The gateway of Ceph, with a monitor and one disk in memory. */
export const radosgw: ObjectStoreKind = {
  name: 'radosgw of Ceph',
  takesForms: true,
  takesSignedChunks: true,
  trailerRefusal: { code: 'XAmzContentSHA256Mismatch', status: 400 },
  isInstalled: () =>
    hasProgram(
      'radosgw of Ceph',
      [
        python,
        '-c',
        'import shutil, sys; sys.exit(not all(map(shutil.which, sys.argv[1:])))',
        ...programs,
      ],
      'apt-get install -y --no-install-recommends ceph-mon ceph-osd radosgw',
    ),
  start: async () => {
    const folder = await createFolder()
    for (const name of ['mon', 'osd', 'rgw']) await mkdir(join(folder, name))
    const monitor = `v2:127.0.0.1:${await freePort()}`
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const { stop } = await serve(folder, {
      script: 'serve_radosgw.py',
      args: [monitor, key.accessKeyId, key.secretAccessKey],
      files: { 'ceph.conf': cluster(folder, monitor, port) },
      probes: [url],
    })
    return { url, region: 'us-east-1', ...key, stop }
  },
}

const programs = ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin']

const cluster = (folder: string, monitor: string, port: number): readonly string[] => [
  '[global]',
  `fsid = ${randomUUID()}`,
  `mon_host = ${monitor}`,
  'public_addr = 127.0.0.1',
  `mon_data = ${folder}/mon`,
  `osd_data = ${folder}/osd`,
  `rgw_data = ${folder}/rgw`,
  `run_dir = ${folder}`,
  'log_to_file = false',
  'mon_cluster_log_to_file = false',
  // Without keys there is no encryption, which radosgw asks for.
  'auth_supported = none',
  'ms_mon_client_mode = crc',
  'ms_bind_msgr1 = false',
  'osd_objectstore = memstore',
  'osd_pool_default_size = 1',
  'osd_pool_default_pg_num = 1',
  'mon_allow_pool_size_one = true',
  // It would stop where the disk of this machine is nearly full.
  'mon_data_avail_crit = 0',
  // Each change of the cluster would wait for a second for others.
  'paxos_propose_interval = 0.01',
  'paxos_min_wait = 0.005',
  `rgw_frontends = beast endpoint=127.0.0.1:${port}`,
]
