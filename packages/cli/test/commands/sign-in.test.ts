import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { hasOnPosix } from '../../../../tests/support/needs.ts'
import { createBrowser } from '../../../auth-token/test/sign-in/support/browser.ts'
import { startProvider } from '../../../auth-token/test/sign-in/support/provider.ts'
import { deny } from '../../../auth-token/test/sign-in/support/sessions.ts'
import { emptyFolder, sharedBits } from '../support/folder.ts'
import { startPlainServer } from '../support/plain-server.ts'
import { memoryKeyring, runCommand } from '../support/run-command.ts'

/** A service that takes the tokens of a provider, a profile of it, and a user who signs in wherever a code is shown. */
async function startService(
  clientId: readonly string[] = ['--client-id', 'app'],
  scope: readonly string[] = ['--scope', 'openid offline_access'],
) {
  const user = { signsIn: true, denies: false }
  const provider = await startProvider({
    intervalSeconds: 1,
    onCode: ({ user_code: code, verification_uri: uri }) => {
      const shown = { verificationUri: uri, userCode: code, expiresAt: 0 }
      if (user.denies) void deny(shown)
      else if (user.signsIn) void createBrowser().signIn(uri, { user_code: code })
    },
  })
  const { origin } = await startPlainServer((request, response) => {
    void (async () => {
      const value = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      const token = await provider.provider.AccessToken.find(value)
      response.writeHead(token ? 200 : 401).end(JSON.stringify(token ?? {}))
    })()
  })
  const home = await emptyFolder()
  const add = ['profile', 'add', 'reports', '--base-url', origin, '--issuer', provider.issuer]
  const added = await runCommand([...add, ...clientId, ...scope], { home })
  expect(added).toMatchObject({ exitCode: 0, stdout: '' })
  return { provider, origin, home, user }
}

test('a user signs in by a code once, for all later commands, which renew the token', async () => {
  const { provider, origin, home } = await startService()
  const login = await runCommand(['login', '--device'], { home })
  expect(login).toMatchObject({ exitCode: 0, stdout: '' })
  expect(login.stderr).toMatch(/^Open http:\S+ and enter \S+\nSigned in to http:.* until .*\n$/)

  const token = await runCommand(['token'], { home })
  expect(token).toMatchObject({ exitCode: 0, stderr: '' })
  expect(login.stderr).not.toContain(token.stdout.trim())
  const header = await runCommand(['token', '--header'], { home })
  expect(header.stdout).toBe(`authorization: Bearer ${token.stdout}`)
  // Every path takes it.
  for (const path of ['/user/groups', '/V1/reports']) {
    const fetched = await runCommand(['fetch', path], { home })
    expect(fetched.exitCode).toBe(0)
    expect(JSON.parse(fetched.stdout)).toMatchObject({ accountId: 'reader' })
  }
  const later = { home, clock: () => Date.now() + 600_000 }
  const next = await runCommand(['token'], later)
  expect(next).toMatchObject({ exitCode: 0, stderr: '' })
  expect(next.stdout).not.toBe(token.stdout)
  expect(provider.count('/device/auth')).toBe(1)
  expect(provider.revoked).toEqual([])
  expect((await runCommand(['fetch', `${origin}/x`], later)).exitCode).toBe(0)
})

test.runIf(hasOnPosix('POSIX shell'))(
  'a user signs in in the browser, with a client that is registered',
  async () => {
    const { provider, home } = await startService([])
    const folder = await emptyFolder()
    const opener = '#!/bin/sh\nprintf %s "$1" > "${0%/*}/opened"\n'
    for (const name of ['xdg-open', 'open']) {
      await writeFile(join(folder, name), opener)
      await chmod(join(folder, name), 0o755)
    }
    const { PATH = '' } = process.env
    onTestFinished(() => void (process.env['PATH'] = PATH))
    process.env['PATH'] = `${folder}:${PATH}`
    const login = runCommand(['login', '--browser'], { home })
    const opened = (): Promise<string> => readFile(join(folder, 'opened'), 'utf8')
    await expect.poll(() => opened().catch(() => '')).toMatch(/^http:/)
    const page = await createBrowser().signIn(await opened())
    expect(page.text).toContain('<title>Signed in</title>')
    expect(await login).toMatchObject({ exitCode: 0, stdout: '' })
    expect((await runCommand(['token'], { home })).exitCode).toBe(0)
    expect(provider.count('/reg')).toBe(1)
  },
)

