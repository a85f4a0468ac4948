import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import type { IncomingMessage } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasOnPosix } from '../../../../tests/support/needs.ts'
import { emptyFolder } from '../support/folder.ts'
import { openEmulated, secretHeader, sendRaw } from '../support/open-proxy.ts'
import { startProcess } from '../support/start-proxy-process.ts'
import { proxySecret } from '../support/proxy-environment.ts'

const send = async (socketPath: string, path: string, headers = {}) => {
  const outgoing = request({ socketPath, path, headers })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: response.statusCode, text: (await response.toArray()).join('') }
}

const hasSockets = hasOnPosix('sockets that are files')

describe.runIf(hasSockets)('a Unix socket', () => {
  test('lets in whoever may use its file, and goes at the end', async () => {
    const path = join(await emptyFolder(), 'proxy.sock')
    const { url, end, notes } = await openEmulated({
      flags: ['--socket', path],
      env: { SVC_AUTH_PROXY_SECRET: '' },
    })
    expect(url).toBe(`unix:${path}`)
    expect((await lstat(path)).mode & 0o777).toBe(0o600)
    expect(await send(path, '/user/groups')).toMatchObject({ status: 200 })
    expect(notes()).not.toContain('x-svc-proxy-secret')
    expect(await send(path, '/V1/', { origin: 'http://a.example' })).toMatchObject({ status: 403 })
    expect(await send(path, '/V1/', { 'x-svc-proxy-secret': 'wrong' })).toMatchObject({
      status: 403,
    })
    await end()
    await expect(lstat(path)).rejects.toThrow('ENOENT')
  })

  test('that a killed proxy left behind is replaced', async () => {
    const path = join(await emptyFolder(), 'proxy.sock')
    const { child, ended } = await startProcess({
      baseUrl: 'http://127.0.0.1:1',
      flags: ['--socket', path],
    })
    child.kill('SIGKILL')
    await ended
    expect((await lstat(path)).isSocket()).toBe(true)
    await openEmulated({ flags: ['--socket', path] })
    expect(await send(path, '/V1/')).toMatchObject({ status: 200 })
  })

  test('of another process is left alone', async () => {
    const path = join(await emptyFolder(), 'other.sock')
    const other = createServer().listen(path)
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { exitCode, notes } = await openEmulated({ flags: ['--socket', path] })
    expect(await exitCode).toBe(2)
    expect(notes()).toContain('another process listens there')
  })

  test.each([
    ['a file', (path: string) => writeFile(path, 'kept')],
    ['a link', (path: string) => symlink('/nowhere', path)],
  ])('never takes the place of %s', async (_name, make) => {
    const path = join(await emptyFolder(), 'a')
    await make(path)
    const { exitCode, notes } = await openEmulated({ flags: ['--socket', path] })
    expect(await exitCode).toBe(2)
    expect(notes()).toContain('is no socket')
    expect((await lstat(path)).isSocket()).toBe(false)
  })

  test.each([0o755, 0o770, 0o701])(
    'is not made in a folder that others can use: %o',
    async (mode) => {
      const folder = join(await emptyFolder(), 'shared')
      await mkdir(folder)
      await chmod(folder, mode)
      const { exitCode, notes } = await openEmulated({ flags: ['--socket', join(folder, 'a')] })
      expect(await exitCode).toBe(2)
      expect(notes()).toContain('mkdir -m 700')
    },
  )
})

test.each([
  [['--port', '0', '--socket', '/a'], '--port and --socket exclude each other'],
  [['--port', '65536'], '--port "65536" is no number from 0 to 65535'],
  [['--port', '1e3'], '--port "1e3" is no number from 0 to 65535'],
  [['--json', '--quiet'], '--json and --quiet exclude each other'],
  [
    ['--socket', '/nowhere/at/all'],
    hasSockets ? 'there is no folder /nowhere/at' : 'Windows lacks',
  ],
  [
    ['--secret-file', '/nowhere/at/all'],
    '--secret-file /nowhere/at/all cannot be written (ENOENT)',
  ],
  [['--secret-file', '/'], '--secret-file / is there, and is none of a proxy'],
])('flags that are wrong end with 2 and are named: %j', async (flags, message) => {
  const { exitCode, notes } = await openEmulated({ flags })
  expect(await exitCode).toBe(2)
  expect(notes()).toContain(message)
})

test('a port that is taken ends with 2, and says how to take a free one', async () => {
  const { port } = await openEmulated()
  const { exitCode, notes } = await openEmulated({ flags: ['--port', String(port)] })
  expect(await exitCode).toBe(2)
  expect(notes()).toContain(`--port ${port} is taken by another process; --port 0 takes a free one`)
})

