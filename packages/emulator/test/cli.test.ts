import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { commandArguments, startCommand } from './support/command.ts'
import { listening, loginHeaders, readLogin, send } from './support/emulator.ts'
import { sign, type SignInput } from './support/sign.ts'
import { readCommandLine, UsageError } from './testing.ts'
import { atNight } from '../../../tests/support/nightly.ts'
import { run } from '../../../tests/support/run-program.ts'

test.each(['SIGINT', 'SIGTERM'] as const)(
  'it serves what it prints, and ends cleanly on %s',
  async (signal) => {
    const { child, stdout, url } = await startCommand('--region', 'eu-west-1')
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
  const { status, stdout } = await run(process.execPath, [...commandArguments, '--help'])
  expect(status).toBe(0)
  const flags = ['--port', '--host', '--region', '--users', '--keys', '--help']
  for (const flag of flags) expect(stdout).toMatch(new RegExp(`\n  ${flag}[ ,]`))
  expect(stdout).toContain('npx --yes @svc/emulator --port 8080')
})

describe('--users and --keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-emulator-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const fileWith = (name: string, content: string): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }

  test('take the place of the default users and keys, and nothing prints their secrets', async () => {
    const users = [
      { username: 'one', password: 'a-password' },
      { username: 'sub', password: 'another-password', parentUid: 'tenant-7' },
    ]
    const keys = [{ accessKeyId: 'OWNKEY', secretAccessKey: 'a-secret' }]
    const { child, stdout, url } = await startCommand(
      '--users',
      // As some editors on Windows begin a file.
      fileWith('users.json', `\uFEFF${JSON.stringify(users)}`),
      '--keys',
      fileWith('keys.json', JSON.stringify(keys)),
    )
    let log = stdout
    child.stdout.on('data', (text: Buffer) => (log += text.toString())).resume()
    const login = (Username: string, Password: string, ParentUid?: string) =>
      fetch(new URL('/user/login', url), {
        method: 'POST',
        headers: loginHeaders,
        body: JSON.stringify({ Username, Password, ParentUid }),
      })
    const [own] = defaultUsers
    expect((await login('one', 'a-password')).status).toBe(200)
    expect((await login('sub', 'another-password', 'tenant-7')).status).toBe(200)
    expect((await login('sub', 'another-password')).status).toBe(401)
    expect((await login(own.username, own.password)).status).toBe(401)
    const { host } = new URL(url)
    const amzDate = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '')
    for (const key of [keys[0] ?? defaultApiKeys[0], defaultApiKeys[0]]) {
      const input = { host, amzDate, key, method: 'PUT', target: '/V1/a', body: 'b' }
      await send(new URL(url), sign(input))
    }
    await vi.waitUntil(() => log.endsWith('InvalidAccessKeyId\n'), 30_000)
    expect(log.replace(/^Listening.*/, 'Listening')).toBe(
      [
        'Listening',
        '  region    us-east-1',
        '  user      one',
        '  user      sub  ParentUid tenant-7',
        '  API key   OWNKEY',
        '',
        'POST /user/login 200: logged in one',
        'POST /user/login 200: logged in sub',
        'POST /user/login 401: refused, MissingParentUid',
        'POST /user/login 401: refused, InvalidCredentials',
        'PUT /V1/a 200: verified the signature of OWNKEY',
        'PUT /V1/a 403: refused, InvalidAccessKeyId',
        '',
      ].join('\n'),
    )
  })

  test.each<[flag: string, content: string, told: string]>([
    ['--users', '{', 'is not JSON'],
    ['--users', '[\n  { "username": "a", "password": secret-7 }\n]', 'is not JSON'],
    ['--users', '[\n  { "username": "a" "secret-7" }\n]', 'is not JSON; see line 2'],
    ['--users', '{ "username": "a", "password": "secret-7" }', 'users must be an array'],
    ['--users', '["secret-7"]', 'users[0] must be an object'],
    ['--users', '[{ "password": "secret-7" }]', 'users[0].username must be a non-empty string'],
    ['--users', '[{ "username": "a" }]', 'users[0].password must be a non-empty string'],
    [
      '--users',
      '[{ "username": "a", "Password": "secret-7" }]',
      'users[0].Password is not known; did you mean password?',
    ],
    ['--users', '[{ "username": "a", "password": 7 }]', 'users[0].password must be a non-empty'],
    [
      '--users',
      '[{ "username": "a", "password": "b", "groups": [{}] }]',
      'users[0].groups[0].id must be a non-empty string',
    ],
    ['--keys', '7', 'apiKeys must be an array'],
    ['--keys', '[{ "accessKeyId": "a" }]', 'apiKeys[0].secretAccessKey must be a non-empty string'],
    [
      '--keys',
      '[{ "AccessKeyId": "a", "SecretAccessKey": "secret-7" }]',
      'apiKeys[0].AccessKeyId is not known; did you mean accessKeyId?',
    ],
  ])('%s with %j is told with file and field', async (flag, content, told) => {
    const path = fileWith('wrong.json', content)
    const message = await usageError(flag, path)
    expect(message).toContain(path)
    expect(message).toContain(told)
    expect(message).not.toContain('secret-7')
  })

  test('that cannot be read end with 2 and are named', async () => {
    const path = join(folder, 'nothing.json')
    for (const flag of ['--users', '--keys']) {
      expect(await usageError(flag, path)).toMatch(new RegExp(`^${flag}: ENOENT.*nothing.json`))
    }
    const { status, stderr } = await run(process.execPath, [...commandArguments, '--users', path])
    expect(status).toBe(2)
    expect(stderr.split('\n')[0]).toContain(path)
  })
})

