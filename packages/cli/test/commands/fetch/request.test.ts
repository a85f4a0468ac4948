import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyFolder } from '../../support/folder.ts'
import { startPlainServer } from '../../support/plain-server.ts'
import { runCommand } from '../../support/run-command.ts'
import { runCommandLine, startService } from '../../support/run-command-line.ts'

/** Starts a service that returns what it was sent. */
async function startEcho(path?: string) {
  return startPlainServer((request, response) => {
    const { method, url, rawHeaders } = request
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const names = rawHeaders.filter((_text, index) => index % 2 === 0)
      const values = rawHeaders.filter((_text, index) => index % 2 === 1)
      const headers = names.map((name, index) => [name.toLowerCase(), values[index]])
      const body = Buffer.concat(chunks).toString('latin1')
      response.end(JSON.stringify({ method, url, headers: Object.fromEntries(headers), body }))
    })
  }, path)
}

interface Echo {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

async function echo(argv: readonly string[], input = ''): Promise<Echo> {
  const { env } = await startEcho()
  const { exitCode, stdout, stderr } = await runCommandLine(['fetch', ...argv], { env, input })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return JSON.parse(stdout)
}

test('a token is sent below /user, and a signature elsewhere', async () => {
  const { emulator, env } = await startService()
  const groups = await runCommandLine(['fetch', '/user/groups'], { env })
  expect(groups).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(groups.stdout)).toHaveLength(2)
  const put = await runCommandLine(['fetch', '-T', '-', '/V1/a'], { env, input: 'hello' })
  expect(put).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  const got = await runCommandLine(['fetch', 'V1/a'], { env })
  expect(got).toEqual({ exitCode: 0, stdout: 'hello', stderr: '' })
  expect(emulator.requests.map(({ auth }) => auth)).toMatchObject([
    {},
    { scheme: 'token', ok: true },
    { scheme: 'sigv4', ok: true },
    { scheme: 'sigv4', ok: true },
  ])
})

test('the base URL may have a path, also for a signed file', async () => {
  const { env } = await startEcho('/api')
  const { stdout } = await runCommandLine(['fetch', '/V1/a?b=c'], { env })
  expect(JSON.parse(stdout)).toMatchObject({ url: '/api/V1/a?b=c' })
})

describe('the method', () => {
  test.each([
    [['/x'], 'GET'],
    [['-d', 'a=1', '/x'], 'POST'],
    [['--json', '{}', '/x'], 'POST'],
    [['-T', '-', '/x'], 'PUT'],
    [['-X', 'delete', '/x'], 'DELETE'],
    [['-XPATCH', '-d', 'a', '/x'], 'PATCH'],
    [['-X', 'PROPFIND', '/x'], 'PROPFIND'],
  ])('of %j is %s', async (argv, method) => {
    expect(await echo(argv)).toMatchObject({ method })
  })
})

describe('headers', () => {
  test('are few by default', async () => {
    const { headers } = await echo(['/x'])
    expect(headers).toMatchObject({
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'svc-auth',
    })
    expect(headers).not.toHaveProperty('content-type')
  })

  test('of the user replace those of the program, come from files, may be empty or left out', async () => {
    const file = join(await emptyFolder(), 'headers')
    writeFileSync(file, 'X-From-File: yes\r\n\nX-Other:  two words \n')
    const argv = ['-H', 'Accept: text/csv', '-H', 'X-Empty;', '-H', 'User-Agent:', '-H', `@${file}`]
    const { headers } = await echo([...argv, '/x'])
    expect(headers).toMatchObject({
      accept: 'text/csv',
      'x-empty': '',
      'x-from-file': 'yes',
      'x-other': 'two words',
    })
    expect(headers).not.toHaveProperty('user-agent')
  })

  test.each([['no-colon-secret'], ['Bad Name: secret'], ['X-Empty; secret'], [': secret']])(
    '%j is no header, and is not quoted',
    async (line) => {
      const { env } = await startEcho()
      const { exitCode, stderr } = await runCommandLine(['fetch', '-H', line, '/x'], { env })
      expect(exitCode).toBe(2)
      expect(stderr).toMatch(/^svc-auth: --header must be "Name: value"/)
      expect(stderr).not.toContain('secret')
    },
  )

  test('an Authorization of the user is an error, and is not shown', async () => {
    const { env } = await startEcho()
    const argv = ['fetch', '-H', 'Authorization: Bearer abcdef', '/x']
    const { exitCode, stderr } = await runCommandLine(argv, { env })
    expect(exitCode).not.toBe(0)
    expect(stderr).toMatch(/authorization/i)
    expect(stderr).not.toContain('abcdef')
  })
})

