import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { hasOnPosix } from '../../../../tests/support/needs.ts'
import { emptyFolder } from '../support/folder.ts'
import { type CommandOutside, memoryKeyring, runCommand } from '../support/run-command.ts'

const [{ username, password }] = defaultUsers
const [{ accessKeyId, secretAccessKey }] = defaultApiKeys

/** A service, and a user with one profile for it. */
async function startService(settings: Readonly<Record<string, string | readonly string[]>> = {}) {
  const emulator = createEmulator()
  const service = await emulator.listen()
  onTestFinished(() => service.close())
  const { baseUrl } = service
  const home = await emptyFolder()
  await mkdir(join(home, '.config/svc-auth'), { recursive: true })
  const lines = Object.entries({ base_url: baseUrl, region: 'us-east-1', ...settings })
  const text = lines.map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`).join('')
  await writeFile(join(home, '.config/svc-auth/profiles.toml'), `[only]\n${text}`, { mode: 0o600 })
  const sign = (outside: Omit<CommandOutside, 'home'>, ...flags: string[]) =>
    runCommand(['fetch', '/V1/', ...flags], { home, ...outside })
  const token = (outside: Omit<CommandOutside, 'home'>, ...flags: string[]) =>
    runCommand(['token', ...flags], { home, ...outside })
  return { emulator, baseUrl, home, sign, token }
}

/** A command that prints something as JSON, on every system. */
const printing = (value: unknown): string[] => [
  process.execPath,
  '-e',
  `console.log(${JSON.stringify(JSON.stringify(value))})`,
]

const hasShell = hasOnPosix('POSIX shell')

const key = { accessKeyId, secretAccessKey }
const aws = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
const own = { SVC_AUTH_ACCESS_KEY_ID: accessKeyId, SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey }
const wrongAws = { AWS_ACCESS_KEY_ID: 'ANOTHER', AWS_SECRET_ACCESS_KEY: 'a wrong secret' }
const wrongOwn = { SVC_AUTH_ACCESS_KEY_ID: 'ANOTHER', SVC_AUTH_SECRET_ACCESS_KEY: 'a wrong secret' }

test.each([
  ['variables of its own', own, []],
  ["AWS's variables", aws, []],
  ["its own before AWS's", { ...wrongAws, ...own }, []],
  [
    'the key that a flag names, whatever other variables have',
    { ...wrongOwn, ...aws },
    ['--access-key-id', accessKeyId],
  ],
  [
    'a secret alone, for the key that a flag names',
    { SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey },
    ['--access-key-id', accessKeyId],
  ],
] as const)('a request is signed with %s', async (_, env, flags) => {
  const { emulator, sign } = await startService()
  const { stderr } = await sign({ env }, ...flags)
  expect(stderr).not.toContain('was not sent')
  expect(emulator.requests.at(-1)?.auth).toMatchObject({ scheme: 'sigv4', ok: true, accessKeyId })
})

test("a profile that a flag names comes with its key, whatever AWS's variables have", async () => {
  const printed = { SecretAccessKey: secretAccessKey }
  const profile = {
    access_key_id: accessKeyId,
    credential_process: printing(printed),
  }
  const { emulator, home, sign } = await startService(profile)
  await sign({ env: wrongAws }, '--profile', 'only')
  expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true, accessKeyId })
  const doctor = await runCommand(['doctor'], { home, env: wrongAws })
  expect(doctor.stdout).toContain(
    `ANOTHER (from AWS_ACCESS_KEY_ID, in place of ${accessKeyId} of the profile only)`,
  )
})

test("the proxy's own pair, which S3 tools read in the same shell, is never taken for the service's", async () => {
  const { emulator, sign } = await startService({
    access_key_id: accessKeyId,
    credential_process: printing({ SecretAccessKey: secretAccessKey }),
  })
  const madeUp = { ...wrongAws, AWS_ACCESS_KEY_ID: 'SVCPROXY0123456789AB' }
  for (const env of [{ ...wrongAws, SVC_AUTH_PROXY_ACCESS_KEY_ID: 'ANOTHER' }, madeUp]) {
    await sign({ env })
    expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true, accessKeyId })
  }
  expect(emulator.requests).toHaveLength(2)
})

test('a secret of one key never signs for another', async () => {
  const { emulator, sign } = await startService({ access_key_id: 'OTHERKEY' })
  const result = await sign(
    { env: { ...own, AWS_SESSION_TOKEN: 'unused' } },
    '--access-key-id',
    'THIRDKEY',
  )
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain('since there is no secret of the access key THIRDKEY')
  expect(emulator.requests).toEqual([])
})

test('a key that a variable names is that of a credential_process which prints it', async () => {
  const { emulator, sign } = await startService({
    credential_process: printing({ AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey }),
  })
  await sign({ env: { SVC_AUTH_ACCESS_KEY_ID: accessKeyId } })
  expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true, accessKeyId })
})

const printsKey = {
  credential_process: printing({ AccessKeyId: 'OTHERKEY', SecretAccessKey: 'unused' }),
}

test.each([
  [
    'the key of a variable, beside a credential_process of another one',
    printsKey,
    { SVC_AUTH_ACCESS_KEY_ID: accessKeyId },
    [],
    `no secret of the access key ${accessKeyId} (from SVC_AUTH_ACCESS_KEY_ID): set SVC_AUTH_SECRET_ACCESS_KEY, or give the profile a credential_process; the credential_process of the profile only gives none of it`,
  ],
  [
    'the key of a flag, beside a secret of another one',
    {},
    own,
    ['--access-key-id', 'THIRDKEY'],
    `no secret of the access key THIRDKEY (from --access-key-id): set SVC_AUTH_SECRET_ACCESS_KEY, or give the profile a credential_process; SVC_AUTH_SECRET_ACCESS_KEY is that of ${accessKeyId}, from SVC_AUTH_ACCESS_KEY_ID`,
  ],
  [
    'a secret alone, beside a credential_process that prints a key',
    printsKey,
    { SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey },
    [],
    'SVC_AUTH_SECRET_ACCESS_KEY is not used, since a credential_process names the key: set SVC_AUTH_ACCESS_KEY_ID beside it, or neither',
  ],
  [
    "a secret alone, beside AWS's variables",
    {},
    { SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey, ...wrongAws },
    [],
    'SVC_AUTH_SECRET_ACCESS_KEY is not used, since AWS_ACCESS_KEY_ID names the key: set SVC_AUTH_ACCESS_KEY_ID beside it, or neither',
  ],
  [
    'no key, beside a credential_process that prints none',
    { credential_process: printing({ Password: password }) },
    {},
    [],
    'no access key: set SVC_AUTH_ACCESS_KEY_ID, and set SVC_AUTH_SECRET_ACCESS_KEY, or give the profile a credential_process; the credential_process of the profile only gives none of it',
  ],
] as const)(
  '%s: a request and doctor say which place has what',
  async (_, settings, env, flags, says) => {
    const { emulator, home, sign } = await startService(settings)
    const result = await sign({ env }, ...flags)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain(`${says}\n`)
    const doctor = await runCommand(['doctor', ...flags], { home, env })
    expect(doctor.stdout).toContain(`${says}\n`)
    expect(emulator.requests).toEqual([])
  },
)

test.each([
  [{}, ''],
  [
    { SVC_AUTH_USERNAME: 'other@example.com' },
    '; SVC_AUTH_PASSWORD is that of other@example.com, from SVC_AUTH_USERNAME',
  ],
])('a password of another user is named where none is found: %j', async (env, says) => {
  const { token } = await startService({ username })
  const given = says === '' ? env : { ...env, SVC_AUTH_PASSWORD: password }
  const result = await token({ env: given }, '--username', username)
  expect(result.stderr).toContain(`or set SVC_AUTH_PASSWORD${says}\n`)
})

test('the password of a profile without a user is that of the user who is named elsewhere', async () => {
  const { token } = await startService({ credential_process: printing({ Password: password }) })
  expect(await token({ env: { SVC_AUTH_USERNAME: username } })).toMatchObject({ exitCode: 0 })
})

test('the password of one user is never tried for another', async () => {
  const { emulator, token } = await startService({ username })
  const env = { SVC_AUTH_USERNAME: 'other@example.com', SVC_AUTH_PASSWORD: password }
  const result = await token({ env }, '--username', username)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(`${username} is not logged in`)
  expect(emulator.requests).toEqual([])
})

test('a credential_process gives password and key, and is run by a shell or as it stands', async () => {
  const printed = {
    Version: 1,
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Password: password,
  }
  const ways: (string | string[])[] = [
    ...(hasShell ? [`printf '%s' '${JSON.stringify(printed)}' | cat`] : []),
    printing(printed),
  ]
  for (const command of ways) {
    const { emulator, sign, token } = await startService({ username, credential_process: command })
    expect(await token({})).toMatchObject({ exitCode: 0, stderr: '' })
    await sign({})
    expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true, accessKeyId })
  }
})

test.each([
  ['exit 3', 'ended with the exit code 3'],
  ['echo hunter2', 'printed no JSON of the form {"Version":1,"AccessKeyId":'],
  ['echo "{}"', 'printed no JSON of the form {"Version":1,"AccessKeyId":'],
  [printing({ Password: 5 }), 'printed a Password that is no text'],
  [
    printing({ Password: 'hunter2', Expiration: 'soon' }),
    'printed an Expiration that is no instant',
  ],
  [['/no/such/program'], 'could not be run: ENOENT'],
  [['a\0b'], 'could not be run: ERR_INVALID_ARG_VALUE'],
])(
  'a credential_process %j is an error that names the profile: it %s',
  async (command, problem) => {
    const { token } = await startService({ username, credential_process: command })
    const result = await token({})
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain(`the credential_process of the profile only ${problem}`)
    expect(result.stderr).not.toContain('hunter2')
  },
)

test.each([['logout'], ['profile', 'remove', 'only']])(
  '%s %s runs no credential_process',
  async (...argv) => {
    const home = await emptyFolder()
    const ran = join(home, 'ran')
    const service = await startService({
      username,
      access_key_id: accessKeyId,
      credential_process: `touch ${ran}; exit 1`,
    })
    const result = await runCommand(argv, { home: service.home })
    expect(result).toMatchObject({ exitCode: 0, stdout: '' })
    expect(existsSync(ran)).toBe(false)
  },
)

test('a login runs a credential_process for the password alone', async () => {
  const { token } = await startService({
    username,
    credential_process: printing({ Password: password }),
  })
  expect(await token({ env: own })).toMatchObject({ exitCode: 0, stderr: '' })
})

// A shell hands its commands to children, which a signal to the shell alone does not reach.
describe.runIf(hasShell)('a credential_process that hangs', () => {
  async function startHanging() {
    const home = await emptyFolder()
    const [began, ended] = [join(home, 'began'), join(home, 'ended')]
    const command = `(trap '' TERM; touch ${began}; sleep 2; touch ${ended}) | cat`
    const { sign, token } = await startService({ username, credential_process: command })
    const begun = async (): Promise<void> => {
      while (!existsSync(began)) await delay(5)
    }
    const expectEnded = async (): Promise<void> => {
      await delay(2500)
      expect(existsSync(ended)).toBe(false)
    }
    return { sign, token, begun, expectEnded }
  }

  test('ends as a whole with the command', async () => {
    const { token, begun, expectEnded } = await startHanging()
    const interruption = new AbortController()
    const result = token({ signal: interruption.signal })
    await begun()
    const at = Date.now()
    interruption.abort()
    expect(await result).toMatchObject({ exitCode: 130, stdout: '' })
    expect(Date.now() - at).toBeLessThan(1500)
    await expectEnded()
  })

  test('ends as a whole with --max-time, which is told', async () => {
    const { sign, begun, expectEnded } = await startHanging()
    const result = sign({}, '--max-time', '0.5')
    await begun()
    expect(await result).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: 'svc-auth: the request took longer than --max-time 0.5 s\n',
    })
    await expectEnded()
  })

  test('ends as a whole after 60 seconds', async () => {
    const { token, begun, expectEnded } = await startHanging()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const result = token({})
    await begun()
    await vi.advanceTimersByTimeAsync(59_999)
    await vi.advanceTimersByTimeAsync(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await result).toMatchObject({ exitCode: 2, stdout: '' })
    expect((await result).stderr).toContain('of the profile only took longer than 60 s')
    await expectEnded()
  })
})

test('a key that has expired is refused before anything is sent', async () => {
  const printed = {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Expiration: '2020-01-01T00:00:00Z',
  }
  const { emulator, sign } = await startService({
    credential_process: printing(printed),
  })
  const result = await sign({})
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toMatch(/expired/)
  expect(emulator.requests).toEqual([])
})

test('secrets in the keyring are used, and files never hold them', async () => {
  const { baseUrl, emulator, home, sign, token } = await startService({
    username,
    access_key_id: accessKeyId,
  })
  const keyring = memoryKeyring()
  keyring.set(JSON.stringify(['password', baseUrl, username, '']), password)
  keyring.set(JSON.stringify(['secret access key', baseUrl, accessKeyId]), key.secretAccessKey)
  expect(await token({ keyring })).toMatchObject({ exitCode: 0 })
  await sign({ keyring })
  expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true, accessKeyId })
  const doctor = await runCommand(['doctor'], { home, keyring })
  expect(doctor.exitCode).toBe(0)
  expect(doctor.stdout).toContain('from the keyring')
  expect(doctor.stdout).not.toContain(password)
  expect(doctor.stdout).not.toContain(secretAccessKey)
})

test.each([
  ['--password', 'hunter2'],
  ['--password=hunter2'],
  ['--secret-access-key=hunter2'],
  ['--session-token', 'hunter2'],
  ['--proxy-secret=hunter2'],
  ['-u', 'reader:hunter2'],
  ['--passwort=hunter2'],
])('a secret is refused as a flag, and not repeated: %s', async (...flags) => {
  const { home } = await startService()
  const result = await runCommand(['token', ...flags], { home })
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toMatch(/^svc-auth: /)
  expect(result.stderr).not.toContain('hunter2')
})

test('doctor names every setting with its source, and what is missing with its remedy', async () => {
  const { baseUrl, home } = await startService()
  const { exitCode, stdout } = await runCommand(['doctor', '--online'], {
    home,
    env: { SVC_AUTH_REGION: 'eu-west-1', ...aws },
  })
  // Those who have a key may want no user.
  expect(exitCode).toBe(0)
  expect(stdout).toContain(`${baseUrl} (from the profile only)`)
  expect(stdout).toContain('eu-west-1 (from SVC_AUTH_REGION)')
  expect(stdout).toContain('from AWS_SECRET_ACCESS_KEY')
  expect(stdout).toMatch(
    /^ {2}user +none; requests below \/user need one: --username, SVC_AUTH_USERNAME/m,
  )
  expect(stdout).toMatch(/^ {2}service +responds with \d+; the clocks agree/m)
  expect(stdout).not.toContain(secretAccessKey)
})

test('doctor wants a key or a user, not both, and names unknown variables', async () => {
  const { home } = await startService()
  const env = { SVC_AUTH_USERNAME: username, SVC_AUTH_PASSWORD: password, SVC_AUTH_BASEURL: 'x' }
  const one = await runCommand(['doctor'], { home, env })
  expect(one.exitCode).toBe(0)
  expect(one.stdout).toMatch(/^ {2}access key +none; requests outside of \/user need it/m)
  expect(one.stdout).toMatch(/^ {2}unknown variables +SVC_AUTH_BASEURL: not used/m)
  const printed = { credential_process: printing({ Password: password }), username }
  const user = await runCommand(['doctor'], { home: (await startService(printed)).home })
  expect(user.stdout).toMatch(/^ {2}secret of the key +no access key: set SVC_AUTH_ACCESS_KEY_ID/m)
  expect(user.exitCode).toBe(0)
  const none = await runCommand(['doctor'], { home })
  expect(none.exitCode).toBe(2)
  expect(none.stdout).toMatch(/^\? access key/m)
  expect(none.stdout).toMatch(/^\? user/m)
})

test('a path below /user without a user says why one is wanted', async () => {
  const { home } = await startService()
  const { exitCode, stderr } = await runCommand(['fetch', '/user/x.txt'], { home, env: own })
  expect(exitCode).toBe(2)
  expect(stderr).toContain(
    'no user name, and paths below /user take the token of a user: give --username',
  )
})

test.each([
  ['https://reader:hunter2@search.example.com', 'must not contain credentials'],
  ['http://search.example.com?key=hunter2', 'must not have a query'],
  ['search.example.com', 'must be an absolute URL'],
])('a base URL like %s is refused, and not repeated', async (url, problem) => {
  const home = await emptyFolder()
  const result = await runCommand(['fetch', '/V1/'], { home, env: { SVC_AUTH_BASE_URL: url } })
  expect(result.exitCode).toBe(2)
  expect(result.stderr).toContain(`SVC_AUTH_BASE_URL: the base URL ${problem}`)
  expect(result.stderr).not.toContain('hunter2')
})

test('a service that cannot be reached is the exit code 3, with the reason', async () => {
  const service = await createEmulator().listen()
  await service.close()
  const { baseUrl } = service
  const home = await emptyFolder()
  const env = { ...own, SVC_AUTH_BASE_URL: baseUrl, SVC_AUTH_REGION: 'us-east-1' }
  const result = await runCommand(['fetch', '/V1/'], { home, env })
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  expect(result.stderr).toContain('the connection was refused (ECONNREFUSED)')
})

test("a secret of our variable belongs to the key of the profile, and not to that of AWS's", async () => {
  const { emulator, sign } = await startService({ access_key_id: accessKeyId })
  const env = { SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey, AWS_ACCESS_KEY_ID: 'ANOTHER' }
  await sign({ env })
  expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true, accessKeyId })
})

test('doctor finds a secret that was copied with a blank', async () => {
  const { home } = await startService({ access_key_id: accessKeyId })
  const env = { SVC_AUTH_SECRET_ACCESS_KEY: `${secretAccessKey} ` }
  const { exitCode, stdout } = await runCommand(['doctor'], { home, env })
  expect(exitCode).toBe(2)
  expect(stdout).toMatch(
    /^! secret of the key +from SVC_AUTH_SECRET_ACCESS_KEY; .*ends with a blank or a line break$/m,
  )
  expect(stdout).not.toContain(secretAccessKey)
})

test.each([
  ['token', { username: 'reader@example.com' }],
  ['fetch /V1/', { access_key_id: accessKeyId }],
])('http beyond this machine is refused by %s, unless it is allowed', async (line, settings) => {
  const home = await emptyFolder()
  const profile = ['profile', 'add', 'far', '--base-url', 'http://search.example.com']
  await runCommand([...profile, '--region', 'us-east-1', '--allow-insecure-http'], { home })
  const env = {
    SVC_AUTH_USERNAME: '',
    ...own,
    ...('username' in settings && {
      SVC_AUTH_USERNAME: settings.username,
      SVC_AUTH_PASSWORD: password,
    }),
  }
  const refused = await runCommand(line.split(' '), { home, env })
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('http://search.example.com (from the profile far) is not https')
  const signal = AbortSignal.abort()
  const allowed = await runCommand([...line.split(' '), '--allow-insecure-http'], {
    home,
    env,
    signal,
  })
  expect(allowed.stderr).not.toContain('is not https')
})

test('an option that is given twice is refused, and an empty path too', async () => {
  const { home } = await startService({ access_key_id: accessKeyId })
  const run = (...argv: string[]) => runCommand(argv, { home, env: own })
  expect(await run('fetch', '-T', 'a', '-T', 'b', '/V1/')).toMatchObject({
    exitCode: 2,
    stderr: 'svc-auth: -T, --upload-file is given twice\n',
  })
  expect(await run('fetch', '-X', 'DELETE', '')).toMatchObject({
    exitCode: 2,
    stderr: 'svc-auth: the path is empty; / is the base URL itself\n',
  })
})

test('a signature without its secret offers the keyring only where one responds', async () => {
  const { sign } = await startService({ access_key_id: accessKeyId })
  const without = await sign({})
  expect(without.stderr).toContain('set SVC_AUTH_SECRET_ACCESS_KEY')
  expect(without.stderr).not.toContain('keyring')
  expect((await sign({ keyring: memoryKeyring() })).stderr).toContain('in the keyring')
})

test('doctor without --online says that the service was not asked', async () => {
  const { home } = await startService()
  const { stdout } = await runCommand(['doctor'], { home })
  expect(stdout).toMatch(/^ {2}service +not asked; --online sends one request$/m)
})

test.each([
  ['/user/groups', ['session', 'password', 'session']],
  ['/V1/', ['secret access key']],
])('a request to %s looks for the secret that its path needs, and for no other', async (...row) => {
  const [path, places] = row
  const { baseUrl, emulator, home } = await startService({ username, access_key_id: accessKeyId })
  const keyring = memoryKeyring()
  keyring.set(JSON.stringify(['password', baseUrl, username, '']), password)
  keyring.set(JSON.stringify(['secret access key', baseUrl, accessKeyId]), secretAccessKey)
  const asked: string[] = []
  const get = (account: string): string | undefined => {
    asked.push(JSON.parse(account)[0])
    return keyring.get(account)
  }
  await runCommand(['fetch', path], { home, keyring: { ...keyring, get } })
  expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true })
  expect(new Set(asked)).toEqual(new Set(places))
})
