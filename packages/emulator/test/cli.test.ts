import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { commandArguments, startCommand } from './support/command.ts'
import { listening, loginHeaders, readLogin, send } from './support/emulator.ts'
import { sign, type SignInput } from './support/sign.ts'
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
  expect(stderr).toContain('EADDRINUSE')
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
  await vi.waitUntil(() => log.trimEnd().split('\n').length === 7)
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
    for (const isClosed of [false, true]) {
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
