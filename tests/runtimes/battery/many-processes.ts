import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from '@svc/emulator'
import { hasRedisServer, startRedis } from '../../support/redis-server.ts'
import { batteryLogins } from './login.ts'
import type { FaultScenario } from './scenario.ts'
import type { Place, ToWorker, WorkerReport } from './worker-protocol.ts'

const others =
  'without a store 119 logins for 115 requests of 4 processes, 7 failed; msal-node: a killed process leaves its lock forever'
const expected =
  '200 of 200 responses with 200, none failed, at most 4 logins, the lock of the killed process taken over'

/**
 * The faults of several processes that share an account whose new session ends the others.
 *
 * @param workerFile - The module of a worker, in a form that this Node takes.
 * @param login - The name of their login.
 */
export function manyProcesses(
  workerFile: string,
  login: keyof typeof batteryLogins,
): readonly FaultScenario[] {
  const about =
    '200 requests, a revocation in the middle, one more process killed with SIGKILL while it holds the lock'
  return [
    {
      fault: `4 processes with a file store: ${about}`,
      others,
      expected,
      async run() {
        const folder = await mkdtemp(join(tmpdir(), 'battery-'))
        try {
          return await share(workerFile, login, { kind: 'file', path: join(folder, 'tokens') })
        } finally {
          await rm(folder, { recursive: true })
        }
      },
    },
    ...(hasRedisServer() ? [withRedis(workerFile, login, about)] : []),
  ]
}

function withRedis(
  workerFile: string,
  login: keyof typeof batteryLogins,
  about: string,
): FaultScenario {
  return {
    fault: `4 processes with a Redis store: ${about}`,
    others,
    expected,
    async run() {
      const redis = await startRedis()
      try {
        return await share(workerFile, login, { kind: 'redis', url: redis.url })
      } finally {
        await redis.stop()
      }
    },
  }
}

async function share(
  workerFile: string,
  login: keyof typeof batteryLogins,
  place: Place,
): Promise<string> {
  const emulator = createEmulator()
  const server = await batteryLogins[login].listen(emulator)
  const children: ChildProcess[] = []
  const start = async (hear: (report: WorkerReport) => void): Promise<ChildProcess> => {
    const execArgv = workerFile.endsWith('.ts') ? ['--conditions=@svc/source'] : []
    const child = fork(workerFile, { execArgv, stdio: 'inherit' })
    children.push(child)
    await new Promise<void>((resolve) => {
      child.on('message', (report: WorkerReport) => {
        if (report.type === 'ready') resolve()
        hear(report)
      })
    })
    return child
  }
  const order = (child: ChildProcess, own: Pick<ToWorker, 'requests' | 'isVictim'>): void => {
    child.send({ service: server.url.href, login, place, ...own } satisfies ToWorker)
  }

  try {
    const outcomes: string[] = []
    const workers = await Promise.all(
      Array.from({ length: 4 }, () =>
        start((report) => {
          if (report.type !== 'ended') return
          outcomes.push(report.outcome)
          if (outcomes.length === 100) emulator.revokeTokens()
        }),
      ),
    )
    let isHolding = (): void => {}
    const holding = new Promise<void>((resolve) => (isHolding = resolve))
    const victim = await start(({ type }) => {
      if (type === 'logging-in') isHolding()
    })
    // All have started before one takes the lock, which is held for less time than a slow machine needs to start them.
    order(victim, { requests: 1, isVictim: true })
    await holding
    for (const worker of workers) order(worker, { requests: 50, isVictim: false })
    const ends = workers.map((worker) => once(worker, 'exit'))
    const loginsBefore = emulator.logins
    victim.kill('SIGKILL')
    await Promise.all(ends)

    const good = outcomes.filter((outcome) => outcome === '200').length
    const bad = outcomes.filter((outcome) => outcome !== '200')
    const failed = bad.length === 0 ? 'none failed' : `${bad.length} failed (${bad[0]})`
    const count = emulator.logins <= 4 ? 'at most 4 logins' : `${emulator.logins} logins`
    const lock = loginsBefore === 0 ? 'taken over' : 'not waited for'
    return `${good} of ${outcomes.length} responses with 200, ${failed}, ${count}, the lock of the killed process ${lock}`
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await server.close()
  }
}
