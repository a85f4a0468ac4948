import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { hasOnPosix } from '../../../../../tests/support/needs.ts'
import { emptyFolder } from '../../support/folder.ts'
import { startPlainServer } from '../../support/plain-server.ts'
import { type Circumstances, runCommandLine, startService } from '../../support/run-command-line.ts'

const hasModes = hasOnPosix('modes of files, and no such devices')

async function fetchFrom(
  listener: RequestListener,
  argv: readonly string[],
  circumstances: Circumstances = {},
) {
  const { env } = await startPlainServer(listener)
  return runCommandLine(['fetch', ...argv, '/x'], { env, ...circumstances })
}

/** A body of 20 bytes of which only half is sent. */
const breakOff: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-length': 20, etag: '"1"' })
  response.write('0123456789', () => response.destroy())
}

test.runIf(hasModes)(
  '--output replaces a file when all is there, keeps its mode, and writes through a link',
  async () => {
    const folder = await emptyFolder()
    const file = join(folder, 'report.csv')
    writeFileSync(file, 'old')
    chmodSync(file, 0o640)
    symlinkSync(file, join(folder, 'link'))
    const argv = ['-o', join(folder, 'link')]
    const outcome = await fetchFrom((_request, response) => response.end('new'), argv)
    expect(outcome).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder).toSorted()).toEqual(['link', 'report.csv'])
  },
)

test('a response that breaks off is an error, and leaves the file that was there', async () => {
  const folder = await emptyFolder()
  const file = join(folder, 'a')
  writeFileSync(file, 'old')
  const { exitCode, stdout, stderr } = await fetchFrom(breakOff, ['-o', file])
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
  expect(stderr).toMatch(
    /^svc-auth: GET http:\S+\/x: the connection broke while the response came \(.*\)\n$/,
  )
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['a'])
})

test('a response that breaks off on standard output is an error too', async () => {
  const { exitCode, stdout } = await fetchFrom(breakOff, [])
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '0123456789' })
})

test('an error response is printed, and never takes the place of the file', async () => {
  const folder = await emptyFolder()
  const file = join(folder, 'a')
  writeFileSync(file, 'old')
  const { env } = await startService()
  const outcome = await runCommandLine(['fetch', '-o', file, '/V1/none?secret=1'], { env })
  expect(outcome.exitCode).toBe(1)
  expect(outcome.stdout).toContain('<Code>NoSuchKey</Code>')
  expect(outcome.stderr).toBe(
    `svc-auth: GET ${env['SVC_AUTH_BASE_URL']}/V1/none: the service responded 404 Not Found\n`,
  )
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['a'])
})

test('--fail prints nothing of an error but one line', async () => {
  const { env } = await startService()
  const outcome = await runCommandLine(['fetch', '-fi', '/V1/none'], { env })
  expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
  expect(outcome.stderr.match(/\n/g)).toHaveLength(1)
})

test('a refused signature comes with a hint, and shows nothing of it', async () => {
  const { env } = await startService()
  const outcome = await runCommandLine(['fetch', '-f', '/V1/a'], {
    env: { ...env, SVC_AUTH_SECRET_ACCESS_KEY: 'wrong-secret' },
  })
  expect(outcome.exitCode).toBe(1)
  expect(outcome.stderr).toMatch(/403 Forbidden; if it is the signature, svc-auth diagnose .*\n$/)
  expect(outcome.stderr).not.toMatch(/wrong-secret|Signature=|EMULATORCLIENTKEY/)
})

test('--include prints the head on standard output, and the file has the body alone', async () => {
  const file = join(await emptyFolder(), 'a')
  const outcome = await fetchFrom(
    (_request, response) => {
      response.writeHead(200, { 'x-one': ['1', '2'] })
      response.end('body')
    },
    ['-i', '-o', file],
  )
  expect(outcome.stdout).toMatch(/^HTTP\/1\.1 200 OK\r\nx-one: 1\r\nx-one: 2\r\n/)
  expect(outcome.stdout).toMatch(/\r\n\r\n$/)
  expect(readFileSync(file, 'utf8')).toBe('body')
})

