import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundleProgram } from '../../../../tests/support/bundle-program.ts'

const source = fileURLToPath(new URL('../fixtures/sleeper.ts', import.meta.url))
const script = await bundleProgram(source)
const token = JSON.stringify({ Token: 'token' })

/** Stops a process while it waits for a login, responds meanwhile, and lets it go on when it is overdue. */
async function asleep(
  respond: (response: ServerResponse) => void,
  ...args: string[]
): Promise<{ errors: string[]; count: number; events: string[]; logins: number }> {
  let logins = 0
  let arrived = (_response: ServerResponse): void => {}
  const first = new Promise<ServerResponse>((resolve) => (arrived = resolve))
  const server = createServer((request, response) => {
    logins += 1
    request.resume().on('end', () => arrived(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const child = spawn(process.execPath, [script, `http://127.0.0.1:${port}`, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
    server.closeAllConnections()
    server.close()
  })
  const output = text(child.stdout)
  const response = await first
  child.kill('SIGSTOP')
  respond(response)
  // Real time: the timers of the process are what this is about.
  await delay(3500)
  child.kill('SIGCONT')
  return { ...JSON.parse(await output), logins }
}

describe.skipIf(process.platform === 'win32')('a process that sleeps during a login', () => {
  test.each<[what: string, respond: (response: ServerResponse) => void, args: string[]]>([
    ['once', (response) => response.end(token), []],
    [
      'compressed',
      (response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(token)),
      [],
    ],
    [
      'in pieces',
      (response) => {
        for (const piece of token) response.write(piece)
        response.end()
      },
      [],
    ],
    ['to waiters with a time limit of their own', (response) => response.end(token), ['signals']],
  ])('has the token that came meanwhile for all: %s', async (_what, respond, args) => {
    const { errors, count, logins, events } = await asleep(respond, ...args)
    expect({ errors, count, logins }).toEqual({ errors: [], count: 0, logins: 1 })
    expect(events).toEqual(['login.start', 'login.ok'])
  })

  test('shares the token that came meanwhile by its store', async () => {
    const path = await mkdtemp(join(tmpdir(), 'svc-auth-'))
    onTestFinished(() => rm(path, { recursive: true }))
    const { errors, count, logins, events } = await asleep(
      (response) => response.end(token),
      '',
      path,
    )
    expect({ errors, count, logins }).toEqual({ errors: [], count: 0, logins: 1 })
    // On a machine that is busy, a file may take longer than a store has time.
    expect(events.filter((type) => type !== 'store.failed')).toEqual(['login.start', 'login.ok'])
  })

  test('still gives up where nothing came', async () => {
    const { errors, count } = await asleep(() => {})
    expect(count).toBeGreaterThanOrEqual(300)
    expect(errors).toEqual([
      expect.stringContaining('got no response of the service within 3000 ms'),
    ])
  })
})
