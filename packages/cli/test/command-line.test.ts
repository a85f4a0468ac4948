import { readFile } from 'node:fs/promises'
import { createEmulator } from '@svc/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { emptyFolder } from './support/folder.ts'
import { runCommand } from './support/run-command.ts'

const linesWithSecrets = [
  ['fetch', '-ureader:hunter2', '/V1/a'],
  ['fetch', '-phunter2', '/V1/a'],
  ['fetch', '-sphunter2', '/V1/a'],
  ['fetch', '-svuhunter2', '/V1/a'],
  ['fetch', '--user=reader:hunter2', '/V1/a'],
  ['fetch', '--pasword=hunter2', '/V1/a'],
  ['-phunter2', 'fetch'],
  ['--pasword=hunter2', 'fetch'],
  ['login', '--password=hunter2'],
  ['login', "--frob=a line\nhunter2'"],
].map((line): [readonly string[]] => [line])

test.each(linesWithSecrets)('a secret in a flag is not shown again: %j', async (argv) => {
  const { exitCode, stdout, stderr } = await runCommand(argv)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toMatch(/^svc-auth: (?:unknown option '--?\w+'|--?\w+ is no flag)/)
  expect(stderr).not.toContain('hunter2')
})

test.each([
  [['--profile', 'dev', 'fetch', '/V1/a'], '--profile', 'svc-auth fetch --profile'],
  [['--base-url=https://a.example', 'login'], '--base-url', 'svc-auth login --base-url'],
  [['-X', 'PUT', 'sign', '/V1/a'], '-X', 'svc-auth sign -X'],
  [['-X', 'PUT', 'profile', 'list'], '-X', 'svc-auth fetch -X'],
  [['-v'], '-v', 'svc-auth fetch -v'],
  [['-v', 'login'], '-v', 'svc-auth fetch -v'],
])('a flag before the command says where it belongs: %j', async (argv, flag, remedy) => {
  const { exitCode, stderr } = await runCommand(argv)
  expect(exitCode).toBe(2)
  expect(stderr).toBe(`svc-auth: ${flag} stands after the command: ${remedy} …\n`)
})

test.each([
  [['login', '-v'], "unknown option '-v': it is one of svc-auth fetch\n"],
  [
    ['sign', '--curl', '-T', 'a.txt', '/V1/'],
    "unknown option '-T': give -X PUT -d @file and its content-type by -H\n",
  ],
  [
    ['fetch', '-C', '-', '/V1/a'],
    "unknown option '-C': flags of curl work by svc-auth sign or svc-auth proxy\n",
  ],
  [['fetch', '--continue-at=hunter2', '/V1/a'], "unknown option '--continue-at': flags of curl"],
])('a flag that a command lacks names what to take in its place: %j', async (argv, says) => {
  const { exitCode, stderr } = await runCommand(argv)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`svc-auth: ${says}`)
  expect(stderr).not.toContain('hunter2')
})

test('without a keyring and a terminal, the first use goes on as the messages say', async () => {
  const user = { username: 'reader@example.com', password: 'Pass-5kQ2vW9xZ7' }
  const apiKey = { accessKeyId: 'AKIDREADER', secretAccessKey: 'Secret-8fJ3mN6bT1' }
  const emulator = createEmulator({ users: [user], apiKeys: [apiKey] })
  const service = await emulator.listen()
  onTestFinished(() => service.close())
  const { baseUrl } = service
  const home = await emptyFolder()
  const add = ['profile', 'add', 'production', '--base-url', baseUrl, '--region', 'us-east-1']
  const who = ['--username', user.username, '--access-key-id', apiKey.accessKeyId]
  const added = await runCommand([...add, ...who], { home })
  expect(added.exitCode).toBe(0)
  expect(added.stderr).toContain('SVC_AUTH_SECRET_ACCESS_KEY')
  expect(added.stderr).toContain('svc-auth login --password-stdin')
  const login = ['login', '--password-stdin']
  expect((await runCommand(login, { home, stdin: `${user.password}\n` })).exitCode).toBe(0)
  expect((await runCommand(['fetch', '/user/groups'], { home })).exitCode).toBe(0)
  const signed = ['fetch', '-T', '-', '/V1/a']
  const unsigned = await runCommand(signed, { home, stdin: 'text' })
  expect(unsigned).toMatchObject({ exitCode: 2, stdout: '' })
  expect(unsigned.stderr).toContain('SVC_AUTH_SECRET_ACCESS_KEY')
  const env = { SVC_AUTH_SECRET_ACCESS_KEY: apiKey.secretAccessKey }
  expect((await runCommand(signed, { home, stdin: 'text', env })).exitCode).toBe(0)
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  expect(readme).toContain('svc-auth login --password-stdin')
})

test.each([
  [['profile', 'save', 'production'], "unknown command 'save'\n(svc-auth profile --help"],
  [['frob'], "unknown command 'frob'\n(svc-auth --help lists the commands)"],
  [['fetsch', '/V1/a'], "unknown command 'fetsch'\n(Did you mean fetch?)"],
])('an unknown command says where those are that there are: %j', async (argv, text) => {
  const { exitCode, stdout, stderr } = await runCommand(argv)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(text)
})

test.each([
  ['--password', 'svc-auth login --password-stdin'],
  ['--password-file', 'svc-auth login --password-stdin < file'],
  ['--secret-access-key-file', 'svc-auth profile add --secret-stdin < file'],
])('%s says how to give a secret', async (flag, remedy) => {
  const { exitCode, stderr } = await runCommand(['login', flag, 'hunter2'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain(remedy)
  expect(stderr).toContain('list of processes')
  expect(stderr).not.toContain('hunter2')
})

test('the help says where the secret of the key is looked for', async () => {
  for (const argv of [['profile', 'add'], ['fetch']]) {
    const { stdout } = await runCommand([...argv, '--help'])
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'The secret of the key: $SVC_AUTH_SECRET_ACCESS_KEY, then the credential_process, then the keyring.',
    )
  }
})
