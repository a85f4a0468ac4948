/*
 * A process serves many cases, one after the other, since a start costs ten times what a case does. This
 * loses nothing: one that dies within the second after a case is found by the cases after it, every other
 * demand is judged for each case alone, and whatever is found counts only once `examine.ts` has seen it in
 * a process that served that case and nothing else.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createEmulator, type ListeningEmulator } from '@svc/emulator'
import { type Fault, judgeArrivals } from './judge.ts'
import type { OddCase } from './plan.ts'
import { afterlifeMs, callLimitMs, type Order, type Report, settlingMs } from './protocol.ts'
import { openService, type OddService } from './service.ts'
import { apiKey, user } from './users.ts'

/** The time that a start takes on a machine that does nothing else. */
const usualStartMs = 600

const runner = fileURLToPath(new URL('runner.ts', import.meta.url))

/** What the cases of a search share. */
export interface Stage {
  readonly listening: ListeningEmulator
  readonly folder: string
  close(): Promise<void>
}

/** Opens what cases share. */
export async function openStage(): Promise<Stage> {
  const emulator = createEmulator({
    users: [user],
    apiKeys: [apiKey],
    maxRecordedRequests: 1,
    uniqueSessionEndsOthers: false,
  })
  const listening = await emulator.listen()
  const folder = await mkdtemp(join(tmpdir(), 'odd-inputs-'))
  return {
    listening,
    folder,
    async close() {
      await listening.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** The end of one case. */
export interface CaseResult {
  readonly faults: readonly Fault[]
  readonly outcome: string
  /** The requests that reached the service, logins aside. */
  readonly sent: number
  /** `false` if the client ended the call before an adapter saw it. */
  readonly isAsked: boolean
  /** `true` if the scheme gave a credential, so that the client was given the request. */
  readonly isGiven: boolean
}

/** A process that carries out cases. */
export interface Runner {
  /** `false` once it is dead, or not to be used for another case. */
  readonly isUsable: () => boolean
  carryOut(plan: OddCase, isPlain?: boolean): Promise<CaseResult>
  /** Waits for the second that it must live on, and for its end. */
  finish(): Promise<Fault[]>
  /** Ends it at once. */
  kill(): void
}

/** Starts a process in the world of a case. */
export async function startRunner(
  stage: Stage,
  { adapter, world, detail }: OddCase,
): Promise<Runner> {
  const flags = ['--conditions=@svc/source', '--expose-gc', '--disable-warning=ExperimentalWarning']
  const late = detail % 2 === 1 ? ['late'] : []
  const startedAt = performance.now()
  const child = fork(runner, [world, adapter, ...late], {
    execArgv: flags,
    // A start takes half as long with it.
    env: { ...process.env, NODE_COMPILE_CACHE: join(stage.folder, 'compiled') },
    silent: true,
    serialization: 'json',
  })
  const reports = listenTo(child)
  const isReady = await reports.next('ready', 60_000)
  if (!isReady) throw new Error(`the runner does not start: ${reports.death() ?? 'it hangs'}`)
  // The start says how busy the machine is, and every deadline is longer there.
  const patience = Math.min(8, Math.max(1, (performance.now() - startedAt) / usualStartMs))
  const give = (order: Order): void => {
    // One that is dying may have closed its end.
    if (child.connected) child.send(order, () => {})
  }
  let isUsable = true

  const deathOrHang = (what: Fault['demand'], description: string): Fault => {
    isUsable = false
    const death = reports.death()
    if (death === undefined) child.kill('SIGKILL')
    return death === undefined
      ? { demand: what, details: description }
      : { demand: 'the process lives on', details: death }
  }

  return {
    isUsable: () => isUsable && reports.death() === undefined,
    async carryOut(plan, isPlain = false) {
      const service = await openService(plan, stage.listening)
      try {
        const { origin, strayOrigin } = service
        const { folder } = stage
        give({ order: 'carry-out', task: { plan, origin, strayOrigin, folder, isPlain, patience } })
        const settled = await reports.next('settled', (callLimitMs + 3000) * patience)
        const faults: Fault[] = []
        if (!settled) faults.push(deathOrHang('settles within its time', 'it blocks the process'))
        else if (settled.outcome === 'unsettled') {
          faults.push({
            demand: 'settles within its time',
            details: `${callLimitMs * patience} ms are over`,
          })
        } else faults.push(...(await untilIdle(service, patience)))
        const judged = judgeArrivals(plan, service, settled)
        if (!isPlain) faults.push(...judged)
        else faults.push(...judged.filter(({ demand }) => demand === 'the body arrives'))
        if (settled && faults.length === 0) {
          // What is idle is closed by its server, so that all that is left is somebody's fault.
          await service.close()
          give({ order: 'look' })
          const looked = await reports.next('looked', (settlingMs + 3000) * patience)
          if (!looked) faults.push(deathOrHang('nothing is left', 'it blocks the process'))
          else if (looked.left.length > 0) {
            faults.push({ demand: 'nothing is left', details: looked.left.join(', ') })
          }
        }
        // What has not settled would be in the way of another case; what is left is counted as there before.
        if (settled?.outcome === 'unsettled') isUsable = false
        const sent = service.arrivals.filter(({ isLogin }) => !isLogin).length
        const error = settled?.error === undefined ? '' : `: ${settled.error}`
        return {
          faults,
          outcome: `${settled?.outcome ?? 'dead'}${error}`,
          sent,
          isAsked: settled?.isAsked ?? true,
          isGiven: settled?.isGiven ?? true,
        }
      } finally {
        await service.close()
      }
    },
    async finish() {
      isUsable = false
      give({ order: 'end' })
      const isOver = await reports.end((afterlifeMs + 3000) * patience)
      const death = reports.death()
      if (!isOver) child.kill('SIGKILL')
      if (!isOver) return [{ demand: 'the process ends by itself', details: 'something is left' }]
      return death === undefined ? [] : [{ demand: 'the process lives on', details: death }]
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/**
 * Waits until no request is under way, and says how many are, if that does not come. What a case has sent before it
 * settled is taken in first: a connection, and then its request, each in a turn of the event loop.
 */
async function untilIdle({ busy }: OddService, patience: number): Promise<Fault[]> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  for (const endAt = performance.now() + settlingMs * patience; busy() > 0; await wait(10)) {
    if (performance.now() > endAt) {
      return [{ demand: 'no request is left under way', details: `${busy()} connections` }]
    }
  }
  return []
}

/** Listens to what a process says, and to its end. */
function listenTo(child: ChildProcess) {
  let output = ''
  let ended: string | undefined
  const reports: Report[] = []
  let wake = (): void => {}
  const take = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-20_000))
  child.stdout?.on('data', take)
  child.stderr?.on('data', take)
  child.on('message', (value) => {
    // The runner sends nothing else.
    reports.push(value as Report)
    wake()
  })
  child.once('close', (status, signal) => {
    ended = status === 0 ? '' : `${signal ?? `status ${status}`}: ${causeIn(output)}`
    wake()
  })
  const until = async (isThere: () => boolean, limitMs: number): Promise<boolean> => {
    const endAt = performance.now() + limitMs
    while (!isThere()) {
      const left = endAt - performance.now()
      if (left <= 0) return false
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        wake = resolve
        timer = setTimeout(resolve, left)
      })
      clearTimeout(timer)
    }
    return true
  }
  return {
    death: () => (ended === '' ? undefined : ended),
    end: (limitMs: number) => until(() => ended !== undefined, limitMs),
    async next<Kind extends Report['report']>(
      kind: Kind,
      limitMs: number,
    ): Promise<Extract<Report, { report: Kind }> | undefined> {
      await until(() => reports.length > 0 || ended !== undefined, limitMs)
      const found = reports.shift()
      // The two talk by turns.
      return found?.report === kind ? (found as Extract<Report, { report: Kind }>) : undefined
    },
  }
}

/** Returns the lines of an output that name the cause of a death. */
function causeIn(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const start = lines.findIndex((line) => /^(?:\[?\w*Error\b|.*Error: |node:)/.test(line))
  const cause = lines.slice(Math.max(start, 0)).filter(Boolean)
  return cause.slice(0, 6).join(' | ').slice(0, 600)
}
