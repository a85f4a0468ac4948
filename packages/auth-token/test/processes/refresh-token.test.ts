import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundleProgram } from '../../../../tests/support/bundle-program.ts'
import { atNight, isNightly } from '../../../../tests/support/nightly.ts'
import { hasRedisServer, startRedis } from '../../../../tests/support/redis-server.ts'
import { authorizationServer, holdNextExchange } from '../oauth2/support/authorization-server.ts'

const source = fileURLToPath(new URL('../fixtures/refresh-process.ts', import.meta.url))
const program = await bundleProgram(source)

/** A user who has signed in, and a store that any number of processes share. */
async function signedIn(kind: 'Redis' | 'files', given?: string) {
  const server = await authorizationServer()
  const place = given ?? (await placeOf(kind))
  const first = await server.signIn()
  const start = async (role = '', loginMs = 6000): Promise<ChildProcess> => {
    const child = fork(program, [server.issuer, place, first, role, `${loginMs}`])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'message')
    return child
  }
  return { ...server, start }
}

function placeOf(kind: 'Redis' | 'files'): Promise<string> {
  return kind === 'Redis' ? redisPlace() : filePlace()
}

async function redisPlace(): Promise<string> {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  return redis.url
}

async function filePlace(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'svc-auth-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

/** Has a process get a token, and resolves to it or to the code of the error. */
async function turn(child: ChildProcess, number = 0): Promise<unknown> {
  const reported = once(child, 'message')
  child.send(number)
  return (await reported)[0]
}

const kinds: ('files' | 'Redis')[] = hasRedisServer() ? ['files', 'Redis'] : ['files']

describe.each(kinds)('processes that share a refresh token in %s', (kind) => {
  test('spend each once, of four that refresh at once', async () => {
    const { start, spent } = await signedIn(kind)
    const children = await Promise.all([start(), start(), start(), start()])
    for (let number = 0; number < 4; number += 1) {
      const tokens = await Promise.all(children.map((child) => turn(child, number)))
      expect(new Set(tokens).size).toBe(1)
      expect(tokens[0]).not.toMatch(/^ERR_/)
      expect(spent()).toEqual(Array.from({ length: number + 1 }, () => 1))
    }
  })

  test('leave the next one to the process that could not write it down, until it could', async () => {
    const { start, spent } = await signedIn(kind)
    const [cutOff, other] = await Promise.all([start('cut-off'), start()])
    const token = await turn(cutOff)
    expect(token).not.toMatch(/^ERR_/)
    // It is written again soon.
    expect(await turn(other)).toBe(token)
    expect(spent()).toEqual([1])
  })

  test('share what one got that was stopped for longer than its lock lasts', async () => {
    const { start, spent, world } = await signedIn(kind)
    const [sleeper, other] = await Promise.all([start(), start()])
    const exchange = holdNextExchange(world)
    const outcome = turn(sleeper)
    await expect.poll(exchange.isHeld).toBe(true)
    sleeper.kill('SIGSTOP')
    const waiting = turn(other)
    // Real time: a process that is stopped has no other.
    await delay(4000)
    exchange.release()
    sleeper.kill('SIGCONT')
    const token = await outcome
    expect(token).not.toMatch(/^ERR_/)
    expect(await waiting).toBe(token)
    expect(spent()).toEqual([1])
  })
})

/**
 * Has a process begin a refresh in as many worlds as the refresh has steps, and interrupts it before another step in
 * each, for longer than its lock lasts and others wait. Resolves to what another process came to meanwhile, and at last.
 */
async function interruptEach(kind: 'Redis' | 'files', by: 'SIGKILL' | 'SIGSTOP') {
  const place = await placeOf(kind)
  const begin = async (step: number) => {
    const { start, spent } = await signedIn(kind, place)
    const [victim, other] = await Promise.all([start(`pauses at ${step}`, 4000), start('', 4000)])
    return { victim, other, spent }
  }
  // The last one is beyond the end. All are there before the first one is timed.
  const worlds = await Promise.all(Array.from({ length: 13 }, (_, index) => begin(index + 1)))
  const found = worlds.map(async ({ victim, other, spent }) => {
    const reported = await turn(victim)
    if (typeof reported === 'string') return undefined
    victim.kill(by)
    const met = await turn(other)
    if (by === 'SIGSTOP') {
      const finished = once(victim, 'message')
      victim.send('go on')
      victim.kill('SIGCONT')
      await finished
    }
    const { step, written } = reported as { readonly step: string; readonly written: number }
    return { step, isOnWire: written === 1, met, last: await turn(other), spent: spent() }
  })
  const interrupted = (await Promise.all(found)).filter((one) => one !== undefined)
  expect(interrupted.length).toBeLessThan(worlds.length)
  expect(interrupted.filter(({ isOnWire }) => isOnWire).length).toBeGreaterThan(2)
  return interrupted
}

// The steps are those of one code: by day with the store that every machine has.
describe.each(atNight(kinds, kinds.slice(0, 1)))(
  'a refresh by %s',
  { timeout: 120_000 },
  (kind) => {
    test('is lost only where its process is killed between its note and its result', async () => {
      const lost = 'ERR_AUTH_REFRESH_LOST'
      const token = expect.not.stringMatching(/^ERR_/)
      for (const { step, isOnWire, met, last, spent } of await interruptEach(kind, 'SIGKILL')) {
        expect([step, met, last]).toEqual(isOnWire ? [step, lost, lost] : [step, token, met])
        // Of those on the wire, some were not sent yet.
        expect(isOnWire ? [[], [1]] : [[1]]).toContainEqual(spent)
      }
    })

    // Above, one is stopped by day too: where most is lost if its result does not count.
    test.runIf(isNightly)(
      'heals wherever its process is stopped for longer than others wait',
      async () => {
        for (const { step, last, spent } of await interruptEach(kind, 'SIGSTOP')) {
          expect([step, last, spent]).toEqual([step, expect.not.stringMatching(/^ERR_/), [1]])
        }
      },
    )
  },
)
