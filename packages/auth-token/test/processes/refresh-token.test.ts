import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasRedisServer, startRedis } from '../../../../tests/support/redis-server.ts'
import { authorizationServer, holdNextExchange } from '../oauth2/support/authorization-server.ts'

const program = fileURLToPath(new URL('../fixtures/refresh-process.ts', import.meta.url))

/** A user who has signed in, and a store that any number of processes share. */
async function signedIn(kind: 'Redis' | 'files') {
  const server = await authorizationServer()
  const place = kind === 'Redis' ? await redisPlace() : await filePlace()
  const first = await server.signIn()
  const start = async (role = ''): Promise<ChildProcess> => {
    const execArgv = ['--conditions=@svc/source']
    const child = fork(program, [server.issuer, place, first, role], { execArgv })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'message')
    return child
  }
  return { ...server, start }
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

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const kinds = hasRedisServer() ? (['files', 'Redis'] as const) : (['files'] as const)

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

  test('do not send it again where one was killed before the response', async () => {
    const { start, spent, world } = await signedIn(kind)
    const [victim, ...others] = await Promise.all([start(), start(), start(), start()])
    const sent = new Promise<void>((resolve) => {
      world.intercept = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    victim.send(0)
    await sent
    const outcomes = others.map((child) => turn(child))
    await kill(victim)
    world.intercept = undefined
    expect(await Promise.all(outcomes)).toEqual(others.map(() => 'ERR_AUTH_REFRESH_LOST'))
    expect(await turn(await start())).toBe('ERR_AUTH_REFRESH_LOST')
    expect(spent()).toEqual([1])
  })

  test('do not send it again where one was killed before it wrote the next one down', async () => {
    const { start, spent } = await signedIn(kind)
    const [victim, ...others] = await Promise.all([start('stuck'), start(), start()])
    expect(await turn(victim)).toBe('writing')
    const outcomes = others.map((child) => turn(child))
    await kill(victim)
    expect(await Promise.all(outcomes)).toEqual(others.map(() => 'ERR_AUTH_REFRESH_LOST'))
    expect(spent()).toEqual([1])
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
    await expect.poll(exchange.isHeld, { timeout: 10_000 }).toBe(true)
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

  test('go on where one was killed before it sent it', async () => {
    const { start, spent, world } = await signedIn(kind)
    const [victim, other] = await Promise.all([start(), start()])
    world.delayed = '/.well-known/openid-configuration'
    const reached = new Promise<void>((resolve) => (world.onDelayed = resolve))
    victim.send(0)
    await reached
    world.delayed = undefined
    const outcome = turn(other)
    await kill(victim)
    expect(await outcome).not.toMatch(/^ERR_/)
    expect(spent()).toEqual([1])
  })
})
