import { spawn } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { hasOnPosix } from '../../../../tests/support/needs.ts'
import { emptyFolder } from '../support/folder.ts'
import { platformDouble } from '../support/platforms.ts'
import { startPlainServer } from '../support/plain-server.ts'
import { memoryKeyring, runCommand } from '../support/run-command.ts'
import { startService } from '../support/run-command-line.ts'
import { cleanEnvironment, commandArguments } from '../support/run-process.ts'

const addProfile = [
  'profile',
  'add',
  'a',
  '--base-url',
  'https://a.example',
  '--access-key-id',
  'A',
]

test.each([
  ['off', 'SVC_AUTH_KEYRING=off switches the keyring off', 'no keyring that responds'],
  ['', 'this system has no keyring that responds', 'switches the keyring off'],
])('with SVC_AUTH_KEYRING=%j each command says why there is no keyring', async (...row) => {
  const [setting, reason, other] = row
  const env = { SVC_AUTH_KEYRING: setting, SVC_AUTH_USERNAME: 'reader' }
  const lines = [
    ['doctor'],
    addProfile,
    [...addProfile, '--secret-stdin'],
    ['login', '--save', '--base-url', 'https://a.example'],
  ]
  for (const argv of lines) {
    const { stdout, stderr } = await runCommand(argv, { env, stdin: 'a secret' })
    expect(`${argv.join(' ')}: ${stdout}${stderr}`).toContain(reason)
    expect(stdout + stderr).not.toContain(other)
  }
})

test.each([
  [403, 'responds with 403; the clocks agree; sent without credentials, as expected'],
  [200, 'responds with 200; the clocks agree; sent without credentials'],
])('doctor --online says what a %i without credentials means', async (status, says) => {
  const { env } = await startPlainServer((_request, response) => {
    response.writeHead(status).end()
  })
  const { stdout } = await runCommand(['doctor', '--online'], { env })
  expect(stdout).toMatch(new RegExp(`^ {2}service +${says}$`, 'm'))
})

test('removing a profile that is not there says which ones are', async () => {
  const home = await emptyFolder()
  const remove = () => runCommand(['profile', 'remove', 'x'], { home })
  expect((await remove()).stderr).toBe(
    'svc-auth: no profile is called "x"; there are none yet: see svc-auth profile list\n',
  )
  await runCommand(addProfile, { home })
  expect((await remove()).stderr).toBe(
    'svc-auth: no profile is called "x"; there are a: see svc-auth profile list\n',
  )
})

test('logging out says if there was a session', async () => {
  const { env } = await startService()
  const home = await emptyFolder()
  const name = env['SVC_AUTH_USERNAME']
  const logout = async () => (await runCommand(['logout'], { home, env })).stderr
  expect(await logout()).toBe(`${name} had no session on this machine\n`)
  await runCommand(['login'], { home, env })
  expect(await logout()).toBe(`The session of ${name} is forgotten on this machine\n`)
  // A password that was refused is no session.
  await runCommand(['login'], { home, env: { ...env, SVC_AUTH_PASSWORD: 'hunter2' } })
  expect(await logout()).toBe(`${name} had no session on this machine\n`)
})

test('a refused login names the user and the place of the password', async () => {
  const { env, baseUrl } = await startService()
  const { SVC_AUTH_PASSWORD: _password, ...own } = env
  const name = env['SVC_AUTH_USERNAME'] ?? ''
  const keyring = memoryKeyring()
  keyring.set(JSON.stringify(['password', baseUrl, name, '']), 'hunter2')
  const places = [
    ['SVC_AUTH_PASSWORD', { env: { ...env, SVC_AUTH_PASSWORD: 'hunter2' } }, ['token']],
    ['standard input', { env: own, stdin: 'hunter2' }, ['login', '--password-stdin']],
    ['the keyring', { env: own, keyring }, ['fetch', '/user/groups']],
  ] as const
  for (const [place, outside, argv] of places) {
    const home = await emptyFolder()
    // The second time nothing is sent.
    for (const status of ['returned status 401', 'was refused with status 401']) {
      const { exitCode, stderr } = await runCommand(argv, { home, ...outside })
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 1 })
      expect(stderr).toContain(status)
      expect(stderr).toContain(`; the user is ${name}, the password from ${place}`)
      expect(stderr).not.toContain('hunter2')
    }
  }
})

test('the help of token names both headers of a request', async () => {
  const { stdout } = await runCommand(['token', '--help'])
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /x-svc-security-token, beside x-svc-route-token: login/,
  )
  expect(stdout).not.toContain('TOKEN=')
})

test.runIf(hasOnPosix('modes of files'))(
  'a folder of profiles that nobody lets the user read names what to set',
  async () => {
    const home = await emptyFolder()
    const platform = platformDouble({ name: process.platform, home: () => home })
    const file = await platform.profilesFile()
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, '')
    await chmod(home, 0)
    // Root reads everything.
    const uid = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    const child = spawn(process.execPath, [...commandArguments, 'profile', 'list'], {
      env: { ...process.env, ...cleanEnvironment(home) },
      cwd: '/',
      ...uid,
    })
    const stderr = await text(child.stderr)
    await chmod(home, 0o700)
    expect(stderr).toBe(
      `svc-auth: ${file} cannot be read (EACCES): set ${platform.folderVariable('config')} to a folder that you can read\n`,
    )
  },
)
