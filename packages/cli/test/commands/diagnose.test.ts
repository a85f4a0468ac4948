import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { startPlainServer } from '../support/plain-server.ts'
import { runCommandLine, startService } from '../support/run-command-line.ts'

/** Runs `diagnose --json` and reads what it prints. */
async function diagnose(
  argv: readonly string[],
  circumstances: Parameters<typeof runCommandLine>[1],
) {
  const line = ['diagnose', '--json', ...argv]
  const { exitCode, stdout, stderr } = await runCommandLine(line, circumstances)
  return { exitCode, stderr, report: stdout === '' ? undefined : JSON.parse(stdout) }
}

test('a request that is accepted exits with 0', async () => {
  const { emulator, env } = await startService()
  const put = ['diagnose', '-X', 'PUT', '-d', 'hello', '/V1/x']
  expect(await runCommandLine(put, { env })).toEqual({
    exitCode: 0,
    stdout: '200: the service accepted the signature.\n',
    stderr: '',
  })
  const missing = await runCommandLine(['diagnose', '/V1/none'], { env })
  expect(missing).toMatchObject({
    exitCode: 0,
    stdout:
      '404: the service accepted the signature; there is nothing at this path: check it, and the base URL.\n',
  })
  expect(emulator.requests).toHaveLength(2)
})

test.each([200, 404])('a %i of a server that may check no signature says so', async (status) => {
  const { env } = await startPlainServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<p>')
  })
  const { stdout } = await runCommandLine(['diagnose', '/V1/x'], { env })
  expect(stdout).toContain(`${status}: the service did not refuse the signature`)
  expect(stdout).toContain(
    'Nothing in the response shows that this server checks signatures: see if it gives the same without one.\n',
  )
})

test('an expired link names the flag of presign', async () => {
  const { env } = await startService()
  const { stdout: link } = await runCommandLine(['presign', '-e', '1', '/V1/x'], {
    env,
    now: Date.now() - 60_000,
  })
  const { stdout } = await runCommandLine(['diagnose', link.trim()], { env })
  expect(stdout).toContain('one that lasts longer (--expires, up to 7 days)')
})

test('the line that differs is shown with a mark below what differs', async () => {
  const { env } = await startService()
  const saved = [
    'HTTP/1.1 403 Forbidden',
    'content-type: application/xml',
    '',
    '<Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message><CanonicalRequest>GET',
    '/V1/x',
    'a=1&amp;b=3',
    'host:search.example.com',
    'x-amz-content-sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date:20260102T030405Z',
    '',
    'host;x-amz-content-sha256;x-amz-date',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855</CanonicalRequest></Error>',
  ].join('\n')
  const line = ['diagnose', '/V1/x?a=1&b=2', '--response', '-']
  const baseUrl = ['--base-url', 'https://search.example.com']
  const { exitCode, stdout } = await runCommandLine([...line, ...baseUrl], { env, input: saved })
  expect(exitCode).toBe(1)
  expect(stdout).toContain('Verdict: canonical-request\n')
  expect(stdout).toContain('query\n  ours    a=1&b=2\n  theirs  a=1&b=3\n                ^\n')
  expect(stdout).toContain('The server says: No.')
})

test('a long line is shown from shortly before it differs', async () => {
  const { emulator, env } = await startService()
  const value = 'v'.repeat(300)
  emulator.fault({
    status: 403,
    body: `<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>GET\n/V1/x\na=${value}2\nhost:x\n\nhost\nUNSIGNED-PAYLOAD</CanonicalRequest></Error>`,
  })
  const { stdout } = await runCommandLine(['diagnose', `/V1/x?a=${value}1`], { env })
  expect(stdout).toContain(`  ours    …${'v'.repeat(40)}1\n  theirs  …${'v'.repeat(40)}2\n`)
  expect(stdout).toContain(`\n           ${' '.repeat(40)}^\n`)
})

test('a wrong secret and a wrong region are told apart, with the flag that mends it', async () => {
  const { env } = await startService({ region: 'eu-west-1' })
  const secret = { ...env, SVC_AUTH_SECRET_ACCESS_KEY: 'another-secret' }
  const wrongSecret = await diagnose(['/V1/x'], { env: secret })
  expect(wrongSecret).toMatchObject({ exitCode: 1, report: { verdict: 'secret-or-key' } })
  expect(JSON.stringify(wrongSecret)).not.toContain('another-secret')
  const wrongRegion = await diagnose(['/V1/x', '--region', 'us-west-2'], { env })
  expect(wrongRegion).toMatchObject({
    exitCode: 1,
    report: {
      verdict: 'region',
      differences: [
        {
          line: 'region',
          ours: 'us-west-2',
          theirs: 'eu-west-1',
          hint: "Sign for the region 'eu-west-1': --region eu-west-1, or SVC_AUTH_REGION=eu-west-1.",
        },
      ],
    },
  })
})

