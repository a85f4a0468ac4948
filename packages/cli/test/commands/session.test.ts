import { createEmulator, defaultUsers } from '@svc/emulator'
import { readdirSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emptyFolder, sharedBits } from '../support/folder.ts'
import { startPlainServer } from '../support/plain-server.ts'
import { memoryKeyring, runCommand } from '../support/run-command.ts'
import { runProcess } from '../support/run-process.ts'

const [{ username, password }] = defaultUsers

async function startService() {
  const emulator = createEmulator()
  const service = await emulator.listen()
  onTestFinished(() => service.close())
  const { baseUrl } = service
  const env = { SVC_AUTH_BASE_URL: baseUrl, SVC_AUTH_USERNAME: username }
  return { emulator, env, home: await emptyFolder() }
}

test('after a login no later command asks for the password', async () => {
  const { emulator, env, home } = await startService()
  const login = await runCommand(['login', '--password-stdin'], {
    home,
    env,
    stdin: `${password}\n`,
  })
  expect(login).toMatchObject({ exitCode: 0, stdout: '' })
  expect(login.stderr).toMatch(/^Logged in as primary@example.com until \d{4}-.* \(24 h\)\n$/)

  const token = await runCommand(['token'], { home, env })
  expect(token).toMatchObject({ exitCode: 0, stderr: '' })
  expect(token.stdout).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/)
  const groups = await runCommand(['fetch', '/user/groups'], { home, env })
  expect(groups.exitCode).toBe(0)
  expect(emulator.logins).toBe(1)
})

test('the token is not readable in any file, and the key beside it is for this user alone', async () => {
  const { env, home } = await startService()
  await runCommand(['login', '--password-stdin'], { home, env, stdin: password })
  const token = (await runCommand(['token'], { home, env })).stdout.trim()
  const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  )
  const key = files.find(({ name }) => name === 'key')
  // The form by which a store knows that it needs no stretching.
  expect(await readFile(join(key?.parentPath ?? '', 'key'), 'utf8')).toMatch(
    /^random-key:[\w-]{43}$/,
  )
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name)
    expect((await stat(path)).mode & sharedBits).toBe(0)
    const text = await readFile(path, 'utf8')
    expect(text).not.toContain(token)
    expect(text).not.toContain(password)
  }
})

test('with a keyring the key stands there and in no file', async () => {
  const { env, home } = await startService()
  const keyring = memoryKeyring()
  await runCommand(['login', '--password-stdin'], { home, env, keyring, stdin: password })
  expect([...keyring.entries.keys()].map((account) => JSON.parse(account)[0])).toEqual(['session'])
  const files = await readdir(home, { recursive: true })
  expect(files.filter((path) => path.endsWith('key'))).toEqual([])
  expect((await runCommand(['token'], { home, env, keyring })).exitCode).toBe(0)
})

test('processes that begin at once log in once', async () => {
  const { emulator, env, home } = await startService()
  const outside = { home, env: { ...env, SVC_AUTH_PASSWORD: password } }
  const results = await Promise.all(Array.from({ length: 6 }, () => runProcess(['token'], outside)))
  expect(results.map(({ stderr }) => stderr).join('')).toBe('')
  expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(1)
  expect(emulator.logins).toBe(1)
})

test('logging out forgets the token, the key and nothing else', async () => {
  const { emulator, env, home } = await startService()
  const keyring = memoryKeyring()
  await runCommand(['login', '--password-stdin', '--save'], { home, env, keyring, stdin: password })
  await runCommand(['logout'], { home, env, keyring })
  expect([...keyring.entries.keys()].map((account) => JSON.parse(account)[0])).toEqual(['password'])
  expect(await readdir(join(home, '.local/state/svc-auth/command'))).toEqual([])
  // The password that was saved logs in again.
  expect((await runCommand(['token'], { home, env, keyring })).exitCode).toBe(0)
  expect(emulator.logins).toBe(2)
  expect(await runCommand(['logout', '--forget-password'], { home, env, keyring })).toMatchObject({
    exitCode: 0,
    stderr: 'The session of primary@example.com is forgotten on this machine\n',
  })
  expect([...keyring.entries.keys()]).toEqual([])
  const refused = await runCommand(['token'], { home, env, keyring })
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('is not logged in: run `svc-auth login --password-stdin`')
})

test('a login with a session that is good sends nothing, and --again logs in anew', async () => {
  const { emulator, env, home } = await startService()
  const outside = { home, env: { ...env, SVC_AUTH_PASSWORD: password } }
  await runCommand(['login'], outside)
  const second = await runCommand(['login'], outside)
  expect(second.exitCode).toBe(0)
  expect(second.stderr).toContain('nothing was sent or checked: --again logs in anew')
  expect(emulator.logins).toBe(1)
  await runCommand(['login', '--again'], outside)
  expect(emulator.logins).toBe(2)
})

