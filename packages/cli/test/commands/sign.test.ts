import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasOnPosix, hasProgram } from '../../../../tests/support/needs.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { emptyFolder } from '../support/folder.ts'
import { runCommandLine, startService } from '../support/run-command-line.ts'

const hasCurl =
  hasOnPosix('POSIX shell') && hasProgram('curl', ['curl', '--version'], 'apt-get install -y curl')

/** Pastes a line into a shell, with nothing of the user's own settings. */
function paste(line: string, folder?: string) {
  const plain = line.replace(/^curl /, "curl -q -sS --noproxy '*' -w '\\n%{http_code}' ")
  return run('sh', ['-c', plain], '', {}, folder)
}

test('sign prints headers with which the request is accepted', async () => {
  const { emulator, env, baseUrl } = await startService()
  const path = '/V1/a b/ü.txt?x=1&x=0&y'
  const { exitCode, stdout, stderr } = await runCommandLine(['sign', path], { env })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const headers = stdout
    .trimEnd()
    .split('\n')
    .map((line): [string, string] => {
      const [name = '', ...value] = line.split(': ')
      return [name, value.join(': ')]
    })
  await fetch(new URL(path, baseUrl), { headers })
  expect(emulator.requests[0]?.auth).toMatchObject({ scheme: 'sigv4', ok: true })
})

test('sign --json has the URL in the form in which it was signed', async () => {
  const { env, baseUrl } = await startService()
  const { stdout } = await runCommandLine(['sign', '--json', '/V1/a b?b=2&a=1'], { env })
  expect(JSON.parse(stdout)).toMatchObject({
    scheme: 'sigv4',
    method: 'GET',
    url: `${baseUrl}/V1/a%20b?a=1&b=2`,
    headers: { authorization: expect.stringContaining('AWS4-HMAC-SHA256 Credential=') },
  })
})

test('sign prints the token of a path below /user, and tells a terminal how long it is valid', async () => {
  const { emulator, env, baseUrl } = await startService()
  const { stdout, stderr } = await runCommandLine(['sign', 'user/groups', '--json'], {
    env,
    isTerminal: true,
  })
  expect(stderr).toMatch(/^svc-auth: the output holds a token, valid for (?:24 h|23 h 59 min):/)
  const { headers } = JSON.parse(stdout)
  const response = await fetch(`${baseUrl}/user/groups`, { headers })
  expect(response.status).toBe(200)
  expect(emulator.logins).toBe(1)
})

describe.skipIf(!hasCurl)('sign --curl', () => {
  const paths = [
    '/V1/plain.txt',
    "/V1/it's here/(x)!*,;=@$&+.txt",
    '/V1/a%2Fb//c%20d/ü/日本.txt',
    '/V1/[1-3]/{a,b}.txt',
    '/V1/x?b=2&a=1&a=0&empty&plus=a+b&percent=%25&quote=%27&ü=ü',
  ]

  test.each(paths)('is accepted for GET and HEAD %s', async (path) => {
    const { emulator, env } = await startService()
    for (const method of ['GET', 'HEAD']) {
      const { stdout } = await runCommandLine(['sign', '--curl', '-X', method, path], { env })
      const { stdout: printed, status } = await paste(stdout)
      expect({ status, code: printed.slice(-3) }).toEqual({ status: 0, code: '404' })
    }
    expect(emulator.requests.map(({ auth }) => auth.ok)).toEqual([true, true])
  })

  test.each([
    ['a text', 'it\'s $HOME `id` \\ "x"\n\nend\n'],
    ['a text that looks like a file', '@/etc/passwd'],
    ['nothing', ''],
  ])('sends %s from the command line as it is', async (_name, body) => {
    const { emulator, env } = await startService()
    // The shell of a script gives such a text as one word.
    const flags = body.startsWith('@') ? ['-d', '@-'] : ['-d', body]
    const line = ['sign', '--curl', '-X', 'PUT', ...flags, '/V1/x.txt']
    const { stdout } = await runCommandLine(line, { env, input: body })
    expect((await paste(stdout)).stdout.slice(-3)).toBe('200')
    const [request] = emulator.requests
    expect(Buffer.from(request?.body ?? '').toString()).toBe(body)
    expect(request?.auth).toMatchObject({ ok: true })
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded')
  })

  test('sends a file of bytes, with a name that needs quotes', async () => {
    const { emulator, env } = await startService()
    const folder = await emptyFolder()
    const bytes = Uint8Array.from({ length: 1024 }, (_, index) => index % 256)
    const file = join(folder, "a 'b' $c.bin")
    await writeFile(file, bytes)
    const flags = ['-X', 'PUT', '-H', 'content-type: application/octet-stream', '-d', `@${file}`]
    const { stdout } = await runCommandLine(['sign', '--curl', ...flags, '/V1/x.bin'], { env })
    expect((await paste(stdout, folder)).stdout.slice(-3)).toBe('200')
    const [request] = emulator.requests
    expect(Buffer.from(request?.body ?? '').equals(bytes)).toBe(true)
    expect(request?.headers['content-type']).toBe('application/octet-stream')
  })

  test('sends headers with quotes, blanks, UTF-8 and nothing in them', async () => {
    const { emulator, env } = await startService()
    const lines = [`x-amz-meta-a: it's  "a" \\ $b`, 'x-amz-meta-b: ü 日本', 'x-amz-meta-c;']
    const headers = lines.flatMap((line) => ['-H', line])
    const line = ['sign', '--curl', '-X', 'POST', ...headers, '/V1/x']
    const { stdout } = await runCommandLine(line, { env })
    expect((await paste(stdout)).stdout.slice(-3)).toBe('200')
    expect(emulator.requests[0]?.auth).toMatchObject({
      ok: true,
      signedHeaders: expect.arrayContaining(['x-amz-meta-a', 'x-amz-meta-b', 'x-amz-meta-c']),
    })
  })

  test('sends the token of the session, to a path with brackets of its own', async () => {
    const { emulator, env } = await startService()
    const line = ['sign', '--curl', '/user/groups/[1-3]?x={a,b}']
    const { stdout } = await runCommandLine(line, { env })
    expect(await paste(stdout)).toMatchObject({ status: 0, stderr: '' })
    const [, request] = emulator.requests
    expect(request).toMatchObject({
      path: '/user/groups/[1-3]',
      auth: { scheme: 'token', ok: true },
    })
  })

  test.each([
    ['no text', Uint8Array.of(255, 0)],
    ['too long for a shell', 'x'.repeat(100_001)],
  ])('asks for a file where a body is %s', async (_name, input) => {
    const { env } = await startService()
    const line = ['sign', '--curl', '-d', '@-', '/V1/x']
    const { exitCode, stderr } = await runCommandLine(line, { env, input })
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^svc-auth: --curl: a body .* needs a file: give --data @file\n$/)
  })

  test('reads its headers with curl -H @file', async () => {
    const { emulator, env, baseUrl } = await startService()
    const { stdout } = await runCommandLine(['sign', '-H', 'x-amz-meta-c;', '/V1/x'], { env })
    const folder = await emptyFolder()
    await writeFile(join(folder, 'headers'), stdout)
    await paste(`curl -H @headers '${baseUrl}/V1/x'`, folder)
    expect(emulator.requests[0]?.auth).toMatchObject({ ok: true })
  })
})