describe('a body', () => {
  test('of --data is a form, several are joined by &, and a file is sent as it is', async () => {
    const file = join(await emptyFolder(), 'data')
    writeFileSync(file, 'b=2\r\nc=3\n')
    const sent = await echo(['-d', 'a=1', '-d', `@${file}`, '-d', '@-', '/x'], 'd=4')
    expect(sent.body).toBe('a=1&b=2\r\nc=3\n&d=4')
    expect(sent.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '17',
    })
  })

  test('of --data-raw may begin with @', async () => {
    expect(await echo(['--data-raw', '@x', '/x'])).toMatchObject({ body: '@x' })
  })

  test('of --json is JSON, and asks for JSON', async () => {
    const sent = await echo(['--json', '{"a":', '--json', '1}', '/x'])
    expect(sent.body).toBe('{"a":1}')
    expect(sent.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
    })
  })

  test('may be empty', async () => {
    const sent = await echo(['-d', '', '/x'])
    expect(sent).toMatchObject({ method: 'POST', body: '', headers: { 'content-length': '0' } })
  })

  test('of a file is signed, has its length, and gets the name of the file below a folder', async () => {
    const { emulator, env } = await startService()
    const file = join(await emptyFolder(), 'a report.csv')
    writeFileSync(file, 'x'.repeat(300_000))
    const { exitCode } = await runCommandLine(['fetch', '-T', file, '/V1/'], { env })
    expect(exitCode).toBe(0)
    const [request] = emulator.requests
    expect(request).toMatchObject({ method: 'PUT', auth: { ok: true } })
    expect(request?.headers['x-amz-content-sha256']).toMatch(/^[\da-f]{64}$/)
    expect(request?.headers['content-length']).toBe('300000')
    const got = await runCommandLine(['fetch', '/V1/a%20report.csv'], { env })
    expect(got.stdout).toHaveLength(300_000)
  })

  test('of a file is sent once more if the clock was wrong', async () => {
    const { emulator, env } = await startService()
    emulator.fault({ skewMs: 3_600_000 })
    const file = join(await emptyFolder(), 'a')
    writeFileSync(file, 'hello')
    const { exitCode } = await runCommandLine(['fetch', '-T', file, '/V1/a'], { env })
    expect(exitCode).toBe(0)
    expect(emulator.requests.map(({ auth }) => auth.ok)).toEqual([false, true])
  })

  test('of a pipe beyond 8 MiB is signed with its length too', async () => {
    const { emulator, env } = await startService()
    const input = Buffer.alloc(9 * 1024 * 1024, 'pipe')
    const { exitCode } = await runCommandLine(['fetch', '-T', '-', '/V1/a'], { env, input })
    expect(exitCode).toBe(0)
    const { headers } = emulator.requests[0] ?? {}
    expect(headers?.['content-length']).toBe(String(input.byteLength))
    expect(headers?.['x-amz-content-sha256']).toMatch(/^[\da-f]{64}$/)
  })

  test('of a pipe is sent as it comes if its length is told', async () => {
    const { emulator, env } = await startService()
    const argv = ['fetch', '-T', '-', '-H', 'Content-Length: 5', '/V1/a']
    expect(await runCommandLine(argv, { env, input: 'hello' })).toMatchObject({ exitCode: 0 })
    const { headers } = emulator.requests[0] ?? {}
    expect(headers?.['content-length']).toBe('5')
    expect(headers?.['x-amz-content-sha256']).toBe('UNSIGNED-PAYLOAD')
  })

  test('of a pipe that is longer or shorter than it tells is an error', async () => {
    const { env } = await startEcho()
    for (const length of ['4', '6']) {
      const argv = ['fetch', '-T', '-', '-H', `Content-Length: ${length}`, '/x']
      const { exitCode, stdout } = await runCommandLine(argv, { env, input: 'hello' })
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    }
  })

  test('that the service does not want to read to its end is an error that says so', async () => {
    const { env } = await startPlainServer((request) => {
      request.once('data', () => request.socket.resetAndDestroy())
    })
    const file = join(await emptyFolder(), 'large')
    writeFileSync(file, 'x'.repeat(4 * 1024 * 1024))
    const { exitCode, stderr } = await runCommandLine(['fetch', '-T', file, '/x?secret=1'], { env })
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(
      /^svc-auth: PUT \S+\/x: the service ended the connection while the body was sent \((?:EPIPE|ECONNRESET)\); .*\n$/,
    )
  })

  test('that changes while it is sent is an error that names the file', async () => {
    const file = join(await emptyFolder(), 'growing.log')
    writeFileSync(file, 'x'.repeat(4 * 1024 * 1024))
    const { env } = await startPlainServer((request, response) => {
      // Read once it has changed.
      request.once('readable', () => {
        writeFileSync(file, 'more', { flag: 'a' })
        request.resume()
        request.on('end', () => response.end())
      })
    })
    const { exitCode, stderr } = await runCommandLine(['fetch', '-T', file, '/x'], { env })
    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      `svc-auth: --upload-file ${file} was changed while it was sent; send it again once it is complete\n`,
    )
  })
})