async function usageError(...args: readonly string[]): Promise<string> {
  const error: unknown = await readCommandLine(args).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UsageError)
  return error instanceof UsageError ? error.message : ''
}

test.each([
  ['--prot', '--port'],
  ['--user', '--users'],
  ['--key', '--keys'],
  ['--HOST', '--host'],
])('%s is told with the nearest known flag, without its value', async (flag, nearest) => {
  const message = `${flag} is not known; did you mean ${nearest}?`
  expect(await usageError(flag, 'secret-7')).toBe(message)
  expect(await usageError(`${flag}=secret-7`)).toBe(message)
})

test('a flag that is like none is told with all that there are', async () => {
  const message =
    '--verbose is not known; the flags are --port, --host, --region, --users, --keys, --help'
  expect(await usageError('--verbose')).toBe(message)
})

test('-h is short for --help', async () => {
  expect(await readCommandLine(['-h'])).toEqual({ kind: 'help' })
})

test.each([
  ['--prot', ['--prot', '1']],
  ['--port', ['--port', 'http']],
  ['--port', ['--port', '65536']],
  ['--port', ['--port']],
  ['--host', ['--host', '']],
  ['--region', ['--region', 'a b']],
  ['--users', ['--users']],
  ['extra', ['extra']],
])('a wrong %s ends with 2 and is named', async (named, args) => {
  const { status, stderr, stdout } = await run(process.execPath, [...commandArguments, ...args])
  expect(status).toBe(2)
  expect(stderr.split('\n')[0]).toContain(named)
  expect(stdout).toBe('')
})

test('a port that is taken ends with 1 and says so', async () => {
  const { server } = await listening()
  const { status, stderr } = await run(process.execPath, [
    ...commandArguments,
    '--port',
    server.url.port,
  ])
  expect(status).toBe(1)
  expect(stderr).toMatch(/EADDRINUSE.*; --port 0 takes a free port/)
})

test('each request is logged with its verification, and no line holds a secret', async () => {
  const { child, url } = await startCommand()
  let log = ''
  child.stdout.on('data', (text: Buffer) => (log += text.toString())).resume()
  const [{ username, password }] = defaultUsers
  const [apiKey] = defaultApiKeys
  const { host } = new URL(url)
  const amzDate = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '')
  const signed = (input: SignInput) =>
    send(new URL(url), sign({ host, amzDate, key: apiKey, method: 'PUT', ...input }))
  const login = (secret: string) =>
    fetch(new URL('/user/login', url), {
      method: 'POST',
      headers: loginHeaders,
      body: JSON.stringify({ Username: username, Password: secret }),
    })
  const { Token } = readLogin(await (await login(password)).json())
  await login('a-wrong-password')
  await fetch(new URL('/user/groups', url), {
    headers: { 'x-svc-route-token': 'login', 'x-svc-security-token': Token },
  })
  await fetch(new URL('/user/groups', url), { headers: { 'x-svc-security-token': 'no-token' } })
  await signed({ target: '/V1/a%20b', body: 'the body' })
  const wrong = { accessKeyId: 'a-secret-in-its-place', secretAccessKey: 'x' }
  await signed({ target: '/V1/a?b=the-query', canonicalQuery: 'b=the-query', key: wrong })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const target = `http://user:userinfo@h/V1/%1b${'x'.repeat(9000)}`
  socket.write(`GET ${target} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n`)
  await once(socket.resume(), 'close')
  await vi.waitUntil(() => log.trimEnd().split('\n').length === 7, 30_000)
  const lines = log.trimEnd().split('\n')
  expect(lines.slice(0, 6)).toEqual([
    `POST /user/login 200: logged in ${username}`,
    'POST /user/login 401: refused, InvalidCredentials',
    `GET /user/groups 200: verified the token of ${username}`,
    'GET /user/groups 401: refused, MalformedToken',
    `PUT /V1/a%20b 200: verified the signature of ${apiKey.accessKeyId}`,
    'PUT /V1/a 403: refused, InvalidAccessKeyId',
  ])
  expect(lines[6]).toMatch(/^GET \/V1\/%1bx+… 403: refused, AccessDenied$/)
  expect(lines[6]?.length).toBeLessThan(300)
  for (const secret of [
    password,
    'a-wrong-password',
    Token,
    'no-token',
    'the body',
    'the-query',
    'a-secret-in-its-place',
    apiKey.secretAccessKey,
    'userinfo',
    'Signature=',
  ]) {
    expect(log).not.toContain(secret)
  }
})

test(
  'it goes on when nobody reads what it logs, or its output is closed',
  { timeout: 120_000 },
  async () => {
    for (const isClosed of atNight([false, true], [true])) {
      const { child, url } = await startCommand()
      child.stdout.pause()
      if (isClosed) child.stdout.destroy()
      const path = `/V1/${'x'.repeat(150)}`
      for (let index = 0; index < 1500; index += 1) {
        expect((await fetch(new URL(path, url))).status).toBe(403)
      }
      expect(child.exitCode).toBe(null)
    }
  },
)
