import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasOnPosix } from '../../../../tests/support/needs.ts'
import { emptyFolder } from '../support/folder.ts'
import { runCommand } from '../support/run-command.ts'
import { startService } from '../support/run-command-line.ts'

const hasReasons = hasOnPosix('such reasons why a folder cannot be made')

/** A service, and a home in which nobody can make a folder: not even root below a file. */
async function startHomeless() {
  const { emulator, env } = await startService()
  const home = join(await emptyFolder(), 'file')
  await writeFile(home, '')
  const { SVC_AUTH_PASSWORD: password = '', ...withoutPassword } = env
  return { emulator, env, home, password, withoutPassword }
}

const warning =
  /^svc-auth: no session is kept, since \S+svc-auth\/command cannot be written \(ENOTDIR\); set XDG_STATE_HOME to a folder that you can write to\n$/

test.runIf(hasReasons)('a signed request needs no session, and so no folder', async () => {
  const { emulator, env, withoutPassword, home } = await startHomeless()
  for (const own of [env, withoutPassword]) {
    const lines = [
      ['fetch', '-X', 'PUT', '-d', 'text', '/V1/a'],
      ['sign', '/V1/a'],
    ]
    for (const argv of lines) {
      expect(await runCommand(argv, { home, env: own })).toMatchObject({ exitCode: 0, stderr: '' })
    }
  }
  expect(emulator.logins).toBe(0)
})

test.runIf(hasReasons)(
  'with a password at hand a session is in memory, and one line says so',
  async () => {
    const { emulator, env, home } = await startHomeless()
    for (const argv of [['fetch', '/user/groups'], ['token']]) {
      const { exitCode, stderr } = await runCommand(argv, { home, env })
      expect({ argv, exitCode }).toEqual({ argv, exitCode: 0 })
      expect(stderr).toMatch(warning)
    }
    expect(emulator.logins).toBe(2)
  },
)

test.runIf(hasReasons)('so it is with the password of a credential_process', async () => {
  const { emulator, home, password, withoutPassword: env } = await startHomeless()
  const config = await emptyFolder()
  await mkdir(join(config, 'svc-auth'))
  const { SVC_AUTH_BASE_URL: base, SVC_AUTH_USERNAME: username } = env
  const command = `echo '${JSON.stringify({ Password: password })}'`
  const lines = Object.entries({ base_url: base, username, credential_process: command })
  const text = lines.map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`).join('')
  await writeFile(join(config, 'svc-auth/profiles.toml'), `[only]\n${text}`, { mode: 0o600 })
  const token = await runCommand(['token'], { home, env: { XDG_CONFIG_HOME: config } })
  expect(token).toMatchObject({ exitCode: 0 })
  expect(token.stderr).toMatch(warning)
  expect(emulator.logins).toBe(1)
})

test.runIf(hasReasons)('a login that no later command would know of is not sent', async () => {
  const { emulator, env, home, password } = await startHomeless()
  for (const argv of [['login'], ['login', '--password-stdin']]) {
    const { exitCode, stderr } = await runCommand(argv, { home, env, stdin: password })
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(warning)
  }
  expect(emulator.requests).toEqual([])
})

test.runIf(hasReasons)(
  'a refused password is not tried again, though nothing is kept',
  async () => {
    const { emulator, env, home } = await startHomeless()
    const outside = { home, env: { ...env, SVC_AUTH_PASSWORD: 'hunter2' } }
    const { exitCode, stderr } = await runCommand(['fetch', '/user/groups'], outside)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('returned status 401')
    expect(emulator.requests).toHaveLength(1)
  },
)

test.runIf(hasReasons)(
  'without a password the message says what to set, and nothing of the inside',
  async () => {
    const { emulator, withoutPassword: env, home } = await startHomeless()
    for (const argv of [['fetch', '/user/groups'], ['token']]) {
      const { exitCode, stderr } = await runCommand(argv, { home, env })
      expect(exitCode).toBe(2)
      expect(stderr).toMatch(
        /; set XDG_STATE_HOME to a folder that you can write to, or set SVC_AUTH_PASSWORD\n$/,
      )
      expect(stderr).not.toContain('fileTokenStore')
    }
    expect(emulator.requests).toEqual([])
  },
)

test.runIf(hasReasons)('on other systems the message names what decides there', async () => {
  const { withoutPassword: env, home } = await startHomeless()
  const stderrOn = async (platform: NodeJS.Platform) =>
    (await runCommand(['token'], { home, env, platform })).stderr
  expect(await stderrOn('win32')).toContain('set LOCALAPPDATA to a folder')
  expect(await stderrOn('darwin')).toContain('set HOME to a folder')
})

test.runIf(hasReasons)(
  'doctor says that no session is kept, which is a fault only without a password',
  async () => {
    const { env, withoutPassword, home } = await startHomeless()
    const doctor = async (own: Readonly<Record<string, string>>) => {
      const { exitCode, stdout } = await runCommand(['doctor'], { home, env: own })
      expect(stdout).not.toContain('fileTokenStore')
      return { exitCode, line: /^.*sessions folder.*$/m.exec(stdout)?.[0] }
    }
    const says = 'cannot be written (ENOTDIR); set XDG_STATE_HOME to a folder that you can write to'
    expect(await doctor(env)).toEqual({ exitCode: 0, line: expect.stringContaining(says) })
    const { exitCode, line } = await doctor(withoutPassword)
    expect({ exitCode, mark: line?.[0] }).toEqual({ exitCode: 2, mark: '!' })
    expect(line).toContain(says)
  },
)

test.runIf(hasReasons)('logging out where nothing can be kept is no error', async () => {
  const { env, home } = await startHomeless()
  const { exitCode, stderr } = await runCommand(['logout'], { home, env })
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
})

test.runIf(hasReasons)(
  'a folder that others can use keeps no session, and the message says how to mend it',
  async () => {
    const { env } = await startService()
    const { SVC_AUTH_PASSWORD: _password, ...withoutPassword } = env
    const home = await emptyFolder()
    await runCommand(['login'], { home, env })
    const sessions = join(home, '.local/state/svc-auth/command')
    const [name = ''] = await readdir(sessions)
    const folder = join(sessions, name)
    await chmod(folder, 0o755)
    const says = `svc-auth: no session is kept, since it needs a folder that only you can access: run chmod 700 ${folder}; set XDG_STATE_HOME to a folder that you can write to`
    expect((await runCommand(['token'], { home, env })).stderr).toBe(`${says}\n`)
    const { exitCode, stderr } = await runCommand(['token'], { home, env: withoutPassword })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `${says}, or set SVC_AUTH_PASSWORD\n`,
    })
  },
)