test('--head prints the head of the response', async () => {
  const { env } = await startService()
  await runCommandLine(['fetch', '-T', '-', '/V1/a'], { env, input: 'hello' })
  const { exitCode, stdout } = await runCommandLine(['fetch', '-I', '/V1/a'], { env })
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*content-length: 5\r\n[^]*\r\n\r\n$/)
})

test('--range gets a part, and the range is signed', async () => {
  const { emulator, env } = await startService()
  await runCommandLine(['fetch', '-T', '-', '/V1/a'], { env, input: '0123456789' })
  const outcome = await runCommandLine(['fetch', '-r', '-3', '/V1/a'], { env })
  expect(outcome).toEqual({ exitCode: 0, stdout: '789', stderr: '' })
  expect(emulator.requests.at(-1)?.auth.signedHeaders).toContain('range')
})

test('a body that is stored compressed comes as it is', async () => {
  const gzipped = gzipSync('hello')
  const listener: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': gzipped.byteLength })
    response.end(gzipped)
  }
  const file = join(await emptyFolder(), 'a.gz')
  expect(await fetchFrom(listener, ['-o', file])).toMatchObject({ exitCode: 0 })
  expect(readFileSync(file)).toEqual(gzipped)
})

test('a redirect is told and not followed', async () => {
  const { emulator, env } = await startService()
  await runCommandLine(['fetch', '-T', '-', '/V1/b'], { env, input: 'hello' })
  emulator.fault({ path: '/V1/a', redirect: { to: '/V1/b' } })
  const terminal = await runCommandLine(['fetch', '/V1/a'], { env, isTerminal: true })
  expect(terminal).toMatchObject({ exitCode: 0, stdout: '' })
  expect(terminal.stderr).toBe(
    `svc-auth: GET ${env['SVC_AUTH_BASE_URL']}/V1/a: 307 leads to ${env['SVC_AUTH_BASE_URL']}/V1/b; ask for that in its place\n`,
  )
  const silent = await runCommandLine(['fetch', '-fsS', '/V1/a'], { env, isTerminal: true })
  expect(silent).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})

test('a redirect to another origin gets neither a credential nor a request', async () => {
  let requests = 0
  const other = await startPlainServer((_request, response) => {
    requests += 1
    response.end()
  })
  const { emulator, env } = await startService()
  emulator.fault({ redirect: { to: `${other.origin}/x?secret=1` } })
  const argv = ['fetch', '-o', join(await emptyFolder(), 'a'), '/V1/a']
  const { exitCode, stdout, stderr } = await runCommandLine(argv, { env })
  expect({ exitCode, stdout, requests }).toEqual({ exitCode: 1, stdout: '', requests: 0 })
  expect(stderr).toContain(
    `307 leads to ${other.origin}/x; that is not the service of the base URL\n`,
  )
  expect(stderr).not.toContain('secret')
})

test('binary is not printed on a terminal, unless --output - asks for it', async () => {
  const listener: RequestListener = (_request, response) => response.end(Buffer.from([1, 0, 2]))
  const outcome = await fetchFrom(listener, [], { isTerminal: true })
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' })
  expect(outcome.stderr).toContain('--output <file> saves it, --output - prints it all the same')
  const asked = await fetchFrom(listener, ['-o', '-'], { isTerminal: true })
  expect(asked).toMatchObject({ exitCode: 0, stdout: '\u0001\0\u0002' })
  expect(await fetchFrom(listener, [])).toMatchObject({ exitCode: 0, stdout: '\u0001\0\u0002' })
})

test('JSON is readable on a terminal, and as it came elsewhere', async () => {
  const json = '{"id":12345678901234567890.10,"a":[]}'
  const listener: RequestListener = (_request, response) => {
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.end(json)
  }
  expect(await fetchFrom(listener, [])).toMatchObject({ stdout: json })
  const { env } = await startPlainServer(listener)
  const plain = { env: { ...env, NO_COLOR: '1' }, isTerminal: true }
  expect(await runCommandLine(['fetch', '/x'], plain)).toMatchObject({
    stdout: '{\n  "id": 12345678901234567890.10,\n  "a": []\n}\n',
  })
})

