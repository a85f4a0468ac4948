import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { hasOnPosix } from '../../../tests/support/needs.ts'
import { atNight } from '../../../tests/support/nightly.ts'
import { run } from '../../../tests/support/run-program.ts'
import { emptyFolder } from './support/folder.ts'
import { cleanEnvironment, commandArguments } from './support/run-process.ts'

// By day one that prints help, one that prints lines, and one that streams.
const lines = [
  '--help',
  'profile list',
  'fetch /user/groups',
  ...atNight(
    [
      '--version',
      'fetch --help',
      'token',
      'doctor',
      'sign /V1/a',
      'presign /V1/a',
      'explain /V1/a',
      'diagnose /V1/',
    ],
    [],
  ),
]

/** Runs each line in a shell, with its standard output going elsewhere. */
async function runInto(redirection: string) {
  const service = await createEmulator().listen()
  onTestFinished(() => service.close())
  const home = await emptyFolder()
  const [{ username, password }] = defaultUsers
  const [{ accessKeyId, secretAccessKey }] = defaultApiKeys
  const command = [process.execPath, ...commandArguments].map((word) => `'${word}'`).join(' ')
  const added = `${command} profile add own --base-url ${service.baseUrl} 2>/dev/null`
  const tried = lines.map((line) => `{ ${command} ${line}; echo "$? ${line}" >&2; } ${redirection}`)
  const script = [added, ...tried].join('\n')
  const environment = {
    ...cleanEnvironment(home),
    SVC_AUTH_BASE_URL: service.baseUrl,
    SVC_AUTH_REGION: 'us-east-1',
    SVC_AUTH_USERNAME: username,
    SVC_AUTH_PASSWORD: password,
    SVC_AUTH_ACCESS_KEY_ID: accessKeyId,
    SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey,
  }
  return run('sh', ['-c', script], '', environment)
}

test.runIf(hasOnPosix('POSIX shell'))(
  'a reader that has left is no error of any command',
  async () => {
    const { stderr } = await runInto('| true')
    expect(stderr.trim().split('\n')).toEqual(lines.map((line) => `0 ${line}`))
  },
)

test.runIf(process.platform === 'linux')(
  'a full disk is an error of every command, in one line',
  async () => {
    const { stderr } = await runInto('>/dev/full')
    const problem = 'svc-auth: standard output cannot be written (ENOSPC)'
    expect(stderr.trim().split('\n')).toEqual(lines.flatMap((line) => [problem, `2 ${line}`]))
  },
)