describe('a command line that contradicts itself is an error before anything is sent', () => {
  test.each([
    [
      ['-d', 'a', '-T', 'b'],
      'only one of --data, --data-binary, --data-raw, --json, --upload-file',
    ],
    [['-I', '-d', 'a'], '--head sends HEAD'],
    [['-I', '-X', 'GET'], '--head sends HEAD'],
    [['-X', 'CONNECT'], '--request must be a method'],
    [['-X', 'A B'], '--request must be a method'],
    [['-T', '/does/not/exist'], '--upload-file /does/not/exist cannot be read (ENOENT)'],
    [['-T', '/'], '--upload-file / is a folder'],
    [['-d', '@'], '--data @: the file has no name'],
    [['-d', '@-', '-d', '@-'], '--data @-: the standard input is already read for --data @-'],
    [['-H', '@-', '-T', '-'], 'standard input can be read only once'],
    [['-r', 'first'], '--range must be a range'],
    [['-C', '-', '-o', 'x'], "unknown option '-C'"],
    [['--continue', '-o', 'x'], "unknown option '--continue'"],
    [['-O', '-o', 'x'], '--output and --remote-name both name the file'],
    [['-o', '/'], '--output / is a folder'],
    [['-o', '/does/not/exist'], '--output /does/not/exist cannot be written (ENOENT)'],
    [['-m', '0'], '--max-time must be a number of seconds'],
    [['-d', 'abc', '-H', 'content-length: 2'], 'Content-Length must be the length of the body, 3'],
  ])('%j', async (argv, message) => {
    let requests = 0
    const { env } = await startPlainServer((_request, response) => {
      requests += 1
      response.end()
    })
    const { exitCode, stdout, stderr } = await runCommandLine(['fetch', ...argv, '/x'], { env })
    expect(stderr).toContain(`svc-auth: `)
    expect(stderr).toContain(message)
    expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: 0 })
  })

  test('--remote-name needs a name at the end of the path', async () => {
    const { env } = await startEcho()
    for (const path of ['/', '/V1/', '/V1/a%2Fb', '/V1/%5Cx']) {
      const { exitCode, stderr } = await runCommandLine(['fetch', '-O', path], { env })
      expect(exitCode).toBe(2)
      expect(stderr).toContain('--remote-name: the path does not end with the name of a file')
    }
  })
})

test('what is said of the response to an upload has lines of its own, behind its progress', async () => {
  const { env } = await startPlainServer((request, response) => {
    request.resume().on('end', () => response.writeHead(404).end())
  })
  const file = join(await emptyFolder(), 'a')
  writeFileSync(file, 'x'.repeat(300_000))
  let now = Date.now()
  const clock = (): number => (now += 700)
  const outside = { env, isTerminal: true, clock }
  const { stderr } = await runCommand(['fetch', '-T', file, '/x'], outside)
  expect(stderr).toContain(
    `(100 %)\u001B[K\nsvc-auth: PUT ${env['SVC_AUTH_BASE_URL']}/x: the service responded 404`,
  )
})
