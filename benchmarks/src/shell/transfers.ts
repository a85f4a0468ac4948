import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inRounds } from '../measure/in-rounds.ts'
import { timeProcess } from './process-times.ts'
import { startStreamServer } from './stream-server.ts'

/** A way to transfer a body. */
export interface TransferSpeed {
  readonly name: string
  /** MiB in a second by round. */
  readonly rounds: readonly number[]
}

/** The speed of transfers with and without the proxy, and the memory of its process. */
export interface Transfers {
  readonly bodyBytes: number
  readonly speeds: readonly TransferSpeed[]
  /** Resident memory of the proxy before the first transfer, and the most that it had, in MiB. */
  readonly proxyMemory: { readonly idle: number; readonly peak: number }
}

const mebibyte = 1024 ** 2
const secret = 'not-a-secret-of-the-proxy'

/** Measures uploads and downloads with curl, directly and through the proxy, and with `svc-auth fetch`. */
export async function measureTransfers(
  svcAuth: readonly [program: string, ...args: string[]],
  folder: string,
  bodyBytes: number,
  rounds: number,
): Promise<Transfers> {
  const server = await startStreamServer()
  const environment = {
    HOME: folder,
    SVC_AUTH_KEYRING: 'off',
    SVC_AUTH_BASE_URL: server.url,
    SVC_AUTH_REGION: 'us-east-1',
    SVC_AUTH_ACCESS_KEY_ID: 'AKIDREADER',
    SVC_AUTH_SECRET_ACCESS_KEY: 'not-a-secret-key',
    SVC_AUTH_PROXY_SECRET: secret,
  }
  const [program, ...args] = svcAuth
  const proxy = spawn(program, [...args, 'proxy', '--port', '0', '--quiet'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const [line] = await once(createInterface({ input: proxy.stdout }), 'line')
    const through = String(line).replace('listening on ', '').replace(/\/$/, '')
    const idle = residentMemory(proxy.pid, 'VmRSS')
    const file = join(folder, 'body')
    await writeFile(file, '')
    await truncate(file, bodyBytes)
    const curl = ['curl', '-q', '-sS', '--fail', '--noproxy', '*', '-o', '/dev/null'] as const
    const header = ['-H', `x-svc-proxy-secret: ${secret}`]
    const get = `/V1/${bodyBytes}`
    const contenders = [
      { name: 'down, curl without the proxy', command: [...curl, server.url + get] },
      { name: 'down, curl through the proxy', command: [...curl, ...header, through + get] },
      { name: 'down, svc-auth fetch', command: [...svcAuth, 'fetch', '-o', '/dev/null', get] },
      { name: 'up, curl without the proxy', command: [...curl, '-T', file, `${server.url}/V1/a`] },
      {
        name: 'up, curl through the proxy',
        command: [...curl, ...header, '-T', file, `${through}/V1/a`],
      },
      { name: 'up, svc-auth fetch', command: [...svcAuth, 'fetch', '-T', file, '/V1/a'] },
    ] as const
    const taken = await inRounds(contenders, rounds, async ({ name, command }) => {
      const [first, ...others] = command
      const ms = await timeProcess({ name, command: [first, ...others], environment })
      return bodyBytes / mebibyte / (ms / 1000)
    })
    return {
      bodyBytes,
      speeds: contenders.map(({ name }, place) => ({ name, rounds: taken[place] ?? [] })),
      proxyMemory: { idle, peak: residentMemory(proxy.pid, 'VmHWM') },
    }
  } finally {
    proxy.kill()
    server.close()
  }
}

/** Reads the memory of a process as Linux tells it, in MiB. */
function residentMemory(pid: number | undefined, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kibibytes = ''] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
  return Number(kibibytes) / 1024
}