describe('wrong usage', () => {
  const base = 'https://search.example.com/api'
  const env = {
    SVC_AUTH_BASE_URL: base,
    SVC_AUTH_REGION: 'us-east-1',
    SVC_AUTH_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    SVC_AUTH_SECRET_ACCESS_KEY: 'not-a-secret',
  }

  test.each([
    [
      ['https://other.example.com/api/x?secret=1'],
      `https://other.example.com/api/x is not below the base URL ${base}; give a path below it, or another --base-url`,
    ],
    [
      ['/../x'],
      `https://search.example.com/x is not below the base URL ${base}; give a path below it, or another --base-url`,
    ],
    [
      ['https://me:pw@search.example.com/api/x'],
      'https://search.example.com/api/x must not contain a user name or a password; configure them instead',
    ],
    [['-H', 'secret value', '/x'], '--header must be "Name: value", "Name;" or "Name:"'],
    [
      ['-H', 'a: 1', '-H', 'b: 2\n3', '/x'],
      '--header number 2: the value of b has a line break or a control character',
    ],
    [['-X', 'G E T', '/x'], '--request must be a method such as GET, PUT or DELETE'],
    [['-X', 'GET', '-d', 'x', '/x'], '--data cannot be sent with GET; use --request POST'],
    [['-d', '@nowhere/x', '/x'], '--data @nowhere/x: the file does not exist'],
    [['-d', '@.', '/x'], '--data @.: the file is a folder'],
    [
      ['-d', '@-', '-H', '@-', '/x'],
      '--data @-: the standard input is already read for --header @-',
    ],
    [['--curl', '--json', '/x'], '--curl and --json are two forms of the output; give one of them'],
  ])('%j is told in one line', async (flags, message) => {
    const { exitCode, stdout, stderr } = await runCommandLine(['sign', ...flags], { env })
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `svc-auth: ${message}\n`,
    })
  })

  test('the line of a file of headers is named', async () => {
    const folder = await emptyFolder()
    const file = join(folder, 'headers.txt')
    await writeFile(file, 'a: 1\r\n\r\nsecret value\r\n')
    const { stderr } = await runCommandLine(['sign', '-H', `@${file}`, '/x'], { env })
    expect(stderr).toBe(
      `svc-auth: --header @${file}, line 3 must be "Name: value", "Name;" or "Name:"\n`,
    )
  })

  test('a path below /user with another path above it is no path of the token', async () => {
    const { stdout } = await runCommandLine(['sign', '--json', '/userx'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ scheme: 'sigv4', url: `${base}/userx` })
  })
})