test.each([
  ['InvalidRequest', 'This belongs to "es" and not to S3.'],
  ['ExpiredToken', 'The token has expired.'],
  ['SignatureDoesNotMatch', 'No.'],
  ['RequestTimeTooSkewed', 'The difference is too large.'],
  ['AuthorizationHeaderMalformed', "the region 'a' is wrong; expecting 'eu-west-1'"],
])('what is said of %s names no option of the library', async (code, message) => {
  const { emulator, env } = await startService()
  const body = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`
  emulator.fault({ status: 403, body, headers: { date: 'Fri, 02 Jan 2026 03:04:05 GMT' } })
  const { stdout } = await runCommandLine(['diagnose', '/V1/x'], { env })
  expect(stdout).toContain(code)
  expect(stdout).not.toMatch(/createSigV4Auth|auth, …|as a function|\boption\b|signHeaders/)
})

test('a server that quotes a thousand lines does not fill the screen', async () => {
  const { emulator, env } = await startService()
  const headers = Array.from({ length: 1000 }, (_, index) => `x-amz-meta-${index}:\u001b[2J\n`)
  const canonical = `GET\n/V1/x\n\nhost:x\n${headers.join('')}\nhost\nUNSIGNED-PAYLOAD`
  emulator.fault({
    status: 403,
    body: `<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>${canonical}</CanonicalRequest></Error>`,
  })
  const { stdout } = await runCommandLine(['diagnose', '/V1/x'], { env })
  expect(stdout.match(/^ {2}theirs /gm)).toHaveLength(12)
  expect(stdout).toMatch(/\nAnd \d+ more\.\n/)
  expect(stdout).not.toContain('\u001b')
})

test('a mark shows where two lines part', async () => {
  const { env } = await startService()
  const { stdout } = await runCommandLine(['diagnose', '/V1/x', '--region', 'us-west-1'], { env })
  expect(stdout).toContain('region\n  ours    us-west-1\n  theirs  us-east-1\n             ^\n')
})

test('a clock that is off is told with its distance, and the request is sent once', async () => {
  const { emulator, env } = await startService()
  const now = Date.now() - 3_600_000
  const { report } = await diagnose(['/V1/x'], { env, now })
  expect(report).toMatchObject({ verdict: 'clock' })
  expect(report.meaning).toMatch(
    /^403 RequestTimeTooSkewed: This clock is (?:1 h(?: 1 s)?|59 min 59 s) behind/,
  )
  expect(emulator.requests).toHaveLength(1)
})

test.each([
  ['with its head', (head: string, body: string) => `${head}\r\n\r\n${body}`],
  [
    'after the heads of a proxy and a 100',
    (head: string, body: string) =>
      `HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${head}\r\n\r\n${body}`,
  ],
  ['as its body alone', (_head: string, body: string) => body],
])('a response saved long ago %s is compared at its own date', async (_name, save) => {
  const { emulator, env } = await startService({ clock: () => Date.UTC(2026, 0, 2) })
  const signedAt = Date.UTC(2026, 0, 2)
  const signed = await runCommandLine(['sign', '--json', '/V1/x?a=1'], { env, now: signedAt })
  const { headers } = JSON.parse(signed.stdout)
  const response = await fetch(`${env['SVC_AUTH_BASE_URL']}/V1/x?a=2`, { headers })
  const saved = save(`HTTP/1.1 ${response.status}`, await response.text())
  const { exitCode, report } = await diagnose(['/V1/x?a=1', '--response', '-'], {
    env,
    input: saved,
    now: Date.UTC(2027, 0, 1),
  })
  expect(exitCode).toBe(1)
  expect(report).toMatchObject({
    status: 403,
    verdict: 'canonical-request',
    differences: [{ line: 'query', ours: 'a=1', theirs: 'a=2' }],
  })
  expect(emulator.requests).toHaveLength(1)
})

test('a saved response that is empty, or says that all is well, is told', async () => {
  const { env } = await startService()
  const line = ['/V1/x', '--response', '-']
  expect(await diagnose(line, { env, input: '\n' })).toMatchObject({
    exitCode: 2,
    stderr: 'svc-auth: --response -: the file is empty; save the response with curl -i\n',
  })
  expect(await diagnose(line, { env, input: 'HTTP/2 200 \r\n\r\nhello' })).toMatchObject({
    exitCode: 0,
    report: { outcome: 'accepted' },
  })
})

test('an expired session token is told with the time of the service', async () => {
  const { emulator, env } = await startService()
  const body = '<Error><Code>ExpiredToken</Code><Message>The token has expired.</Message></Error>'
  emulator.fault({ status: 400, body, headers: { date: 'Fri, 02 Jan 2026 03:04:05 GMT' } })
  const { report } = await diagnose(['/V1/x'], { env })
  expect(report).toMatchObject({
    verdict: 'secret-or-key',
    notes: expect.arrayContaining(["The service's clock is at Fri, 02 Jan 2026 03:04:05 GMT."]),
  })
})

test('a service that is busy says nothing about the signature', async () => {
  const { emulator, env } = await startService()
  emulator.fault({ status: 503, headers: { 'retry-after': '7' } })
  expect(await diagnose(['/V1/x', '--probe'], { env })).toMatchObject({
    exitCode: 1,
    report: {
      outcome: 'failed',
      meaning: '503: the service is busy or broken, which says nothing about the signature.',
      notes: ['It asks to wait: Retry-After is 7.'],
    },
  })
  expect(emulator.requests).toHaveLength(1)
})

test('a redirect to another origin is named and never followed', async () => {
  const { emulator, env } = await startService()
  let visits = 0
  const other = await listenOnLoopback(
    createServer((_request, response) => response.end(`${(visits += 1)}`)),
  )
  onTestFinished(other.close)
  emulator.fault({ redirect: { to: new URL('/elsewhere?secret=1', other.url) } })
  const { exitCode, report } = await diagnose(['/V1/x', '--probe'], { env })
  expect(exitCode).toBe(1)
  expect(report.notes).toContain(
    `It redirects to ${other.url.origin}, where nothing is sent: if that is the service, make it the base URL.`,
  )
  expect(visits).toBe(0)
})

test('a presigned link is sent as it is, and its end is told', async () => {
  const time = { now: Date.UTC(2026, 0, 2) }
  const { emulator, env } = await startService({ clock: () => time.now })
  const presigned = ['presign', '/V1/x', '--expires', '60']
  const { stdout } = await runCommandLine(presigned, { env, now: time.now })
  const link = stdout.trimEnd()
  expect(await diagnose([link], { env, now: time.now })).toMatchObject({ exitCode: 0 })
  time.now += 3_600_000
  const { exitCode, report } = await diagnose([link], { env, now: time.now })
  expect(exitCode).toBe(1)
  expect(report).toMatchObject({ verdict: 'clock', differences: [{ line: 'expiry' }] })
  expect(JSON.stringify(report)).not.toContain(new URL(link).searchParams.get('X-Amz-Signature'))
  expect(emulator.requests).toHaveLength(2)
  const probed = await diagnose([link, '--probe'], { env, now: time.now })
  expect(probed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('leave the X-Amz-') })
})

test('a key that no request can be signed with is told before anything is sent', async () => {
  const { emulator, env } = await startService()
  const secret = `${env['SVC_AUTH_SECRET_ACCESS_KEY']}\r\n`
  const outcome = await diagnose(['/V1/x'], { env: { ...env, SVC_AUTH_SECRET_ACCESS_KEY: secret } })
  expect(outcome).toEqual({
    exitCode: 2,
    stderr:
      'svc-auth: the secret access key ends with a blank or a line break: copy it again (it is from SVC_AUTH_SECRET_ACCESS_KEY)\n',
    report: undefined,
  })
  expect(emulator.requests).toHaveLength(0)
})

test('below /user, an accepted token, a refused one and a refused login are told apart', async () => {
  const { emulator, env } = await startService()
  expect(await diagnose(['/user/groups'], { env })).toMatchObject({
    exitCode: 0,
    report: { meaning: '200: the service accepted the token.' },
  })
  const fault = emulator.fault({ path: '/user/groups', status: 401 })
  expect(await diagnose(['/user/groups'], { env })).toMatchObject({
    exitCode: 1,
    report: { meaning: '401: the token was refused, and so was a new one.' },
  })
  fault.clear()
  emulator.fault({ path: '/user/groups', status: 403 })
  expect(await diagnose(['/user/groups'], { env })).toMatchObject({
    exitCode: 1,
    report: { meaning: '403: the service does not allow this request.' },
  })
  const wrong = { ...env, SVC_AUTH_PASSWORD: 'not-the-password' }
  const refused = await diagnose(['/user/groups'], { env: wrong })
  expect(refused).toMatchObject({ exitCode: 1, report: { outcome: 'refused', status: 401 } })
  expect(refused.report.meaning).toBe('The login was refused, so the request was not sent.')
  expect(refused.report.notes).toEqual([expect.stringContaining('/user/login')])
  expect(JSON.stringify(refused)).not.toContain('not-the-password')
})

test.each([
  [
    ['--probe', '--response', 'x', '/V1/x'],
    '--probe sends requests, and --response sends none; give one of them',
  ],
  [
    ['-X', 'PUT', '-d', '@-', '--response', '-', '/V1/x'],
    'standard input can be read only once; give a file for --response',
  ],
  [['--response', 'nowhere', '/V1/x'], '--response nowhere: the file does not exist'],
  [['--probe', '/user/groups'], '--probe varies signatures, and /user/groups takes a token'],
  [
    ['--probe', '-X', 'put', '-d', 'x', '/V1/x'],
    '--probe would send PUT up to 12 times: probe with GET',
  ],
])('%j is told in one line, and nothing is sent', async (argv, message) => {
  const { emulator, env } = await startService()
  const { exitCode, stderr } = await diagnose(argv, { env })
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `svc-auth: ${message}\n` })
  expect(emulator.requests).toHaveLength(0)
})

test.each([
  ['https://lambda.eu-west-1.amazonaws.com/x', 'lambda in eu-west-1'],
  ['https://bucket.s3.eu-west-1.amazonaws.com/x', 's3 in eu-west-1'],
  ['https://bucket.s3.us-east-1.amazonaws.com/x', undefined],
  ['https://bucket.s3.eu-west-1.amazonaws.com/x?X-Amz-Signature=00', undefined],
  ['https://bucket.s3.example.com/x', undefined],
])('a host of AWS that names another service or region is told: %s', async (url, scope) => {
  const { env } = await startService()
  const refused = '<Error><Code>SignatureDoesNotMatch</Code></Error>'
  const line = ['--base-url', new URL(url).origin, '--response', '-', url]
  const { exitCode, report } = await diagnose(line, { env, input: refused })
  expect(exitCode).toBe(1)
  const told = `The host names ${scope}, and the request is signed for s3 in us-east-1: --aws-profile signs for what the host names.`
  const notes = report.notes.filter((note: string) => note.startsWith('The host names'))
  expect(notes).toEqual(scope === undefined ? [] : [told])
})

test('a presigned link that is sent by another method says what it may be', async () => {
  const { env } = await startService()
  const { stdout } = await runCommandLine(['presign', '-X', 'PUT', '/V1/x'], { env })
  const { exitCode, report } = await diagnose([stdout.trim()], { env })
  expect(exitCode).toBe(1)
  expect(report).toMatchObject({ verdict: 'canonical-request', differences: [] })
  expect(report.meaning).toContain('This is not the URL that was presigned')
  expect(report.notes.join('\n')).toContain('signed for another method')
  expect(report.notes.join('\n')).toContain('this was sent as GET (-X names another)')
})

test('a server that shows no line has the secret named, and the probe once', async () => {
  const { emulator, env } = await startService()
  const body =
    '<Error><Code>SignatureDoesNotMatch</Code><Message>No match.</Message><Key>x</Key></Error>'
  emulator.fault({ status: 403, body })
  const { report } = await diagnose(['/V1/x'], { env })
  expect(report).toMatchObject({ verdict: 'unknown' })
  expect(report.meaning).toContain('The likeliest cause is a wrong secret.')
  expect(report.notes.filter((note: string) => note.includes('--probe'))).toEqual([
    '--probe tries the usual causes.',
  ])
  const saved = await diagnose(['/V1/x', '--response', '-'], { env, input: body })
  expect(saved.report.notes).toEqual(
    expect.arrayContaining([
      'svc-auth explain shows ours.',
      'Without --response, --probe tries the usual causes.',
    ]),
  )
})
