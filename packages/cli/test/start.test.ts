import { spawnSync } from 'node:child_process'
import { execPath } from 'node:process'
import { expect, test } from 'vitest'
import { run } from '../../../tests/support/run-program.ts'
import { emptyFolder } from './support/folder.ts'
import { startService } from './support/run-command-line.ts'
import { cleanEnvironment, commandArguments } from './support/run-process.ts'

/** Prints at the end which parts of Node are loaded, of those that take as long as the rest of the command. */
const listSlow = `data:text/javascript,process.on('exit', () => console.error(JSON.stringify(
  ['http', 'https', 'http2', 'tls'].filter((name) => process.moduleLoadList.includes('NativeModule ' + name)))))`

/** Prints at the end how many files of undici are loaded, and whether that of Node is. */
const countUndici = `data:text/javascript,process.on('exit', () => console.error(JSON.stringify({
  files: Object.keys(process.getBuiltinModule('module')._cache).filter((path) => path.includes('undici')).length,
  isNodes: process.moduleLoadList.some((name) => name.includes('deps/undici')) })))`

/** Runs the command, and reads what a module prints at its end. */
async function runWith(module: string, argv: readonly string[], env: Record<string, string>) {
  const args = ['--import', module, ...commandArguments, ...argv]
  const { status, stderr } = await run(execPath, args, '', env)
  return { status, loaded: JSON.parse(stderr.split('\n').at(-2) ?? '') as unknown }
}

test.each([['--version'], ['--help'], ['profile', 'list'], ['fetch', '--help']])(
  'a command that sends nothing loads no client of HTTP: %s %s',
  async (...argv) => {
    const environment = cleanEnvironment(await emptyFolder())
    expect(await runWith(listSlow, argv, environment)).toEqual({ status: 0, loaded: [] })
  },
)

test('a request loads a quarter of undici, and nothing of the one in Node', async () => {
  const { env } = await startService()
  const environment = { ...cleanEnvironment(await emptyFolder()), ...env }
  await runWith(countUndici, ['login'], environment)
  for (const argv of [
    ['fetch', '/user/groups', '-H', 'accept: */*'],
    ['fetch', '-T', '-', '/V1/a'],
  ]) {
    const { status, loaded } = await runWith(countUndici, argv, environment)
    expect({ argv, status, loaded }).toMatchObject({ argv, status: 0, loaded: { isNodes: false } })
    expect((loaded as { files: number }).files).toBeLessThan(35)
  }
})

/** An undici whose parts stand elsewhere. */
const movedUndici = `data:text/javascript,process.getBuiltinModule('module').registerHooks({ resolve(name, context, next) {
  if (name.startsWith('undici/lib/')) throw Object.assign(new Error(name), { code: 'MODULE_NOT_FOUND' });
  return next(name, context) } })`

test('an undici whose parts stand elsewhere is loaded as a whole', async () => {
  const { emulator, env } = await startService()
  const environment = { ...cleanEnvironment(await emptyFolder()), ...env }
  const argv = ['fetch', '-T', '-', '/V1/a']
  const args = ['--import', movedUndici, ...commandArguments, ...argv]
  const sent = await run(execPath, args, 'hello', environment)
  expect(sent).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(emulator.requests[0]).toMatchObject({ method: 'PUT', auth: { ok: true } })
})

test.each(['', 'relative', '.'])('a home that is %j is none', async (home) => {
  const environment = { ...cleanEnvironment(await emptyFolder()), HOME: home, USERPROFILE: home }
  const { stdout } = await run(execPath, [...commandArguments, 'doctor'], '', environment)
  expect(stdout).toMatch(/^ {2}profiles file +[/\\A-Z]/m)
})

// Only root can run a program as somebody whom this machine does not know, as a container may.
const isRoot = process.platform === 'linux' && process.getuid?.() === 0
test.runIf(isRoot)('a user without a home is told what to set', () => {
  const runAs = (...argv: string[]) =>
    spawnSync(execPath, [...commandArguments, ...argv], {
      uid: 54_321,
      gid: 54_321,
      env: {
        SVC_AUTH_KEYRING: 'off',
        SVC_AUTH_BASE_URL: 'https://a.example',
        SVC_AUTH_USERNAME: 'a',
      },
      encoding: 'utf8',
    })
  expect(runAs('--version')).toMatchObject({ status: 0, stderr: '' })
  const { status, stderr } = runAs('token')
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr:
      'svc-auth: no session is kept, since /dev/null/.local/state/svc-auth/command cannot be written (ENOTDIR); ' +
      'set XDG_STATE_HOME to a folder that you can write to, or set SVC_AUTH_PASSWORD\n',
  })
})
