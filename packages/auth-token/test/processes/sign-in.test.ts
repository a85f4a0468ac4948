import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DevicePrompt } from '@svc/auth-token/sign-in'
import { expect, onTestFinished, test } from 'vitest'
import { isNightly } from '../../../../tests/support/nightly.ts'
import { bundleProgram } from '../../../../tests/support/bundle-program.ts'
import { createBrowser } from '../sign-in/support/browser.ts'
import { startProvider } from '../sign-in/support/provider.ts'

const source = fileURLToPath(new URL('../fixtures/sign-in-process.ts', import.meta.url))
const program = await bundleProgram(source)
/** Stands for any token. */
const token = (): unknown => expect.not.stringMatching(/^ERR_/)

/** What a process reports. */
interface Report {
  readonly prompt?: DevicePrompt
  readonly waits?: true
  readonly token?: string
  readonly step?: string
}

/** A user, the prompts that any process showed them, and a store that all share. */
async function setUp(given?: Awaited<ReturnType<typeof startProvider>>) {
  const server = given ?? (await startProvider({ intervalSeconds: 1 }))
  const path = await mkdtemp(join(tmpdir(), 'svc-auth-'))
  onTestFinished(() => rm(path, { recursive: true }))
  const shown: DevicePrompt[] = []
  let waits = 0
  const user = { signsIn: true }
  const approve = ({ verificationUri, userCode }: DevicePrompt): Promise<unknown> =>
    createBrowser().signIn(verificationUri, { user_code: userCode })
  const start = async (pauseAt = 0): Promise<ChildProcess> => {
    const child = fork(program, [server.issuer, path, `${pauseAt}`])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'message')
    child.on('message', ({ prompt, waits: isWaiting }: Report) => {
      if (isWaiting) waits += 1
      if (!prompt) return
      shown.push(prompt)
      if (user.signsIn) void approve(prompt)
    })
    return child
  }
  return { server, start, shown, user, approve, waits: () => waits }
}

/** Has a process get a token, and resolves to it, or to the code of the error. */
async function turn(child: ChildProcess, number = 0): Promise<string> {
  const reported = reportOf(child, ({ token: found }) => found)
  child.send(number)
  return reported
}

function reportOf<Found>(
  child: ChildProcess,
  read: (report: Report) => Found | undefined,
): Promise<Found> {
  return new Promise((resolve) => {
    const listen = (report: Report): void => {
      const found = read(report)
      if (found === undefined) return
      child.off('message', listen)
      resolve(found)
    }
    child.on('message', listen)
  })
}

test('of five processes, one asks the user, and again once the server has ended the sign-in', async () => {
  const { server, start, shown, waits } = await setUp()
  const children = await Promise.all([start(), start(), start(), start(), start()])
  const first = await Promise.all(children.map((child) => turn(child)))
  expect(new Set(first)).toEqual(new Set([token()]))
  expect(shown).toHaveLength(1)
  expect(waits()).toBe(4)
  const next = await Promise.all(children.map((child) => turn(child, 1)))
  expect(new Set(next)).toEqual(new Set([token()]))
  expect(shown).toHaveLength(1)
  await server.end(next[0] ?? '')
  const last = await Promise.all(children.map((child) => turn(child, 2)))
  expect(new Set(last)).toEqual(new Set([token()]))
  expect(shown).toHaveLength(2)
  expect(server.revoked).toEqual([])
})

test('of four processes that wait, one asks anew where the one that asked is killed', async () => {
  const { start, shown, user, approve } = await setUp()
  const children = await Promise.all([start(), start(), start(), start(), start()])
  user.signsIn = false
  const [asker, ...others] = children as [ChildProcess, ...ChildProcess[]]
  const isShown = reportOf(asker, ({ prompt }) => prompt)
  asker.send(0)
  const prompt = await isShown
  const tokens = Promise.all(others.map((child) => turn(child)))
  await delay(500)
  user.signsIn = true
  asker.kill('SIGKILL')
  // Its code may be signed in with, but nobody gets what it gives.
  await approve(prompt)
  expect(new Set(await tokens)).toEqual(new Set([token()]))
  expect(shown).toHaveLength(2)
})

test('a process that was stopped while it asked takes what another has asked for', async () => {
  const { start, shown, user } = await setUp()
  const [asker, other] = await Promise.all([start(), start()])
  user.signsIn = false
  const isShown = reportOf(asker, ({ prompt }) => prompt)
  const stopped = turn(asker)
  await isShown
  user.signsIn = true
  asker.kill('SIGSTOP')
  const found = await turn(other)
  expect(found).toEqual(token())
  asker.kill('SIGCONT')
  expect(await stopped).toBe(found)
  expect(shown).toHaveLength(2)
})

/** Kills a process at its step, and has another one get a token twice. */
async function interrupt({
  victim,
  other,
  shown,
  server,
}: Awaited<ReturnType<typeof setUp>> & {
  readonly victim: ChildProcess
  readonly other: ChildProcess
}) {
  const reported = reportOf(victim, ({ step, token: found }) => step ?? found)
  victim.send(0)
  const step = await reported
  // It has come to the end.
  if (!/^[a-z]+(?: [a-z]+)?$/.test(step)) return undefined
  victim.kill('SIGKILL')
  const asked = shown.length
  const [found, again] = [await turn(other), await turn(other, 1)]
  return { step, asked, found, again, shown: shown.length, revoked: server.revoked }
}

test(
  'wherever a process is killed, another one has the sign-in or asks for one',
  { timeout: 120_000 },
  async () => {
    const server = await startProvider({ intervalSeconds: 1 })
    const interruptAt = async (step: number) => {
      const world = await setUp(server)
      const [victim, other] = await Promise.all([world.start(step), world.start()])
      return { ...world, victim, other }
    }
    // By day each second step, with the last.
    const stride = isNightly ? 1 : 2
    const steps = []
    // Some at a time: each has a limit for its store. The last ones are beyond the end.
    for (let first = 1; first < 26; first += 5 * stride) {
      const worlds = await Promise.all(
        Array.from({ length: 5 }, (_, index) => interruptAt(first + index * stride)),
      )
      steps.push(...(await Promise.all(worlds.map(interrupt))))
    }
    const interrupted = steps.filter((one) => one !== undefined)
    expect(interrupted.length).toBeLessThan(steps.length)
    expect(interrupted.length).toBeGreaterThan(10 / stride)
    for (const { step, asked, found, again, shown, revoked } of interrupted) {
      expect([step, found, again, revoked]).toEqual([step, token(), token(), []])
      expect(shown).toBeLessThanOrEqual(asked + 1)
    }
    // Once the result is written, nobody is asked again. On a machine that is busy, that may be the last step tried.
    const last = interrupted.at(-1)
    expect(last).toMatchObject({ asked: 1, ...(last?.step !== 'write' && { shown: 1 }) })
  },
)
