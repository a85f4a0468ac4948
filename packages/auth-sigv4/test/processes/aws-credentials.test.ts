import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../../../../tests/support/run-program.ts'
import { createWorld, type World } from '../support/aws-world.ts'
import { nodeOutside, runCommand } from '../testing.ts'

/** Returns a world whose default profile runs a command. */
function commandWorld(command: string, changes?: Parameters<typeof createWorld>[0]): World {
  const world = createWorld(changes)
  world.write(
    '.aws/config',
    `[default]\ncredential_process = ${command.replaceAll('{home}', world.home)}\n`,
  )
  return world
}

/** Returns deadlines that pass when the test says so. */
function deadlines() {
  const controllers: AbortController[] = []
  return {
    deadline: (_ms: number): AbortSignal => {
      const controller = new AbortController()
      controllers.push(controller)
      return controller.signal
    },
    count: (): number => controllers.length,
    pass: (): void => controllers.forEach((controller) => controller.abort()),
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // One that has ended waits for its parent.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe.skipIf(process.platform === 'win32')('credential_process', () => {
  test('that never ends is killed with its group', async () => {
    const { deadline, pass } = deadlines()
    const world = commandWorld(
      `sh -c 'sleep 1000 & echo $! > {home}/child; echo $$ > {home}/pid; wait'`,
    )
    Object.assign(world.outside, { run: (command: string) => runCommand(command, deadline) })
    const problem = world.problem()
    const pidOf = (name: string): number => {
      try {
        return Number(readFileSync(join(world.home, name), 'utf8'))
      } catch {
        return 0
      }
    }
    await expect.poll(() => pidOf('pid') > 0 && pidOf('child') > 0).toBe(true)
    const pids = [pidOf('pid'), pidOf('child')]
    expect(pids.map(isAlive)).toEqual([true, true])
    pass()
    expect(await problem).toContain('its credential_process took longer than 60000 ms')
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false])
  })

  test('that is under way is killed by the signal of the caller, and no later one begins', async () => {
    const controller = new AbortController()
    const world = commandWorld(`sh -c 'echo $$ >> {home}/pid; exec sleep 1000'`)
    Object.assign(world.outside, nodeOutside(fetch, Date.now, controller.signal), {
      variable: world.outside.variable,
    })
    const credentials = world.create()
    const reason = credentials().catch((error: unknown) => error)
    const file = join(world.home, 'pid')
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+\n$/)
    const pid = Number(readFileSync(file, 'utf8'))
    controller.abort()
    expect(await reason).toMatchObject({ name: 'AbortError' })
    await expect.poll(() => isAlive(pid)).toBe(false)
    await expect(credentials()).rejects.toMatchObject({ name: 'AbortError' })
    expect(readFileSync(file, 'utf8')).toBe(`${pid}\n`)
  })

  test('that prints without end is killed', async () => {
    const world = commandWorld('yes secret')
    const problem = await world.problem()
    expect(problem).toContain('its credential_process printed more than 65536 bytes')
    expect(problem).not.toContain('secret')
  })

  test.each<[what: string, command: string, problem: string]>([
    ['is not there', 'no-such-program-here 2>/dev/null', 'ended with the exit code 127'],
    ['fails', `echo secret; exit 3`, 'ended with the exit code 3'],
    ['kills itself', `kill -9 $$`, 'ended with the exit code null'],
    ['prints nothing', 'true', 'printed no JSON with "Version": 1'],
    ['prints rubbish', 'echo secret', 'printed no JSON with "Version": 1'],
    ['prints null', 'echo null', 'printed no JSON with "Version": 1'],
    ['prints a version in text', `echo '{"Version":"1"}'`, 'printed no JSON with "Version": 1'],
    ['prints no key', `echo '{"Version":1}'`, 'printed no AccessKeyId and SecretAccessKey'],
    [
      'prints a number',
      `echo '{"Version":1,"AccessKeyId":1}'`,
      'printed a AccessKeyId that is no text',
    ],
    [
      'prints an end that is no date',
      `echo '{"Version":1,"AccessKeyId":"a","SecretAccessKey":"secret","Expiration":"soon"}'`,
      'printed an Expiration that is no date',
    ],
  ])('that %s is an error without what it printed', async (_what, command, problem) => {
    const message = await commandWorld(command).problem()
    expect(message).toContain(`its credential_process ${problem}`)
    expect(message).not.toMatch(/secret\b/)
  })

  test('that leaves a child with its output gives its key a moment after its end', async () => {
    const { count, deadline, pass } = deadlines()
    const printed = `{"Version":1,"AccessKeyId":"TOOL","SecretAccessKey":"b"}`
    const world = commandWorld(`echo '${printed}'; sleep 1000 & echo $! > {home}/child`)
    Object.assign(world.outside, { run: (command: string) => runCommand(command, deadline) })
    const found = world.problem()
    // The second is that of what it printed.
    await expect.poll(count).toBe(2)
    pass()
    expect(await found).toBe('found TOOL')
    const child = Number(readFileSync(join(world.home, 'child'), 'utf8'))
    expect(isAlive(child)).toBe(true)
    process.kill(child)
  })

  test('that prints a secret to the standard error has it in no message of ours', async () => {
    const world = commandWorld(`echo hidden-value >/dev/null; echo '{"Version":1}'; exit 4`)
    expect(await world.problem()).not.toContain('hidden-value')
  })

  test('gets the environment, and runs once for all who ask', async () => {
    const printed = `{"Version":1,"AccessKeyId":"TOOL","SecretAccessKey":"b"}`
    const world = commandWorld(`echo x >> {home}/runs; echo '${printed}'`)
    const credentials = world.create()
    const keys = await Promise.all(Array.from({ length: 30 }, () => credentials()))
    expect(keys.every(({ accessKeyId }) => accessKeyId === 'TOOL')).toBe(true)
    expect(readFileSync(join(world.home, 'runs'), 'utf8')).toBe('x\n')
  })
})

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  /** Returns a world whose config file is a pipe. */
  async function pipeWorld(changes?: Parameters<typeof createWorld>[0]) {
    const world = createWorld(changes)
    const path = join(world.home, 'pipe')
    await run('mkfifo', [path])
    world.variables['AWS_CONFIG_FILE'] = path
    world.variables['AWS_EC2_METADATA_DISABLED'] = 'true'
    return { world, path }
  }

  test('that nobody writes to is left after the deadline', async () => {
    const { deadline, pass, count } = deadlines()
    const { readFile } = nodeOutside(fetch, Date.now, undefined, deadline)
    const { world, path } = await pipeWorld({ readFile })
    const problem = world.problem()
    await expect.poll(count).toBe(2)
    pass()
    expect(await problem).toContain(`${path} cannot be read (AbortError)`)
  })

  test('with a slow writer is read to its end', async () => {
    const { world, path } = await pipeWorld()
    const key = world.problem({ profile: 'app' })
    const lines = `echo '[profile app]'; sleep 0.2; echo 'aws_access_key_id = PIPE'`
    const script = `(${lines}; echo 'aws_secret_access_key = b') > ${path}`
    await run('sh', ['-c', script])
    expect(await key).toBe('found PIPE')
  })

  test('that nobody writes to does not keep a process', async () => {
    const { path } = await pipeWorld()
    const without = { AWS_EC2_METADATA_DISABLED: 'true', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' }
    const { stderr } = await runProgram({ ...without, AWS_CONFIG_FILE: path })
    expect(stderr).toContain('ERR_AUTH_CREDENTIALS')
  })
})

