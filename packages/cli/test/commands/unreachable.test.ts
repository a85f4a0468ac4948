import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { startPlainServer } from '../support/plain-server.ts'
import { runCommand } from '../support/run-command.ts'

const lines = [
  ['login', '--password-stdin', '--username', 'reader'],
  ['fetch', '/V1/a'],
  ['diagnose', '/V1/a'],
  ['doctor', '--online'],
]

/** Runs each command that sends, against a base URL, and returns what each says. */
async function runAll(baseUrl: string) {
  const { env } = await startPlainServer(() => {})
  const outside = { env: { ...env, SVC_AUTH_BASE_URL: baseUrl }, stdin: 'a password' }
  const results = []
  for (const argv of lines) results.push({ argv, ...(await runCommand(argv, outside)) })
  return results
}

test('a service that is down is told in the same words by each command', async () => {
  const { url, close } = await listenOnLoopback(createServer())
  await close()
  const sentence = `no complete response from ${url.origin} (from SVC_AUTH_BASE_URL): the connection was refused (ECONNREFUSED)`
  for (const { argv, exitCode, stdout, stderr } of await runAll(url.origin)) {
    expect(`${argv.join(' ')}: ${stdout}${stderr}`).toContain(sentence)
    if (argv[0] === 'doctor') continue
    expect(exitCode).toBe(3)
    expect(stderr).toContain('; svc-auth doctor --online checks the connection')
  }
})

test('https to a port of http says so, without the words of OpenSSL', async () => {
  const { origin } = await startPlainServer((_request, response) => void response.end())
  for (const { stdout, stderr } of await runAll(origin.replace('http:', 'https:'))) {
    expect(stdout + stderr).toContain('this port speaks http, not https')
    expect(stdout + stderr).not.toMatch(/routines|\.c:/)
  }
})

test('a port that fetch blocks is told by login as by diagnose', async () => {
  for (const { argv, stdout, stderr } of await runAll('http://127.0.0.1:1')) {
    // It sends without fetch, which alone blocks ports.
    if (argv[0] === 'fetch') continue
    expect(stdout + stderr).toContain('the port of the base URL is one of other protocols')
  }
})

test('a name without a host says so', async () => {
  for (const { stdout, stderr } of await runAll('https://no-such-host.invalid')) {
    expect(stdout + stderr).toMatch(/no such host|the name of the host could not be looked up/)
  }
})

test.each([403, 404, 405, 501])(
  'a login that gets a %i names the base URL to check',
  async (status) => {
    const { env, origin } = await startPlainServer(
      (_request, response) => void response.writeHead(status).end(),
      '/api',
    )
    const { exitCode, stderr } = await runCommand(
      ['login', '--password-stdin', '--username', 'reader'],
      { env, stdin: 'a password' },
    )
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/; check (?:the password and )?the base URL http/)
    expect(stderr).toContain(`the base URL ${origin}/api (from SVC_AUTH_BASE_URL)`)
    expect(stderr).not.toContain('try again later')
  },
)

test('a base URL that ends in /user is told where the login is refused', async () => {
  const { env, origin } = await startPlainServer(
    (_request, response) => void response.writeHead(401).end(),
    '/user',
  )
  const login = ['login', '--password-stdin', '--username', 'reader']
  const { stderr } = await runCommand(login, { env, stdin: 'a password' })
  expect(stderr).toContain(
    `; check the base URL ${origin}/user (from SVC_AUTH_BASE_URL), which must not end in /user`,
  )
})
