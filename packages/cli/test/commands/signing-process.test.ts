import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasOnPosix } from '../../../../tests/support/needs.ts'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { emptyFolder } from '../support/folder.ts'
import { startService } from '../support/run-command-line.ts'
import { cleanEnvironment, commandArguments, runProcess } from '../support/run-process.ts'

const hasShell = hasOnPosix('POSIX shell, and no signals')

const environment = {
  SVC_AUTH_BASE_URL: 'https://search.example.com',
  SVC_AUTH_REGION: 'us-east-1',
  SVC_AUTH_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  SVC_AUTH_SECRET_ACCESS_KEY: 'not-a-secret',
}

test('explain is coloured only where colours are wanted', async () => {
  const home = await emptyFolder()
  const explain = (env: Readonly<Record<string, string>>) =>
    runProcess(['explain', '/V1/x'], { home, env: { ...environment, ...env } })
  const [piped, forced] = await Promise.all([
    explain({ FORCE_COLOR: '', NO_COLOR: '' }),
    explain({ FORCE_COLOR: '1', NO_COLOR: '' }),
  ])
  expect(piped.stdout).not.toContain('\u001b')
  expect(forced.stdout).toContain('\u001b[1mCanonical request\u001b[22m')
})

test.runIf(hasShell)('a reader that leaves early is no error', async () => {
  const home = await emptyFolder()
  const body = join(home, 'body.txt')
  await writeFile(body, 'x'.repeat(99_000))
  const command = [process.execPath, ...commandArguments].map((word) => `'${word}'`).join(' ')
  const header = `x-amz-meta-a: ${'y'.repeat(200_000)}`
  await writeFile(join(home, 'headers'), header)
  const line = `{ ${command} sign -H @headers -X PUT -d @body.txt /V1/x; echo "exit $?" >&2; } | head -c 1`
  const env = { ...cleanEnvironment(home), ...environment }
  const { stdout, stderr } = await run('sh', ['-c', line], '', env, home)
  expect({ stdout, stderr }).toEqual({ stdout: 'a', stderr: 'exit 0\n' })
})

test.runIf(hasShell)(
  'Ctrl-C ends a diagnosis that waits for its response, with exit code 130',
  async () => {
    const home = await emptyFolder()
    const server = createServer()
    const { url, close } = await listenOnLoopback(server)
    onTestFinished(close)
    const arrived = once(server, 'request')
    const env = { ...process.env, ...cleanEnvironment(home), ...environment }
    const child = spawn(process.execPath, [...commandArguments, 'diagnose', '/V1/x'], {
      env: { ...env, SVC_AUTH_BASE_URL: url.origin },
    })
    await arrived
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
  },
)

test('a service that cannot be reached is exit code 3', async () => {
  const { url, close } = await listenOnLoopback(createServer())
  await close()
  const home = await emptyFolder()
  const env = { ...environment, SVC_AUTH_BASE_URL: url.origin }
  const { status, stdout, stderr } = await runProcess(['diagnose', '/V1/x'], { home, env })
  expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
  expect(stderr).toContain('the connection was refused (ECONNREFUSED)')
})

test.runIf(hasShell)('the line for curl can be run by eval', async () => {
  const { emulator, env } = await startService()
  const home = await emptyFolder()
  await writeFile(join(home, 'a b.csv'), 'a,b\n')
  const command = [process.execPath, ...commandArguments].map((word) => `'${word}'`).join(' ')
  const line = `eval "$(${command} sign --curl -X PUT -H 'content-type: text/csv' -d @'a b.csv' /V1/x.csv)"`
  const { status } = await run('sh', ['-c', line], '', { ...cleanEnvironment(home), ...env }, home)
  expect(status).toBe(0)
  expect(emulator.requests.map((request) => [request.method, request.status])).toEqual([
    ['PUT', 200],
  ])
})
