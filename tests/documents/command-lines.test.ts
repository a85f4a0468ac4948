import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { createEmulator } from '@svc/emulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../packages/cli/src/commands/commands.ts'
import { hasProgram } from '../support/needs.ts'
import { isNightly } from '../support/nightly.ts'
import { freePort } from '../support/redis-server.ts'
import { type Finished, run } from '../support/run-program.ts'

// Every line of the command's README and of its help, as a shell runs it, with the package as it is built.

const root = join(import.meta.dirname, '../..')
const program = join(root, 'packages/cli/dist/cli.js')
const node20 = join(root, 'tests/node_modules/node20/bin/node')
// By day the pinned Node, which keeps what it has compiled.
const takesNode20 =
  isNightly && hasProgram('Node 20', [node20, '--version'], 'an install on Linux with x64')
const install = (name: string): string => `apt-get install -y --no-install-recommends ${name}`
const hasCurl = hasProgram('curl', ['curl', '--version'], install('curl'))
const hasAws = hasProgram('aws', ['/usr/bin/aws', '--version'], install('awscli'))
const hasJq = hasProgram('jq', ['jq', '--version'], install('jq'))

const secrets = {
  SVC_AUTH_PASSWORD: 'not-a-secret-password',
  SVC_AUTH_SECRET_ACCESS_KEY: 'not-a-secret-key',
  SVC_AUTH_PROXY_ACCESS_KEY_ID: 'PLACEHOLDER',
  SVC_AUTH_PROXY_SECRET_ACCESS_KEY: 'not-a-secret-of-the-proxy',
}
const printed = { Password: secrets.SVC_AUTH_PASSWORD }
const accessKeys = ['AKIDREADER', 'AKIDEXAMPLE']
const emulator = createEmulator({
  // All lines are those of one user, at the same time.
  uniqueSessionEndsOthers: false,
  users: [{ username: 'reader@example.com', password: secrets.SVC_AUTH_PASSWORD }],
  apiKeys: accessKeys.map((accessKeyId) => ({
    accessKeyId,
    secretAccessKey: secrets.SVC_AUTH_SECRET_ACCESS_KEY,
  })),
})
let service: Awaited<ReturnType<typeof emulator.listen>>
let refused: string
beforeAll(async () => {
  service = await emulator.listen()
  const { baseUrl } = service
  const credentials = {
    accessKeyId: 'AKIDREADER',
    secretAccessKey: secrets.SVC_AUTH_SECRET_ACCESS_KEY,
  }
  const auth = createSigV4Auth({ baseUrl, region: 'us-east-1', credentials })
  const serviceFetch = authFetch(auth, { baseUrl })
  await serviceFetch('/V1/report.csv', { method: 'PUT', body: 'month;sum\n' })
  await serviceFetch('/V1/settings.json', { method: 'PUT', body: '{"theme":"dark"}' })
  const unsigned = await fetch(`${baseUrl}/V1/report.csv`)
  refused = `HTTP/1.1 403 Forbidden\r\n\r\n${await unsigned.text()}`
})
afterAll(() => service.close())