test('--secret-file has the header for curl, for the user alone, and the secret is shown nowhere', async () => {
  const file = join(await emptyFolder(), 'header')
  await writeFile(file, 'x-svc-proxy-secret: an older one', { mode: 0o644 })
  const { notes, url } = await openEmulated({
    flags: ['--secret-file', file],
    env: { SVC_AUTH_PROXY_SECRET: '' },
  })
  const [, secret = ''] =
    /^x-svc-proxy-secret: ([\w-]{43})\n$/.exec(await readFile(file, 'utf8')) ?? []
  // Windows has no modes.
  const mode = process.platform === 'win32' ? 0o600 : (await lstat(file)).mode & 0o777
  expect(mode).toBe(0o600)
  expect((await fetch(`${url}/V1/`, { headers: { 'x-svc-proxy-secret': secret } })).status).toBe(
    200,
  )
  expect(notes()).toContain(`-H @${file}`)
  expect(notes()).not.toContain(secret)
})

describe('the log', () => {
  test('has a line for each request, without its query or any secret', async () => {
    const { url, logged } = await openEmulated()
    await fetch(`${url}/V1/a`, { method: 'PUT', headers: secretHeader, body: 'hello' })
    await fetch(`${url}/V1/a?response-content-type=private`, { headers: secretHeader })
    await fetch(`${url}/user/groups`, { headers: secretHeader })
    await fetch(`${url}/V1/a`)
    const lines = await logged(4)
    expect(lines.map((line) => line.replace(/\d+ms/, 'ms'))).toEqual([
      'PUT /V1/a signature 200 ms 5B up 0B down',
      'GET /V1/a signature 200 ms 0B up 5B down',
      expect.stringMatching(/^GET \/user\/groups token 200 ms 0B up \d+B down$/),
      'GET /V1/a none 403 ms 0B up 0B down AccessDenied',
    ])
    expect(lines.join()).not.toContain(proxySecret)
  })

  test('shows nothing of a request target but its path, and no control characters', async () => {
    const { port, logged } = await openEmulated()
    const targets = [
      'http://user:password@a.example/b?c',
      'a.example:443',
      '/a\x1b[2J?b',
      '/\u009b',
    ]
    for (const target of targets) {
      const head = `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`
      await sendRaw(port, Buffer.from(head, 'latin1'))
    }
    const lines = await logged(1)
    expect(lines[0]).toMatch(/^GET - none 421 /)
    expect(lines.join('\n')).not.toMatch(/password|\?|[^ -~\n]/)
  })

  test('is JSON with --json, from the first line on', async () => {
    const { url, logged, first } = await openEmulated({ flags: ['--json'] })
    expect(JSON.parse(first())).toEqual({ listening: url })
    await fetch(`${url}/V1/a`)
    const [line = ''] = await logged(1)
    expect(JSON.parse(line)).toEqual({
      method: 'GET',
      path: '/V1/a',
      scheme: 'none',
      status: 403,
      ms: expect.any(Number),
      bytesUp: 0,
      bytesDown: 0,
      code: 'AccessDenied',
    })
  })

  test('is empty with --quiet', async () => {
    const { url, log, end } = await openEmulated({ flags: ['--quiet'] })
    await fetch(`${url}/V1/`, { headers: secretHeader })
    await end()
    expect(log()).toEqual([])
  })

  test('that nobody reads any more ends nothing', async () => {
    const { url, stdout } = await openEmulated()
    stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    for (let count = 0; count < 3; count += 1) {
      expect((await fetch(`${url}/V1/`, { headers: secretHeader })).status).toBe(200)
    }
  })
})

test('--secret-file takes the place of what a proxy wrote, and of no other file', async () => {
  const folder = await emptyFolder()
  const [own, other] = [join(folder, 'own'), join(folder, 'other')]
  await writeFile(own, 'x-svc-proxy-secret: of a proxy before\n')
  await writeFile(other, 'precious')
  const refused = await openEmulated({ flags: ['--secret-file', other] })
  expect(await refused.exitCode).toBe(2)
  expect(refused.notes()).toContain(`--secret-file ${other} is there, and is none of a proxy`)
  expect(await readFile(other, 'utf8')).toBe('precious')
  const { end } = await openEmulated({ flags: ['--secret-file', own] })
  expect(await readFile(own, 'utf8')).toMatch(/^x-svc-proxy-secret: (?!of a proxy)/)
  await end()
  expect(await readdir(folder)).toEqual(['other'])
})

test('--secret-file stays at the end where another proxy has written its own', async () => {
  const file = join(await emptyFolder(), 'header')
  const { end } = await openEmulated({ flags: ['--secret-file', file] })
  await writeFile(file, 'x-svc-proxy-secret: of another proxy\n')
  await end()
  expect(await readFile(file, 'utf8')).toBe('x-svc-proxy-secret: of another proxy\n')
})

test('a refused login is told in the words of the command, once, with those of the service', async () => {
  const { url } = await openEmulated({ env: { SVC_AUTH_PASSWORD: 'hunter2' } })
  const text = await (await fetch(`${url}/user/groups`, { headers: secretHeader })).text()
  expect(text).toContain('no credential could be added; POST http')
  expect(text).toContain('; the service says: ')
  expect(text.match(/pause until/g)).toHaveLength(1)
  expect(text).not.toMatch(/read error|not retried before|hunter2/)
})
