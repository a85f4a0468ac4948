import { expect, test } from 'vitest'
import { runCommandLine, startService } from '../support/run-command-line.ts'

const now = Date.UTC(2026, 0, 2, 3, 4, 5)

test('presign prints nothing but a link that is accepted', async () => {
  const { emulator, env } = await startService()
  const line = ['presign', '/V1/a b.txt?x=1', '--expires', '10m']
  const { exitCode, stdout, stderr } = await runCommandLine(line, { env })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(new URL(stdout.trimEnd()).searchParams.get('X-Amz-Expires')).toBe('600')
  await fetch(stdout.trimEnd())
  expect(emulator.requests[0]?.auth).toMatchObject({ ok: true })
})

test('presign binds the link to a method, a header and a body', async () => {
  const { emulator, env } = await startService()
  const flags = ['-X', 'PUT', '-H', 'x-amz-meta-a: ü', '-d', 'hello']
  const { stdout } = await runCommandLine(['presign', ...flags, '/V1/x'], { env })
  const headers = { 'x-amz-meta-a': Buffer.from('ü').toString('latin1') }
  const hash = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
  const put = (body: string) =>
    fetch(stdout.trimEnd(), {
      method: 'PUT',
      headers: { ...headers, 'x-amz-content-sha256': hash },
      body,
    })
  expect((await put('hello')).status).toBe(200)
  expect((await put('other')).status).toBe(400)
  expect((await fetch(stdout.trimEnd())).status).toBe(403)
  expect(emulator.requests).toHaveLength(3)
})

test.each([
  [[], '3600'],
  [['--expires', '600'], '600'],
  [['--expires', '90s'], '90'],
  [['--expires', '12h'], '43200'],
  [['--expires', '7d'], '604800'],
])('presign %j is valid for %s seconds', async (flags, seconds) => {
  const { env } = await startService()
  const { stdout } = await runCommandLine(['presign', '/V1/x', ...flags], { env })
  expect(new URL(stdout.trimEnd()).searchParams.get('X-Amz-Expires')).toBe(seconds)
})

test.each(['0', '8d', '604801', '-1', '1w', '1.5h', '', 'soon'])(
  'presign --expires %j is told with the limits',
  async (time) => {
    const { env } = await startService()
    const { exitCode, stderr } = await runCommandLine(['presign', '/V1/x', `--expires=${time}`], {
      env,
    })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr:
        'svc-auth: --expires must be a time such as 600 (seconds), 10m, 12h or 7d, from 1 second to 7 days\n',
    })
  },
)

test('presign tells a terminal when the link ends', async () => {
  const { env } = await startService()
  const { stderr } = await runCommandLine(['presign', '/V1/x'], { env, now, isTerminal: true })
  expect(stderr).toBe(
    'svc-auth: the link is valid for 1 h, until 2026-01-02T04:04:05.000Z; whoever has it can use it\n',
  )
})

test('presign says of a path below /user that it takes a token', async () => {
  const { emulator, env } = await startService()
  const { exitCode, stderr } = await runCommandLine(['presign', '/user/groups'], { env })
  expect(exitCode).toBe(2)
  expect(stderr).toBe(
    'svc-auth: /user/groups is below /user, where the service takes a token and no signature; svc-auth sign shows its headers\n',
  )
  expect(emulator.logins).toBe(0)
})

test.each([
  [
    'SVC_AUTH_ACCESS_KEY_ID',
    /^svc-auth: no API key: give --access-key-id, set SVC_AUTH_ACCESS_KEY_ID/,
  ],
  [
    'SVC_AUTH_SECRET_ACCESS_KEY',
    /^svc-auth: no secret of the access key EMULATORCLIENTKEY \(from SVC_AUTH_ACCESS_KEY_ID\): set/,
  ],
  ['SVC_AUTH_REGION', /^svc-auth: no region: give --region, set SVC_AUTH_REGION/],
])('presign says that %s is missing', async (name, message) => {
  const { env } = await startService()
  const { exitCode, stderr } = await runCommandLine(['presign', '/V1/x'], {
    env: { ...env, [name]: undefined },
  })
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(message)
})

test('presign says what is wrong with a key that was copied with a line break, and not the key', async () => {
  const { env } = await startService()
  const { exitCode, stderr } = await runCommandLine(['presign', '/V1/x'], {
    env: { ...env, SVC_AUTH_SECRET_ACCESS_KEY: 'secret\n' },
  })
  expect(exitCode).toBe(2)
  expect(stderr).toBe(
    'svc-auth: the secret access key ends with a blank or a line break: copy it again (it is from SVC_AUTH_SECRET_ACCESS_KEY)\n',
  )
})
