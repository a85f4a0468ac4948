import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { listening, loginHeaders } from './support/emulator.ts'
import { run } from '../../../tests/support/run-program.ts'

const cli = new URL('../src/cli.ts', import.meta.url).pathname
const node = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning', cli]

/** Starts the command and waits for its last line. */
async function start(...args: string[]) {
  const child = spawn(process.execPath, [...node, ...args])
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    stdout += String(chunk)
    if (stdout.endsWith('\n\n')) break
  }
  return { child, stdout, url: /http:\S+/.exec(stdout)?.[0] ?? '' }
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'it serves what it prints, and ends cleanly on %s',
  async (signal) => {
    const { child, stdout, url } = await start('--region', 'eu-west-1')
    expect(stdout).toContain('eu-west-1')
    for (const { username, password } of defaultUsers) {
      expect(stdout).toContain(username)
      expect(stdout).toContain(password)
    }
    expect(stdout).toContain(defaultApiKeys[0].accessKeyId)
    expect(stdout).toContain(defaultApiKeys[0].secretAccessKey)
    const [{ username, password }] = defaultUsers
    const response = await fetch(new URL('/user/login', url), {
      method: 'POST',
      headers: loginHeaders,
      body: JSON.stringify({ Username: username, Password: password }),
    })
    expect(response.status).toBe(200)
    child.kill(signal)
    expect(await once(child, 'close')).toEqual([0, null])
  },
)

test('--help prints the flags and ends with 0', async () => {
  const { status, stdout } = await run(process.execPath, [...node, '--help'])
  expect(status).toBe(0)
  for (const flag of ['--port', '--host', '--region', '--help']) expect(stdout).toContain(flag)
})

test.each([
  ['--prot', ['--prot', '1']],
  ['--port', ['--port', 'http']],
  ['--port', ['--port', '65536']],
  ['--port', ['--port']],
  ['--host', ['--host', '']],
  ['--region', ['--region', 'a b']],
  ['extra', ['extra']],
])('a wrong %s ends with 2 and is named', async (named, args) => {
  const { status, stderr, stdout } = await run(process.execPath, [...node, ...args])
  expect(status).toBe(2)
  expect(stderr.split('\n')[0]).toContain(named)
  expect(stdout).toBe('')
})

test('a port that is taken ends with 1 and says so', async () => {
  const { server } = await listening()
  const { status, stderr } = await run(process.execPath, [...node, '--port', server.url.port])
  expect(status).toBe(1)
  expect(stderr).toContain('EADDRINUSE')
})
