import { spawn } from 'node:child_process'
import { createEmulator, defaultUsers } from '@svc/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { hasProgram } from '../../../../tests/support/needs.ts'
import { emptyFolder } from '../support/folder.ts'
import { cleanEnvironment, commandArguments } from '../support/run-process.ts'

const hasScript = hasProgram('script', ['script', '--version'], 'apt-get install bsdutils')
const [{ username, password }] = defaultUsers

/** Runs the command on a terminal of its own, where somebody types once the question is there. */
async function typeInto(
  argv: readonly string[],
  typed: string,
  home: string,
  baseUrl: string,
  columns = 100,
) {
  const line = [process.execPath, ...commandArguments, ...argv].map((word) => `'${word}'`).join(' ')
  const command = `stty cols ${columns} rows 30; exec ${line}`
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: {
      ...process.env,
      ...cleanEnvironment(home),
      SVC_AUTH_BASE_URL: baseUrl,
      SVC_AUTH_USERNAME: username,
      TERM: 'xterm',
    },
  })
  let shown = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const hadAsked = shown.includes('Password of')
    shown += chunk.toString()
    if (!hadAsked && shown.includes('Password of')) child.stdin.write(typed)
  })
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { exitCode, shown }
}

async function startService() {
  const emulator = createEmulator()
  const service = await emulator.listen()
  onTestFinished(() => service.close())
  const { baseUrl } = service
  return { emulator, baseUrl, home: await emptyFolder() }
}

// A terminal that nobody looks at has no columns.
test.runIf(hasScript).each([100, 0])(
  'a password is asked for on a terminal of %i columns, and never shown',
  async (columns) => {
    const { emulator, baseUrl, home } = await startService()
    const typed = `${password}\r`
    const { exitCode, shown } = await typeInto(['login'], typed, home, baseUrl, columns)
    expect(shown).toContain(`Password of ${username}`)
    expect(shown).toContain(`Logged in as ${username} until`)
    expect(shown).not.toContain(password)
    expect(exitCode).toBe(0)
    expect(emulator.logins).toBe(1)
  },
)

test.runIf(hasScript)(
  'Ctrl-C instead of a password sends nothing, and is the exit code 130',
  async () => {
    const { emulator, baseUrl, home } = await startService()
    const { exitCode } = await typeInto(['login'], '\u0003', home, baseUrl)
    expect(exitCode).toBe(130)
    expect(emulator.requests).toEqual([])
  },
)