test('a session that the service ended is told as such, and login begins a new one', async () => {
  const { emulator, env, home } = await startService()
  const login = () => runCommand(['login', '--password-stdin'], { home, env, stdin: password })
  await login()
  emulator.revokeTokens()
  // Nothing is asked, so nothing is promised.
  expect((await login()).stderr).toContain('unless the service ended that; nothing was sent')
  const first = await runCommand(['fetch', '/user/groups'], { home, env })
  expect(first).toMatchObject({ exitCode: 2, stdout: '' })
  expect(first.stderr).toBe(
    `svc-auth: the service ended the session of ${username} (401), as another login of this user may do: run \`svc-auth login --password-stdin\`, or set SVC_AUTH_PASSWORD\n`,
  )
  const second = await runCommand(['fetch', '/user/groups'], { home, env })
  expect(second.stderr).toContain(`${username} is not logged in: run`)
  expect((await login()).stderr).toMatch(/^Logged in as /)
})

test('two machines that end the sessions of each other are told so before they log in again', async () => {
  const { emulator, env } = await startService()
  let now = Date.now()
  const machine = async () => {
    const home = await emptyFolder()
    const outside = { home, env: { ...env, SVC_AUTH_PASSWORD: password }, clock: () => now }
    return () => runCommand(['fetch', '/user/groups'], outside)
  }
  const [one, other] = [await machine(), await machine()]
  for (const fetch of [one, other, one, other]) expect((await fetch()).exitCode).toBe(0)
  expect(emulator.logins).toBe(4)
  const refused = await one()
  expect(refused.exitCode).toBe(1)
  expect(refused.stderr).toContain(
    '401 Unauthorized; another login of this user may have ended the session, and so soon after the last one none is made: try again in 30 s\n',
  )
  expect(emulator.logins).toBe(4)
  now += 30_000
  expect((await one()).exitCode).toBe(0)
  expect(emulator.logins).toBe(5)
})

test('a wrong password is refused once, and then nothing is sent until the pause is over', async () => {
  const { emulator, env, home } = await startService()
  const wrong = { home, env, stdin: 'hunter2' }
  const first = await runCommand(['login', '--password-stdin'], wrong)
  const sent = emulator.requests.length
  const second = await runCommand(['login', '--password-stdin'], wrong)
  for (const { exitCode, stderr } of [first, second]) {
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(
      /logins with this password pause until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(\d+ s\)/,
    )
    expect(stderr).not.toContain('hunter2')
    expect(stderr.trim().split('\n')).toHaveLength(1)
  }
  expect(second.stderr).toContain('nothing was sent to http://127.0.0.1')
  expect(emulator.requests.length).toBe(sent)
})

test('another password than the refused one is tried at once, and the refused one is not', async () => {
  const { emulator, env, home } = await startService()
  const login = (stdin: string) => runCommand(['login', '--password-stdin'], { home, env, stdin })
  expect((await login('hunter2')).stderr).toContain('returned status 401')
  const sent = emulator.requests.length
  const again = await login('hunter2')
  expect(again.stderr).toContain('since the last login with this password was refused')
  expect(emulator.requests.length).toBe(sent)
  expect(await login(password)).toMatchObject({ exitCode: 0 })
  const variable = { home, env: { ...env, SVC_AUTH_PASSWORD: 'hunter3' } }
  await runCommand(['logout'], variable)
  expect((await runCommand(['token'], variable)).exitCode).toBe(1)
  const right = { home, env: { ...env, SVC_AUTH_PASSWORD: password } }
  expect(await runCommand(['token'], right)).toMatchObject({ exitCode: 0, stderr: '' })
})

test('logging out ends the pause of a refused password', async () => {
  const { emulator, env, home } = await startService()
  const wrong = { home, env: { ...env, SVC_AUTH_PASSWORD: 'hunter2' } }
  await runCommand(['token'], wrong)
  await runCommand(['logout'], wrong)
  expect(await readdir(join(home, '.local/state/svc-auth/command'))).toEqual([])
  const sent = emulator.requests.length
  await runCommand(['token'], wrong)
  expect(emulator.requests.length).toBe(sent + 1)
})

test('a login anew that is refused leaves the session as it was', async () => {
  const { emulator, env, home } = await startService()
  const login = ['login', '--password-stdin']
  await runCommand(login, { home, env, stdin: password })
  const before = await runCommand(['token'], { home, env })
  const refused = await runCommand([...login, '--again'], { home, env, stdin: 'hunter2' })
  expect(refused).toMatchObject({ exitCode: 1 })
  expect(await runCommand(['token'], { home, env })).toEqual(before)
  expect(emulator.logins).toBe(1)
})

