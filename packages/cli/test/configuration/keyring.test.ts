import { readdir } from 'node:fs/promises'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasProgram } from '../../../../tests/support/needs.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { emptyFolder } from '../support/folder.ts'
import { cleanEnvironment, commandArguments } from '../support/run-process.ts'

const hasKeyring = hasProgram(
  'a keyring of the system',
  ['sh', '-c', 'command -v gnome-keyring-daemon dbus-run-session'],
  'apt-get install -y --no-install-recommends dbus gnome-keyring',
)
const [{ username, password }] = defaultUsers
const [{ accessKeyId, secretAccessKey }] = defaultApiKeys

/** Unlocks a new keyring, for the commands of a shell. */
const session = `printf unlock | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
svc_auth() { '${process.execPath}' ${commandArguments.map((word) => `'${word}'`).join(' ')} "$@"; }
`

describe.runIf(hasKeyring && process.platform === 'linux')('the keyring of the system', () => {
  test('keeps password, secret and the key of the session, and no file has one', async () => {
    const emulator = createEmulator()
    const service = await emulator.listen()
    onTestFinished(() => service.close())
    const home = await emptyFolder()
    const lines = [
      `svc_auth profile add only --base-url ${service.baseUrl} --region us-east-1 --username ${username} --access-key-id ${accessKeyId} --secret-stdin <<END\n${secretAccessKey}\nEND`,
      `svc_auth login --save --password-stdin <<END\n${password}\nEND`,
      'svc_auth token',
      'svc_auth logout',
      'svc_auth fetch /user/groups',
      'svc_auth fetch -X PUT -d text /V1/a',
      'svc_auth doctor',
      'svc_auth profile remove only',
      'svc_auth doctor || true',
    ]
    const finished = await run(
      'dbus-run-session',
      ['--', 'sh', '-e', '-c', session + lines.join('\n')],
      '',
      { ...cleanEnvironment(home), SVC_AUTH_KEYRING: '' },
    )
    expect(finished).toMatchObject({ status: 0 })
    expect(finished.stdout).toMatch(/secret of the key +from the keyring/)
    expect(finished.stdout).toMatch(/password +from the keyring/)
    expect(finished.stdout).not.toContain(secretAccessKey)
    expect(emulator.logins).toBe(2)
    expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true, accessKeyId })
    const files = await readdir(home, { recursive: true })
    expect(files.filter((path) => path.endsWith('/key'))).toEqual([])
  })
})