test('--max-time ends a service that does not respond', async () => {
  const { exitCode, stderr } = await fetchFrom(() => {}, ['-m', '0.02'])
  expect(exitCode).toBe(3)
  expect(stderr).toMatch(/^svc-auth: GET \S+\/x took longer than --max-time 0\.02 s\n$/)
})

test('--max-time ends a login that hangs', async () => {
  const { env } = await startPlainServer(() => {})
  const user = { SVC_AUTH_USERNAME: 'me', SVC_AUTH_PASSWORD: 'hidden', SVC_AUTH_KEYRING: 'off' }
  const outcome = await runCommandLine(['fetch', '-m', '0.3', '/user/groups'], {
    env: { ...env, ...user },
  })
  expect(outcome.exitCode).toBe(3)
  expect(outcome.stderr).toContain('took longer than --max-time 0.3 s')
})

test('Ctrl-C ends a request that waits, and leaves no file', async () => {
  const folder = await emptyFolder()
  const interruption = new AbortController()
  const { exitCode, stderr } = await fetchFrom(
    () => interruption.abort(),
    ['-o', join(folder, 'a')],
    { signal: interruption.signal },
  )
  expect(exitCode).toBe(130)
  expect(stderr).toMatch(/^svc-auth: interrupted; GET \S+\/x was not completed\n$/)
  expect(readdirSync(folder)).toEqual([])
})

test('--verbose tells of requests, responses and logins without a secret', async () => {
  const { emulator, env } = await startService()
  emulator.revokeTokens()
  const groups = await runCommandLine(['fetch', '-v', '/user/groups?token=abcdef'], { env })
  const object = await runCommandLine(['fetch', '-v', '-d', 'a-secret-body', '/V1/a'], { env })
  const told = groups.stderr + object.stderr
  expect(told).toContain('> GET /user/groups?token=[redacted] HTTP/1.1\n')
  expect(told).toContain('> x-svc-security-token: [redacted]\n')
  // The session that commands share logs in by way of another one, of this very password.
  expect(told.match(/^\* login\.\w+/gm)).toEqual(['* login.start', '* login.ok'])
  expect(told).toMatch(/> authorization: AWS4-HMAC-SHA256 Credential=.* Signature=\[redacted\]\n/)
  expect(told).toContain('< 200\n')
  expect(told).not.toMatch(/abcdef|a-secret-body|not-a-secret|eyJ|Signature=[\da-f]/)
})

test.runIf(hasModes)('a device gets what comes, and nothing is put in its place', async () => {
  const outcome = await fetchFrom((_request, response) => response.end('new'), ['-o', '/dev/null'])
  expect(outcome).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(statSync('/dev/null').isFile()).toBe(false)
})

test.runIf(existsSync('/dev/full'))('a full disk is an error that names the file', async () => {
  const outcome = await fetchFrom((_request, response) => response.end('new'), ['-o', '/dev/full'])
  expect(outcome).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'svc-auth: --output /dev/full cannot be written (ENOSPC); make room on the disk\n',
  })
})

test('a redirect that is not followed leaves the file, and is no success', async () => {
  const file = join(await emptyFolder(), 'a')
  writeFileSync(file, 'old')
  const outcome = await fetchFrom(
    (_request, response) => {
      response.writeHead(302, { location: '/y' }).end('elsewhere')
    },
    ['-o', file],
  )
  expect(outcome).toMatchObject({ exitCode: 1, stdout: 'elsewhere' })
  expect(outcome.stderr).toContain('/y; ask for that in its place\n')
  expect(readFileSync(file, 'utf8')).toBe('old')
})

test('a file that has not changed stays', async () => {
  const file = join(await emptyFolder(), 'a')
  writeFileSync(file, 'old')
  const outcome = await fetchFrom(
    (_request, response) => {
      response.writeHead(304, { 'content-length': 3 }).end()
    },
    ['-H', 'If-None-Match: "1"', '-o', file],
  )
  expect(outcome).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(readFileSync(file, 'utf8')).toBe('old')
})