test('a token that was refused is forgotten when the login for another is refused too', async () => {
  const { emulator, env, home } = await startService()
  await runCommand(['login', '--password-stdin'], { home, env, stdin: password })
  emulator.revokeTokens()
  const wrong = { home, env: { ...env, SVC_AUTH_PASSWORD: 'hunter2' } }
  expect((await runCommand(['fetch', '/user/groups'], wrong)).exitCode).toBe(1)
  expect((await runCommand(['token'], { home, env })).exitCode).toBe(2)
  const sent = emulator.requests.length
  expect((await runCommand(['token'], wrong)).stderr).toContain('nothing was sent to')
  expect(emulator.requests.length).toBe(sent)
})

test('a password that is piped in while a session is good is said not to be checked', async () => {
  const { env, home } = await startService()
  const outside = { home, env, stdin: password }
  await runCommand(['login', '--password-stdin'], outside)
  const second = await runCommand(['login', '--password-stdin'], { ...outside, stdin: 'hunter2' })
  expect(second).toMatchObject({ exitCode: 0, stdout: '' })
  expect(second.stderr).toContain('nothing was sent or checked: --again logs in anew')
})

test('the full stop at the end of what the service says is left out', async () => {
  const { env, origin } = await startPlainServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/json' })
    response.end('{"message":"Access Denied: the request is not signed."}')
  })
  const { stderr } = await runCommand(['login', '--password-stdin', '--username', username], {
    env: { ...env, SVC_AUTH_BASE_URL: origin },
    stdin: password,
  })
  expect(stderr).toContain('the service says: Access Denied: the request is not signed; ')
})

test('a token that the service has forgotten is replaced if the password is known, else one has to log in', async () => {
  const { emulator, env, home } = await startService()
  await runCommand(['login', '--password-stdin'], { home, env, stdin: password })
  emulator.revokeTokens()
  const refused = await runCommand(['fetch', '/user/groups'], { home, env })
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain('run `svc-auth login --password-stdin`')
  // The token that was refused is not taken for good again.
  expect((await runCommand(['token'], { home, env })).exitCode).toBe(2)
  const again = await runCommand(['login', '--password-stdin'], { home, env, stdin: password })
  expect(again.stderr).toMatch(/^Logged in as /)
  const withPassword = { home, env: { ...env, SVC_AUTH_PASSWORD: password } }
  expect((await runCommand(['fetch', '/user/groups'], withPassword)).exitCode).toBe(0)
})

test('the headers of a token are those of a request below /user', async () => {
  const { env, home } = await startService()
  const outside = { home, env: { ...env, SVC_AUTH_PASSWORD: password } }
  const { stdout } = await runCommand(['token', '--header'], outside)
  const headers = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(': ') as [string, string])
  const response = await fetch(`${env.SVC_AUTH_BASE_URL}/user/groups`, { headers })
  expect(response.status).toBe(200)
  const json = JSON.parse((await runCommand(['token', '--json'], outside)).stdout)
  expect(json.token).toBe(headers[0]?.[1])
  expect(Date.parse(json.expiresAt)).toBeGreaterThan(Date.now())
})

test('a login without a terminal and without a password says how to give it', async () => {
  const { env, home } = await startService()
  const { exitCode, stderr } = await runCommand(['login'], { home, env })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('pipe it to svc-auth login --password-stdin')
})

/** Returns the names of the states in a user's folder; that of a lock which is held ends with its file. */
function statesIn(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((path) => basename(path))
    .filter((name) => name.startsWith('state.'))
}

test('a command that has ended holds no lock, also where a login hangs', async () => {
  const { env, home } = await startService()
  const hanging = await startPlainServer(() => {})
  const lines = [
    { argv: ['login', '--password-stdin'], stdin: password },
    { argv: ['doctor'], env: { SVC_AUTH_USERNAME: 'nobody@example.com' } },
    {
      // A busy machine takes more than a moment to come to the lock.
      argv: ['fetch', '-m', '3', '/user/groups'],
      env: { SVC_AUTH_BASE_URL: hanging.origin, SVC_AUTH_PASSWORD: password },
    },
  ]
  for (const [count, { argv, stdin, env: own }] of lines.entries()) {
    await runCommand(argv, { home, env: { ...env, ...own }, stdin: stdin ?? '' })
    const states = statesIn(home)
    // The login that hangs has one of its own besides.
    expect(states).toHaveLength([1, 2, 4][count] ?? 0)
    expect(states.filter((name) => !name.endsWith('.none'))).toEqual([])
  }
})