test('a user who denied is asked again by the next login, and by no other command', async () => {
  const { provider, home, user } = await startService()
  user.denies = true
  const denied = await runCommand(['login'], { home })
  expect(denied).toMatchObject({ exitCode: 1, stdout: '' })
  expect(denied.stderr).toContain('was denied')
  expect(denied.stderr).not.toContain('--scope')
  expect(provider.count('/device/auth')).toBe(1)
  const token = await runCommand(['token'], { home })
  expect(token).toMatchObject({ exitCode: 1, stdout: '' })
  const fetched = await runCommand(['fetch', '/'], { home })
  expect(fetched).toMatchObject({ exitCode: 1, stdout: '' })
  for (const { stderr } of [token, fetched]) {
    expect(stderr).toMatch(/was denied.*; run `svc-auth login --device` or --browser\n$/)
    expect(stderr).not.toMatch(/invalidate|locked out|pause/)
  }
  expect(denied.stderr).not.toMatch(/locked out|pause/)
  user.denies = false
  expect(await runCommand(['login'], { home })).toMatchObject({ exitCode: 0 })
  expect(provider.count('/device/auth')).toBe(2)
  expect((await runCommand(['token'], { home })).exitCode).toBe(0)
})

test('a denied sign-in for which no scope was asked says so, and so does the doctor', async () => {
  const { home, user } = await startService(undefined, [])
  user.denies = true
  const denied = await runCommand(['login'], { home })
  expect(denied.stderr).toContain('was denied; no scope was asked: --scope')
  const { stdout } = await runCommand(['doctor'], { home })
  expect(stdout).toMatch(/scope +none is asked: svc-auth profile add --scope/)
})

test('without a sign-in, a command says how to get one, and asks nobody', async () => {
  const { provider, home } = await startService()
  for (const command of [['token'], ['fetch', '/']]) {
    const refused = await runCommand(command, { home })
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
    expect(refused.stderr).toContain('run `svc-auth login --browser`, or --device')
  }
  expect(provider.seen).toEqual([])
})

test('a sign-in that the server has ended is told, and another one takes its place', async () => {
  const { provider, home } = await startService()
  await runCommand(['login'], { home })
  const token = (await runCommand(['token'], { home })).stdout.trim()
  await provider.end(token)
  const later = { home, clock: () => Date.now() + 600_000 }
  const refused = await runCommand(['token'], later)
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('svc-auth login')
  expect(await runCommand(['login'], later)).toMatchObject({ exitCode: 0 })
  expect((await runCommand(['token'], later)).exitCode).toBe(0)
})

test('a login with a sign-in that is good asks nobody, and --again asks anew', async () => {
  const { provider, home, user } = await startService()
  await runCommand(['login'], { home })
  const { stdout: token } = await runCommand(['token'], { home })
  const second = await runCommand(['login', '--device'], { home })
  expect(second.exitCode).toBe(0)
  expect(second.stderr).toContain('--again signs in anew')
  expect(provider.count('/device/auth')).toBe(1)

  // One that fails leaves the sign-in as it is.
  user.signsIn = false
  const controller = new AbortController()
  const ended = runCommand(['login', '--again'], { home, signal: controller.signal })
  await expect.poll(() => provider.count('/device/auth')).toBe(2)
  controller.abort()
  expect((await ended).exitCode).toBe(130)
  expect((await runCommand(['token'], { home })).stdout).toBe(token)

  user.signsIn = true
  expect((await runCommand(['login', '--again'], { home })).exitCode).toBe(0)
  const { stdout: next } = await runCommand(['token'], { home })
  expect(next).not.toBe(token)
  expect(next).not.toBe('')
})

