import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { hasProgram } from '../../../../tests/support/needs.ts'

/** The Python of Debian, whose hashlib has SHA-512/256. */
export const python = '/usr/bin/python3'
let isThere: boolean | undefined

/** Tells if the reference server runs on this machine, for `describe.skipIf`. */
export function hasReferenceServer(): boolean {
  isThere ??= hasProgram(
    'python3 with SHA-512/256',
    [python, '-c', 'import hashlib; hashlib.new("sha512_256")'],
    'apt-get install -y --no-install-recommends python3-requests',
  )
  return isThere
}

/** How the server asks for credentials: see `reference-server.py`. */
export interface ReferenceConfig {
  readonly challenges: readonly {
    readonly algorithm?: string
    readonly qop?: string
    readonly userhash?: boolean
  }[]
  readonly users?: Readonly<Record<string, string>>
  readonly realm?: string
  readonly uses?: number
  readonly next?: boolean
  readonly proof?: boolean
}

/** A response of the server. */
export interface Served {
  readonly status: number
  /** Why it was a challenge, such as `none` without credentials, or `stale`. */
  readonly problem: string | null
  readonly header: string | null
  readonly method: string
  readonly path: string
  readonly body: number
}

export const reader = { username: 'reader', password: 'Circle of Life' } as const

/** A server that runs. */
export interface Reference {
  readonly origin: string
  /** Resolves to what it has served, in its own words. */
  readonly served: () => Promise<Served[]>
  readonly stop: () => Promise<void>
}

/** Starts the server, which ends with the test. */
export async function startReference(config: ReferenceConfig): Promise<Reference> {
  const reference = await launchReference(config)
  onTestFinished(() => reference.stop())
  return reference
}

/** Starts the server. */
export async function launchReference(config: ReferenceConfig): Promise<Reference> {
  const users = { [reader.username]: reader.password }
  const script = new URL('../processes/judges/reference-server.py', import.meta.url).pathname
  const child = spawn(python, [script, JSON.stringify({ users, ...config })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async (): Promise<void> => {
    process.off('exit', kill)
    kill()
    await ended
  }
  const port = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data').then(([text]) => Number(text)),
    ended.then(() => Promise.reject(new Error('the reference server ended'))),
  ])
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    served: async () => (await (await fetch(`${origin}/.served`)).json()) as Served[],
    stop,
  }
}
