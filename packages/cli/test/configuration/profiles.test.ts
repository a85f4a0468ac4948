import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { hasOnPosix } from '../../../../tests/support/needs.ts'
import { emptyFolder } from '../support/folder.ts'
import { memoryKeyring, runCommand } from '../support/run-command.ts'

const addProduction =
  'profile add production --base-url https://search.example.com --region us-east-1 --username reader@example.com --access-key-id AKIDEXAMPLE'.split(
    ' ',
  )

async function withFile(text: string, mode = 0o600): Promise<{ home: string; path: string }> {
  const home = await emptyFolder()
  const path = join(home, '.config/svc-auth/profiles.toml')
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text, { mode })
  await chmod(path, mode)
  return { home, path }
}

const hasModes = hasOnPosix('modes of files')

test.runIf(hasModes)('a profile is saved for this user alone, listed and removed', async () => {
  const home = await emptyFolder()
  const added = await runCommand(addProduction, { home })
  expect(added).toMatchObject({ exitCode: 0, stdout: '' })
  expect(added.stderr).toContain('Saved the profile production')
  const path = join(home, '.config/svc-auth/profiles.toml')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)

  expect(await runCommand(['profile', 'list'], { home })).toMatchObject({
    exitCode: 0,
    stdout: 'production\thttps://search.example.com\n',
  })
  expect((await readFile(path, 'utf8')).split('\n')).toEqual([
    '[production]',
    'base_url = "https://search.example.com"',
    'region = "us-east-1"',
    'username = "reader@example.com"',
    'access_key_id = "AKIDEXAMPLE"',
    '',
  ])
  expect(await runCommand(['profile', 'remove', 'production'], { home })).toMatchObject({
    exitCode: 0,
  })
  expect(await readdir(join(home, '.config'))).toEqual([])
})

test.each([
  ['win32', { APPDATA: '/roaming' }, '/roaming/svc-auth/profiles.toml'],
  ['darwin', {}, '/home/Library/Application Support/svc-auth/profiles.toml'],
  ['linux', { XDG_CONFIG_HOME: '/configured' }, '/configured/svc-auth/profiles.toml'],
  ['linux', { XDG_CONFIG_HOME: 'relative' }, '/home/.config/svc-auth/profiles.toml'],
] as const)('on %s with %j the file is %s', async (platform, env, path) => {
  const { stderr } = await runCommand(['profile', 'list'], { home: '/home', env, platform })
  expect(stderr.replaceAll('\\', '/')).toContain(`There are no profiles in ${path}`)
})

test('what the user wrote beside a profile stays when another is added, replaced or removed', async () => {
  const text = '# mine\n[staging] # the small one\nbase_url = "https://staging.example.com"\n'
  const { home, path } = await withFile(text)
  await runCommand(addProduction, { home })
  expect(await readFile(path, 'utf8')).toContain(text)
  expect(await runCommand(addProduction, { home })).toMatchObject({
    exitCode: 2,
    stderr: 'svc-auth: there is a profile production: --replace replaces it\n',
  })
  expect(await runCommand([...addProduction, '--replace'], { home })).toMatchObject({ exitCode: 0 })
  await runCommand(['profile', 'remove', 'production'], { home })
  expect((await readFile(path, 'utf8')).trim()).toBe(text.trim())
})

test('secrets that are piped in go to the keyring, and leave it with the profile', async () => {
  const home = await emptyFolder()
  const keyring = memoryKeyring()
  const outside = { home, keyring, stdin: 'the secret\n' }
  expect(await runCommand([...addProduction, '--secret-stdin'], outside)).toMatchObject({
    exitCode: 0,
  })
  expect([...keyring.entries.values()]).toEqual(['the secret'])
  await runCommand(['profile', 'remove', 'production'], { home, keyring })
  expect(keyring.entries.size).toBe(0)
})

test('without a keyring a piped secret is refused, and no profile is half saved', async () => {
  const home = await emptyFolder()
  const result = await runCommand([...addProduction, '--secret-stdin'], {
    home,
    stdin: 'the secret\n',
  })
  expect(result).toMatchObject({ exitCode: 2 })
  expect(result.stderr).toContain('the profile was not saved')
  expect(result.stderr).toContain('no keyring that responds')
  expect(await runCommand(['profile', 'list'], { home })).toMatchObject({ stdout: '' })
})

test.each([
  ['[a]\nbase_url = "https://a.example"\nregion = \n', 'profiles.toml, line 3: '],
  ['[a]\nbase_url = "https://a.example"\nbase_url = "b"', 'profiles.toml, line 3: '],
  ['base_url = "https://a.example"', '"base_url" stands outside of a profile'],
  ['[a]\nregion = "b"', '[a] has no base_url'],
  ['[a]\nbase_url = 1', '[a] base_url must be a text'],
  [
    '[a]\nbase_url = "https://a.example"\nurl = "b"',
    'unknown setting "url"; the settings are base_url, region',
  ],
  ['[a]\nbase_url = "https://a.example"\npassword = "hunter2"', 'no secret stands in a profile'],
  [
    '[a]\nbase_url = "https://a.example"\ncredential_process = []',
    '[a] credential_process must be',
  ],
])('%j is refused: %s', async (text, problem) => {
  const { home } = await withFile(text)
  const result = await runCommand(['token'], { home })
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(problem)
  expect(result.stderr).not.toContain('hunter2')
})

