import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder } from '../support/folder.ts'
import { runCommandLine, startService } from '../support/run-command-line.ts'

const now = Date.UTC(2026, 0, 2, 3, 4, 5)
const sessionToken = 'a-session-token-of-more-than-32-characters'
const apiKey = { accessKeyId: 'ASIAEXAMPLE', secretAccessKey: 'not-a-secret', sessionToken }

/** A user whose profile asks a program for a session key that ends in so many minutes. */
async function startUser(minutes: number) {
  const { emulator, baseUrl } = await startService({ apiKeys: [apiKey], clock: () => now })
  const home = await emptyFolder()
  const folder = join(home, '.config/svc-auth')
  await mkdir(folder, { recursive: true })
  const printed = JSON.stringify({
    Version: 1,
    AccessKeyId: apiKey.accessKeyId,
    SecretAccessKey: apiKey.secretAccessKey,
    SessionToken: sessionToken,
    Expiration: new Date(now + minutes * 60_000).toISOString(),
  })
  const program = join(home, 'key.mjs')
  const runs = join(home, 'runs')
  await writeFile(
    program,
    `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(runs)}, '.')\nconsole.log(${JSON.stringify(printed)})`,
  )
  const profile = {
    base_url: baseUrl,
    region: 'us-east-1',
    credential_process: [process.execPath, program],
  }
  const lines = Object.entries(profile).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}\n`,
  )
  await writeFile(join(folder, 'profiles.toml'), `[only]\n${lines.join('')}`, { mode: 0o600 })
  return { emulator, home, runs }
}

test('a link that would outlive its session key is said to end with it', async () => {
  const { emulator, home, runs } = await startUser(30)
  const short = await runCommandLine(['presign', '/V1/x', '--expires', '10m'], { home, now })
  expect(short).toMatchObject({ exitCode: 0, stderr: '' })
  // What prints the key may be slow.
  expect(await readFile(runs, 'utf8')).toBe('.')
  expect((await fetch(short.stdout.trimEnd())).status).toBe(404)
  const long = await runCommandLine(['presign', '/V1/x', '--expires', '1h'], { home, now })
  expect(long).toMatchObject({
    exitCode: 0,
    stderr:
      'svc-auth: the link is valid for 30 min, until 2026-01-02T03:34:05.000Z only, since the session key ends then\n',
  })
  expect(emulator.requests[0]?.auth).toMatchObject({ ok: true })
})

test('explain shortens the session token wherever it stands', async () => {
  const { home } = await startUser(60)
  for (const format of [[], ['--json']]) {
    const { stdout } = await runCommandLine(['explain', '/V1/x', ...format], { home, now })
    expect(stdout).toContain('x-amz-security-token:a-se… (42 characters)')
    expect(stdout).not.toContain(sessionToken)
  }
})

test.each([
  ['presign', '/V1/x'],
  ['explain', '/V1/x'],
  ['diagnose', '/V1/x'],
  ['diagnose', '--probe', '/V1/x'],
])('%s %s tells of a session key that is over, and when it ended', async (...argv) => {
  const { emulator, home } = await startUser(-90)
  const { exitCode, stdout, stderr } = await runCommandLine(argv, { home, now })
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      'svc-auth: the session key ASIAEXAMPLE expired at 2026-01-02T01:34:05.000Z, 1 h 30 min ago: get a new one\n',
  })
  expect(emulator.requests).toHaveLength(0)
})

test('a temporary key without its session token is told of', async () => {
  const { env } = await startService({ apiKeys: [apiKey] })
  const { exitCode, stdout } = await runCommandLine(['diagnose', '/V1/x'], { env })
  expect(exitCode).toBe(1)
  expect(stdout).toContain(
    'Look at the key: an access key ID that begins with ASIA is temporary and needs a session token.',
  )
})
