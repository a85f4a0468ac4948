import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { startEmulator } from '../jobs/service.ts'
import { median, medianRatio } from '../measure/statistics.ts'
import { figure } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { processTimes, type ProcessTimes, timeProcess } from './process-times.ts'
import { measureTransfers, type Transfers } from './transfers.ts'

/** The cost of the command, and of its proxy. */
export interface ShellResult {
  readonly starts: readonly ProcessTimes[]
  readonly transfers: Transfers
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const node = join(root, 'node_modules/.bin/node')
const svcAuth = [node, join(root, 'packages/cli/dist/cli.js')] as const

/** The time of a command from its start to its end, and the speed of the proxy. */
export const shell: Topic<ShellResult> = {
  title: 'The command and its proxy',
  async run({ starts, transfers }) {
    const folder = await mkdtemp(join(tmpdir(), 'svc-auth-bench-'))
    const emulator = await startEmulator()
    const [{ username, password }] = defaultUsers
    const [{ accessKeyId, secretAccessKey }] = defaultApiKeys
    const environment = {
      HOME: folder,
      SVC_AUTH_KEYRING: 'off',
      SVC_AUTH_BASE_URL: emulator.url.replace(/\/$/, ''),
      SVC_AUTH_REGION: 'us-east-1',
      SVC_AUTH_USERNAME: username,
      SVC_AUTH_PASSWORD: password,
      SVC_AUTH_ACCESS_KEY_ID: accessKeyId,
      SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey,
    }
    const line = (...args: string[]) => ({
      name: `svc-auth ${args.join(' ')}`,
      command: [...svcAuth, ...args] as const,
      environment,
    })
    try {
      await timeProcess(line('login'))
      const lines = [
        { name: 'node, an empty program', command: [node, '-e', '0'] as const },
        line('--help'),
        line('sign', '/V1/a'),
        line('token'),
        line('fetch', '/V1/'),
        line('fetch', '/user/groups'),
      ]
      return {
        starts: await processTimes(lines, starts),
        transfers: await measureTransfers(svcAuth, folder, transfers.bytes, transfers.rounds),
      }
    } finally {
      await emulator.close()
      await rm(folder, { recursive: true })
    }
  },
  section: ({
    starts,
    transfers: { bodyBytes, speeds, proxyMemory },
  }) => `Whole processes, from start to end, with a session that is kept; the emulator responds.

${table(
  ['', 'ms', 'of an empty program'],
  starts.map(({ name, rounds }) => [
    name,
    figure(median(rounds)),
    figure(medianRatio(rounds, starts[0]?.rounds ?? [])),
  ]),
)}

Bodies of ${bodyBytes / 1024 ** 2} MB, to and from a server that does nothing with them; 1 MB is 1024² bytes here.

${table(
  ['', 'MB/s', 'of curl without the proxy'],
  speeds.map(({ name, rounds }) => {
    const base = speeds.find((one) => one.name === `${name.split(',')[0]}, curl without the proxy`)
    return [name, figure(median(rounds)), figure(medianRatio(rounds, base?.rounds ?? []))]
  }),
)}

The proxy's process has ${figure(proxyMemory.idle)} MB before the first of these transfers, and ${figure(proxyMemory.peak)} MB at most.`,
}