test.runIf(hasModes)('a pipe in the place of the file is refused, and not waited for', async () => {
  const { home, path } = await withFile('')
  await rm(path)
  expect(spawnSync('mkfifo', ['-m', '600', path])).toMatchObject({ status: 0 })
  expect(await runCommand(['profile', 'list'], { home })).toMatchObject({
    exitCode: 2,
    stderr: `svc-auth: ${path} is no file\n`,
  })
})

test.runIf(hasModes)('a file that others can read is refused with the remedy', async () => {
  const { home, path } = await withFile('[a]\nbase_url = "https://a.example"', 0o644)
  expect(await runCommand(['token'], { home })).toMatchObject({
    exitCode: 2,
    stderr: `svc-auth: others can read or change ${path}: run chmod 600 "${path}"\n`,
  })
})

const two =
  '[a]\nbase_url = "https://a.example"\n[b]\nbase_url = "https://b.example/"\n[c]\nbase_url = "https://b.example"'

test.each([
  [[], {}, '3 profiles match: a, b, c; name one by --profile or SVC_AUTH_PROFILE'],
  [['--base-url', 'https://b.example'], {}, '2 profiles match: b, c'],
  [[], { SVC_AUTH_PROFILE: 'd' }, 'no profile is called "d"; there are a, b, c'],
  [
    ['--profile', 'a'],
    { SVC_AUTH_BASE_URL: 'https://b.example' },
    'the profile a is for https://a.example',
  ],
  [['--profile', 'a'], {}, 'no user name'],
  [['--base-url', 'https://a.example/'], {}, 'no user name'],
  [['--base-url', 'https://other.example'], {}, 'no user name'],
] as const)('of three profiles %j and %j choose: %s', async (flags, env, problem) => {
  const { home } = await withFile(two)
  const result = await runCommand(['token', ...flags], { home, env })
  expect(result.exitCode).toBe(2)
  expect(result.stderr).toContain(problem)
})

test('no profile and no base URL says how to give one', async () => {
  const home = await emptyFolder()
  const result = await runCommand(['token', '--username', 'reader@example.com'], { home })
  expect(result).toMatchObject({ exitCode: 2 })
  expect(result.stderr).toContain('no base URL: give --base-url, set SVC_AUTH_BASE_URL')
})

test('a profile that shares its user with another leaves the session and the secrets to that', async () => {
  const home = await emptyFolder()
  const keyring = memoryKeyring()
  await runCommand([...addProduction, '--secret-stdin'], { home, keyring, stdin: 'the secret' })
  const copy = addProduction.map((word) => (word === 'production' ? 'copy' : word))
  await runCommand(copy, { home, keyring })
  await runCommand(['profile', 'remove', 'copy'], { home, keyring })
  expect([...keyring.entries.values()]).toEqual(['the secret'])
})

test('a profile for another base URL is named where its settings are missed', async () => {
  const { home } = await withFile(two)
  const flags = ['--base-url', 'https://other.example', '--region', 'us-east-1']
  const { stderr } = await runCommand(['fetch', '/V1/', ...flags], { home })
  expect(stderr).toContain(
    '(of the profiles, a is for https://a.example, b is for https://b.example/',
  )
})

test('a folder in place of the file is refused', async () => {
  const home = await emptyFolder()
  const path = join(home, '.config/svc-auth/profiles.toml')
  await mkdir(path, { recursive: true })
  const { exitCode, stderr } = await runCommand(['profile', 'list'], { home })
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `svc-auth: ${path} is no file\n` })
})

test('a profile with http beyond this machine is refused at once, unless it is allowed', async () => {
  const home = await emptyFolder()
  const add = ['profile', 'add', 'http', '--base-url', 'http://search.internal:8080']
  const refused = await runCommand(add, { home })
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain('http://search.internal:8080 (from --base-url) is not https')
  expect((await runCommand(['profile', 'list'], { home })).stdout).toBe('')
  expect((await runCommand([...add, '--allow-insecure-http'], { home })).exitCode).toBe(0)
})

test('without a keyring a profile names only the secrets that it lacks', async () => {
  const add = ['profile', 'add', 'a', '--base-url', 'https://a.example', '--replace']
  const home = await emptyFolder()
  const user = await runCommand([...add, '--username', 'reader'], { home })
  expect(user.stderr).toContain('svc-auth login --password-stdin')
  expect(user.stderr).not.toContain('SECRET')
  const key = await runCommand([...add, '--access-key-id', 'AKID'], { home })
  expect(key.stderr).toContain('SVC_AUTH_SECRET_ACCESS_KEY')
  expect(key.stderr).not.toContain('login')
})

test('a login for another base URL than that of the profile says whose user is not used', async () => {
  const { home } = await withFile('[a]\nbase_url = "https://a.example"\nusername = "reader"')
  const argv = ['login', '--base-url', 'https://other.example']
  const { exitCode, stderr } = await runCommand(argv, { home })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('no user name: give --username')
  expect(stderr).toContain('(of the profiles, a is for https://a.example)')
})