/** A user with a shell, and the files that the documents speak of. */
async function createUser(
  profiles: readonly string[],
  given: Readonly<Record<string, string>> = secrets,
) {
  const home = await mkdtemp(join(tmpdir(), 'svc-auth-lines-'))
  const bin = join(home, 'bin')
  for (const name of ['bin', 'logs', '.svc']) await mkdir(join(home, name), { mode: 0o700 })
  const port = String(await freePort())
  const files = {
    'bin/svc-auth': `#!/bin/sh\nexec '${takesNode20 ? node20 : process.execPath}' '${program}' "$@"\n`,
    'bin/pass': `#!/bin/sh\nif [ "$2" = staging ]; then echo '${JSON.stringify(printed)}'; else echo '${secrets.SVC_AUTH_PASSWORD}'; fi\n`,
    'bin/aws': '#!/bin/sh\nexec /usr/bin/aws "$@"\n',
    'report.csv': 'month;sum\n',
    'password.txt': `${secrets.SVC_AUTH_PASSWORD}\n`,
    'secret.txt': `${secrets.SVC_AUTH_SECRET_ACCESS_KEY}\n`,
    'refused.txt': refused,
    'logs/a.log': 'a line\n',
    'users.json': '[{"username":"reader@example.com","password":"a password"}]',
    'keys.json': '[{"accessKeyId":"READERKEY","secretAccessKey":"a secret"}]',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text)
  await mkdir(join(home, '.config/svc-auth'), { recursive: true })
  const texts = profiles.map((name) => {
    const lines = Object.entries({ base_url: service.baseUrl, ...profile })
    return `[${name}]\n${lines.map(([key, value]) => `${key} = "${value}"\n`).join('')}`
  })
  await writeFile(join(home, '.config/svc-auth/profiles.toml'), texts.join('\n'), { mode: 0o600 })
  for (const name of ['svc-auth', 'pass', 'aws']) await chmod(join(bin, name), 0o755)
  const env = {
    ...process.env,
    ...given,
    PATH: [bin, process.env['PATH']].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: '',
    XDG_CACHE_HOME: '',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_CA_BUNDLE: '',
    SVC_AUTH_KEYRING: 'off',
  }
  const here = (text: string): string =>
    text
      .replaceAll(/https:\/\/(?:search|staging)\.example\.com/g, service.baseUrl)
      .replaceAll('8377', port)
      // Each proxy of the documents would take the same port.
      .replaceAll('svc-auth proxy', `svc-auth proxy --port ${port}`)
      .replaceAll(`--port ${port} --socket`, '--socket')
      .replaceAll('--port 8080', '--port 0')
  const child = (text: string) =>
    spawn('sh', ['-e', '-c', here(text).replace(/(^|&& )svc-auth /, '$1exec svc-auth ')], {
      cwd: home,
      env,
      stdio: 'pipe',
    })
  return {
    sh: (text: string): Promise<Finished> => run('sh', ['-e', '-c', here(text)], '', env, home),
    /** Starts a command that serves, and resolves once it says where. */
    async start(text: string) {
      const server = child(text)
      let shown = ''
      server.stderr.on('data', (chunk: Buffer) => (shown += chunk.toString()))
      await new Promise<void>((resolve, reject) => {
        server.stdout.on('data', (chunk: Buffer) => {
          shown += chunk.toString()
          if (/^(?:listening on |\{"listening":)/im.test(shown)) resolve()
        })
        server.once('exit', () => reject(new Error(shown)))
      })
      const ended = once(server, 'close')
      return async () => {
        server.kill()
        await ended
      }
    },
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

const serves = /(?:^|&& )svc-auth (?:proxy|emulator)\b/

describe.runIf(hasCurl)('the README of the command', async () => {
  const text = await readFile(join(root, 'packages/cli/README.md'), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block)

  test.runIf(hasAws)(
    'every block does what it says, one after the other',
    async () => {
      const user = await createUser([])
      const stops: (() => Promise<void>)[] = []
      try {
        for (const block of blocks.filter((one) => !one.startsWith('npm install'))) {
          const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
          const server = lines.find((line) => serves.test(line))
          if (server !== undefined) stops.push(await user.start(server))
          const result = server === undefined ? await user.sh(block) : { status: 0 }
          expect({ block, ...result }).toMatchObject({ status: 0 })
        }
        expect(blocks.length).toBeGreaterThan(6)
      } finally {
        // What still runs may write where the folder is removed.
        await Promise.all(stops.map((stop) => stop()))
        await user.remove()
      }
    },
    120_000,
  )
})

test('the guide to a server without a keyring runs as it stands', async () => {
  const text = await readFile(join(root, 'docs/guides/no-keyring.md'), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block)
  const [, firstUse = '', inCi = '', inCron = '', removal = ''] = blocks
  const user = await createUser([])
  try {
    const withoutSecrets = 'unset SVC_AUTH_PASSWORD SVC_AUTH_SECRET_ACCESS_KEY\n'
    expect(await user.sh(withoutSecrets + firstUse)).toMatchObject({ status: 0 })
    const variables = firstUse.match(/^export .*$/gm) ?? []
    expect(await user.sh([...variables, inCi].join('\n'))).toMatchObject({ status: 0 })
    const pairs = [...variables.join(' ').matchAll(/(\w+)=(\S+)/g)].map(([, ...pair]) => pair)
    const file = [...pairs, ...Object.entries(secrets)].map(([name, value]) => `${name}='${value}'`)
    const here = inCron
      .replace('/etc/svc-auth.env', '"$HOME/svc-auth.env"')
      .replace('/usr/local/bin/', '"$HOME"/bin/')
      .replace('/var/lib/groups.json', '"$HOME/groups.json"')
    const write = `cat > "$HOME/svc-auth.env" <<'END'\n${file.join('\n')}\nEND\n`
    const runCron = (lines: string) =>
      user.sh(`${write}${lines}env -i HOME="$HOME" sh <<'END'\n${here}END\ncat groups.json`)
    expect(await runCron('')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\[/) })
    // Nobody is logged in any more, and the last file stays.
    const failing = await runCron(
      `echo SVC_AUTH_PASSWORD=wrong >> "$HOME/svc-auth.env"\n${variables.join('\n')}\nsvc-auth logout\n`,
    )
    expect(failing).toMatchObject({ status: 1, stdout: '' })
    expect((await user.sh('cat groups.json')).stdout).toMatch(/^\[/)
    expect(blocks).toHaveLength(5)
    // That of npm is the last.
    const removed = await user.sh(removal.replace(/^npm .*$/m, ''))
    expect(removed.stdout.match(/\S+svc-auth\S+/g)).toHaveLength(2)
    expect((await user.sh('find . -path "*/.*/svc-auth*"')).stdout).toBe('')
  } finally {
    await user.remove()
  }
})

const profile = {
  region: 'us-east-1',
  username: 'reader@example.com',
  access_key_id: 'AKIDREADER',
}

/** Lines that pass the output of the command on, to a pipe or a variable: a shell does not say by itself that it failed. */
const passesOn = /^(?!#|\|).*svc-auth (?!profile|proxy)[^|&`]*[|)]/

/** Those that end with another code, as they should. */
const refusals = [/--response refused\.txt/]

describe.runIf(hasCurl && hasJq)('the examples of the help', () => {
  const examples = commands
    .flatMap((one) => ('commands' in one ? one.commands : [one]))
    .flatMap((definition) => definition.examples)

  test.concurrent.each(examples.map(({ line, does }) => [does, line]))('%s', async (_, line) => {
    // One that is added is not there yet.
    const profiles = ['production', ...(line.includes('staging') ? ['staging'] : [])]
    const user = await createUser(profiles.filter((name) => !line.includes(`add ${name}`)))
    try {
      const [first = '', ...others] = line.split('\n')
      const stop = serves.test(first) ? await user.start(first) : undefined
      const rest = stop ? others.join('\n') : line
      const status = refusals.some((pattern) => pattern.test(line)) ? 1 : 0
      expect(await user.sh(rest)).toMatchObject({ status })
      await stop?.()
    } finally {
      await user.remove()
    }
  })

  const readme = readFileSync(join(root, 'packages/cli/README.md'), 'utf8')
  const lines = [...examples.map(({ line }) => line), ...readme.split('\n')]
  test.concurrent.each(lines.filter((line) => passesOn.test(line)))(
    'fails where there is no password and no secret: %s',
    async (line) => {
      const user = await createUser(['production'], {})
      try {
        const { status } = await user.sh(line)
        expect(status).not.toBe(0)
      } finally {
        await user.remove()
      }
    },
  )
})