const program = `
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { awsCredentials } from '@svc/auth-sigv4/credentials'
import { explain } from '@svc/auth-sigv4/explain'
const credentials = awsCredentials()
const auth = createAwsAuth({ credentials, region: await credentials.region() })
const { headers } = await explain(auth, 'https://sqs.eu-west-1.amazonaws.com/')
console.log(headers.get('authorization').split('/')[0], await credentials.region())
`

test('in a process of its own, the files of its user sign', async () => {
  const home = mkdtempSync(join(tmpdir(), 'aws-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const file = join(home, 'credentials')
  writeFileSync(
    file,
    '[app]\naws_access_key_id = APP\naws_secret_access_key = b\nregion = eu-west-3\n',
  )
  const { stdout, stderr } = await runProgram({
    AWS_SHARED_CREDENTIALS_FILE: file,
    AWS_CONFIG_FILE: join(home, 'config'),
    AWS_PROFILE: 'app',
  })
  expect(stderr).toBe('')
  expect(stdout).toBe('AWS4-HMAC-SHA256 Credential=APP eu-west-3\n')
})

function runProgram(environment: Record<string, string>) {
  const command = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning']
  const args = [...command, '--input-type=module', '--eval', program]
  const own = Object.keys(process.env).filter((name) => name.startsWith('AWS_'))
  const none = Object.fromEntries(own.map((name) => [name, undefined]))
  // The package finds itself by name from its own folder.
  const folder = join(import.meta.dirname, '../..')
  return run(process.execPath, args, '', { ...none, ...environment }, folder)
}
