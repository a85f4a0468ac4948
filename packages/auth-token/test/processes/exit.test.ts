import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundleProgram } from '../../../../tests/support/bundle-program.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { loginRequests, service, until } from '../support/service.ts'

const oneShotSource = fileURLToPath(new URL('../fixtures/one-shot.ts', import.meta.url))
const desertedSource = fileURLToPath(new URL('../fixtures/deserted-login.ts', import.meta.url))
const [oneShot, desertedLogin] = await Promise.all([
  bundleProgram(oneShotSource),
  bundleProgram(desertedSource),
])

test('a process ends when its work is done', async () => {
  const { stdout, stderr } = await run(process.execPath, [oneShot])
  expect(stderr).toBe('')
  expect(stdout).toBe('200\n200\n200\nERR_AUTH_LOGIN_REFUSED\n')
})

/** A service that responds to so many logins and to no more, whatever else it is asked. */
async function silentService(responses: number): Promise<string> {
  let logins = 0
  const server = createServer((request, response) => {
    if (request.url !== '/user/login') response.end('groups')
    else if ((logins += 1) <= responses) response.end('{"Token":"token"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Runs a process that leaves a login; returns what it reported, and how long it lived after that. */
async function deserted(...args: string[]): Promise<{ reported: string[]; outlivedMs: number }> {
  const child = spawn(process.execPath, [desertedLogin, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  let doneAt = 0
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output += piece
    if (output.endsWith('done\n')) doneAt = performance.now()
  })
  await once(child, 'close')
  return { reported: output.trim().split('\n'), outlivedMs: performance.now() - doneAt }
}

describe('a login that gets no response', () => {
  test.each<[what: string, how: string, responses: number, reported: string[]]>([
    ['all its callers have left', 'abort', 0, ['Error', 'Error', 'Error', 'done']],
    ['the request for which it was made has failed', 'timeout', 0, ['TimeoutError', 'done']],
    ['it was a renewal, and the requests have ended', 'renewal', 1, ['200', '200', 'done']],
    ['its credentials never come', 'credentials', 0, ['TimeoutError', 'done']],
  ])('does not keep a process once %s', async (_what, how, responses, reported) => {
    const outcome = await deserted(await silentService(responses), how)
    expect(outcome.reported).toEqual(reported)
    expect(outcome.outlivedMs).toBeLessThan(5000)
  })

  test('does not keep a process that shares its token by a store', async () => {
    const path = await mkdtemp(join(tmpdir(), 'svc-auth-'))
    onTestFinished(() => rm(path, { recursive: true }))
    const outcome = await deserted(await silentService(0), 'abort', path)
    expect(outcome.reported).toEqual(['Error', 'Error', 'Error', 'done'])
    expect(outcome.outlivedMs).toBeLessThan(5000)
  })

  test('is given up once nobody waits for it, and the next caller makes another', async () => {
    const attempt = await service({ loginTimeoutMs: 60_000 })
    const { auth, emulator } = attempt
    emulator.fault({ path: '/user/login', latencyMs: 60_000, times: 1 })
    await expect(auth.getToken({ signal: AbortSignal.timeout(200) })).rejects.toThrow('timeout')
    expect(auth.inspect().state).toBe('logging-in')
    await until(() => auth.inspect().state !== 'logging-in')
    expect(await auth.getToken()).toMatch(/^eyJ/)
    expect(loginRequests(attempt)).toBe(2)
  })

  test('is kept for a caller who comes a second after the last one has left', async () => {
    const attempt = await service({ loginTimeoutMs: 60_000 })
    const { auth, emulator } = attempt
    emulator.fault({ path: '/user/login', latencyMs: 2500, times: 1 })
    await expect(auth.getToken({ signal: AbortSignal.timeout(200) })).rejects.toThrow('timeout')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect(await auth.getToken()).toMatch(/^eyJ/)
    expect(loginRequests(attempt)).toBe(1)
  })

  test('is kept for as long as one caller waits, whoever else leaves', async () => {
    const attempt = await service({ loginTimeoutMs: 60_000 })
    const { auth, emulator } = attempt
    emulator.fault({ path: '/user/login', latencyMs: 4000, times: 1 })
    const staying = auth.getToken()
    await expect(auth.getToken({ signal: AbortSignal.timeout(200) })).rejects.toThrow('timeout')
    expect(await staying).toMatch(/^eyJ/)
    expect(loginRequests(attempt)).toBe(1)
  })

  test('comes to its end where it takes longer than each of its callers waits', async () => {
    const attempt = await service({ loginTimeoutMs: 60_000 })
    const { auth, emulator } = attempt
    emulator.fault({ path: '/user/login', latencyMs: 2500 })
    await expect(auth.getToken({ signal: AbortSignal.timeout(200) })).rejects.toThrow('timeout')
    await until(() => auth.inspect().state !== 'logging-in')
    expect(auth.inspect().state).toBe('valid')
    expect(loginRequests(attempt)).toBe(1)
  })

  test('is kept as a renewal, although no caller waits for it', async () => {
    const attempt = await service({ loginTimeoutMs: 60_000 })
    const { auth, emulator, fetch, groups, time } = attempt
    emulator.fault({ path: '/user/login', latencyMs: 2500 })
    await fetch(groups)
    time.now += 24 * 3_600_000 - 1000
    await fetch(groups)
    expect(auth.inspect().generation).toBe(1)
    await until(() => auth.inspect().generation === 2 || auth.inspect().retryAt !== undefined)
    expect(auth.inspect()).toMatchObject({ state: 'valid', generation: 2 })
    expect(loginRequests(attempt)).toBe(2)
  })

  test('is kept where waitUntil keeps it alive', async () => {
    const kept: Promise<unknown>[] = []
    const attempt = await service({
      loginTimeoutMs: 60_000,
      waitUntil: (promise) => kept.push(promise),
    })
    const { auth, emulator } = attempt
    emulator.fault({ path: '/user/login', latencyMs: 4000, times: 1 })
    await expect(auth.getToken({ signal: AbortSignal.timeout(200) })).rejects.toThrow('timeout')
    await kept[0]
    expect(auth.inspect().state).toBe('valid')
    expect(loginRequests(attempt)).toBe(1)
  })
})