test('no token is readable in a file, and logging out forgets the sign-in', async () => {
  const { provider, home } = await startService()
  const keyring = memoryKeyring()
  await runCommand(['login'], { home, keyring })
  const token = (await runCommand(['token'], { home, keyring })).stdout.trim()
  expect([...keyring.entries.keys()].map((account) => JSON.parse(account)[0])).toEqual(['session'])
  const entries = await readdir(home, { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name)
    expect((await stat(path)).mode & sharedBits).toBe(0)
    expect(await readFile(path, 'utf8')).not.toMatch(new RegExp(`${token}|refresh_?token`, 'i'))
  }
  const out = await runCommand(['logout'], { home, keyring })
  expect(out.stderr).toContain('is forgotten on this machine')
  expect(keyring.entries.size).toBe(0)
  expect(await readdir(join(home, '.local/state/svc-auth/command'))).toEqual([])
  expect((await runCommand(['token'], { home, keyring })).exitCode).toBe(2)
  expect(provider.count('/device/auth')).toBe(1)
})

test.each([
  [['login', '--device', '--browser'], 'not both'],
  [['login', '--save'], 'takes no password here'],
  [['login', '--password-stdin'], 'takes no password here'],
])('%j says what is wrong', async (argv, text) => {
  const { home } = await startService()
  const { exitCode, stderr } = await runCommand(argv, { home })
  expect(exitCode).toBe(2)
  expect(stderr).toContain(text)
})

test('a profile without an issuer says how to give it one', async () => {
  const home = await emptyFolder()
  await runCommand(['profile', 'add', 'plain', '--base-url', 'https://a.example'], { home })
  const { exitCode, stderr } = await runCommand(['login', '--device'], { home })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('the profile plain has no issuer')
})

test('the doctor misses nothing in a profile whose users sign in', async () => {
  const { provider, home } = await startService()
  const { exitCode, stdout } = await runCommand(['doctor'], { home })
  expect(exitCode).toBe(0)
  expect(stdout).toContain(`sign-in          at ${provider.issuer}`)
  expect(stdout).toMatch(/scope +openid offline_access\n/)
  expect(provider.seen).toEqual([])
})

test('a client without a server is no profile', async () => {
  const add = 'profile add plain --base-url https://a.example --client-id app'.split(' ')
  const { exitCode, stderr } = await runCommand(add)
  expect(exitCode).toBe(2)
  expect(stderr).toContain('--client-id is for users who sign in by OAuth: give --issuer, too')
})

test('a profile keeps the client, and its removal forgets the sign-in', async () => {
  const { provider, home, origin } = await startService()
  const path = join(home, '.config/svc-auth/profiles.toml')
  expect((await readFile(path, 'utf8')).split('\n')).toEqual([
    '[reports]',
    `base_url = "${origin}"`,
    `issuer = "${provider.issuer}"`,
    'client_id = "app"',
    'scope = "openid offline_access"',
    '',
  ])
  await runCommand(['login'], { home })
  // Another profile has the same one, whatever the order of its scopes.
  const other = (await readFile(path, 'utf8'))
    .replace('[reports]', '[other]')
    .replace('openid offline_access', 'offline_access openid')
  await writeFile(path, other, { flag: 'a' })
  expect((await runCommand(['token', '--profile', 'other'], { home })).exitCode).toBe(0)
  await runCommand(['profile', 'remove', 'other'], { home })
  expect((await runCommand(['token'], { home })).exitCode).toBe(0)
  expect(await runCommand(['profile', 'remove', 'reports'], { home })).toMatchObject({
    exitCode: 0,
  })
  expect(await readdir(join(home, '.local/state'))).toEqual([])
})
