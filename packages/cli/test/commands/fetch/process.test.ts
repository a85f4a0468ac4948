import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasOnPosix } from '../../../../../tests/support/needs.ts'
import { isNightly } from '../../../../../tests/support/nightly.ts'
import { emptyFolder } from '../../support/folder.ts'
import { startPlainServer } from '../../support/plain-server.ts'
import { startService } from '../../support/run-command-line.ts'
import { commandArguments } from '../../support/run-process.ts'
import { startProgram } from '../../support/start-program.ts'

const program = [process.execPath, ...commandArguments]

/** Sends a body until its reader leaves. */
function sendForever(response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024, 'a line of text\n')
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  }
  response.on('drain', more)
  more()
}

test('a pipe goes in and comes out', async () => {
  const { env } = await startService()
  const input = Buffer.alloc(20 * 1024 * 1024, 'all the bytes')
  const upload = await startProgram(['fetch', '-T', '-', '/V1/a'], env)
  upload.child.stdin.end(input)
  expect(await upload.ended).toEqual({ status: 0, signal: null, stderr: '' })
  const download = await startProgram(['fetch', '/V1/a'], env)
  const chunks: Buffer[] = []
  download.child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  expect(await download.ended).toEqual({ status: 0, signal: null, stderr: '' })
  expect(Buffer.concat(chunks).equals(input)).toBe(true)
})

test.runIf(hasOnPosix('named pipes'))('a named pipe is opened once', async () => {
  const { emulator, env } = await startService()
  const pipe = join(await emptyFolder(), 'pipe')
  expect(spawnSync('mkfifo', [pipe])).toMatchObject({ status: 0 })
  const { ended } = await startProgram(['fetch', '-T', pipe, '/V1/a'], env)
  await writeFile(pipe, 'hello')
  expect(await ended).toEqual({ status: 0, signal: null, stderr: '' })
  expect(emulator.requests[0]?.headers['content-length']).toBe('5')
})

test('a reader that leaves, as head does, ends it quietly', async () => {
  const { env } = await startPlainServer((_request, response) => {
    response.setHeader('content-length', 1e12)
    sendForever(response)
  })
  const { child, ended } = await startProgram(['fetch', '/x'], env)
  await once(child.stdout, 'data')
  child.stdout.destroy()
  expect(await ended).toEqual({ status: 0, signal: null, stderr: '' })
})

test('a reader that leaves before an error response does not hide it', async () => {
  const { env } = await startPlainServer((_request, response) => {
    response.writeHead(404)
    sendForever(response)
  })
  const { child, ended } = await startProgram(['fetch', '/x'], env)
  await once(child.stdout, 'data')
  child.stdout.destroy()
  expect(await ended).toMatchObject({ status: 1, stderr: expect.stringContaining('404 Not Found') })
})

describe.runIf(hasOnPosix('signals that another process could send'))('Ctrl-C', () => {
  test('during an upload from a pipe that goes on ends it at once', async () => {
    let isReached = (): void => {}
    const reached = new Promise<void>((resolve) => (isReached = resolve))
    const { env } = await startPlainServer((request) => {
      request.once('data', isReached)
    })
    const argv = ['fetch', '-T', '-', '-H', 'Content-Length: 1000000', '/x']
    const { child, ended } = await startProgram(argv, env)
    child.stdin.write('the beginning')
    await reached
    child.kill('SIGINT')
    const { status, stderr } = await ended
    expect(status).toBe(130)
    expect(stderr).toMatch(/^svc-auth: interrupted; PUT \S+\/x was not completed\n$/)
  })

  test('while a pipe is being read ends it at once', async () => {
    const { env } = await startService()
    const { child, ended } = await startProgram(['fetch', '-v', '-T', '-', '/V1/a'], env)
    child.stdin.write('the beginning')
    // What is beyond the buffer of the pipe is taken only once it is being read.
    await new Promise((resolve) => child.stdin.write(Buffer.alloc(1024 * 1024), resolve))
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ status: 130 })
  })

  test('during a download leaves no file', async () => {
    const folder = await emptyFolder()
    const { env } = await startPlainServer((_request, response) => {
      response.write('the beginning', () => child.kill('SIGINT'))
    })
    const { child, ended } = await startProgram(['fetch', '-o', join(folder, 'a'), '/x'], env)
    expect(await ended).toMatchObject({ status: 130 })
    expect(readdirSync(folder)).toEqual([])
  })

  test('while a login hangs ends it at once', async () => {
    const { env } = await startPlainServer(() => child.kill('SIGINT'))
    const user = { SVC_AUTH_USERNAME: 'me', SVC_AUTH_PASSWORD: 'hidden' }
    const { child, ended } = await startProgram(['fetch', '/user/groups'], { ...env, ...user })
    const { status, stderr } = await ended
    expect(status).toBe(130)
    expect(stderr).not.toContain('hidden')
  })
})

describe.runIf(process.platform === 'linux')('a full disk', () => {
  test('on standard output is one line', async () => {
    const { env } = await startPlainServer((_request, response) => response.end('text'))
    const full = ['sh', '-c', 'exec "$0" "$@" > /dev/full', ...program]
    const { ended } = await startProgram(['fetch', '/x'], env, full)
    expect(await ended).toMatchObject({
      status: 2,
      stderr: 'svc-auth: standard output cannot be written (ENOSPC)\n',
    })
  })

  test('under a download names the file, and leaves the old one alone', async () => {
    const folder = await emptyFolder()
    const file = join(folder, 'a')
    writeFileSync(file, 'old')
    const { env } = await startPlainServer((_request, response) => {
      response.end(Buffer.alloc(4 * 1024 * 1024))
    })
    const limited = ['sh', '-c', 'ulimit -f 1024; exec "$0" "$@"', ...program]
    const { ended } = await startProgram(['fetch', '-o', file, '/x'], env, limited)
    expect(await ended).toMatchObject({
      status: 2,
      stderr: `svc-auth: --output ${file} cannot be written (EFBIG)\n`,
    })
    expect(readFileSync(file, 'utf8')).toBe('old')
    expect(readdirSync(folder)).toEqual(['a'])
  })

  test('under a pipe that must be kept names the remedy, and leaves nothing behind', async () => {
    const { env } = await startService()
    const folder = await emptyFolder()
    const limited = ['sh', '-c', 'ulimit -f 1024; exec "$0" "$@"', ...program]
    const argv = ['fetch', '-T', '-', '/V1/a']
    const { child, ended } = await startProgram(argv, { ...env, TMPDIR: folder }, limited)
    child.stdin.end(Buffer.alloc(20 * 1024 * 1024))
    const { status, stderr } = await ended
    expect(status).toBe(2)
    expect(stderr).toMatch(/^svc-auth: a pipe cannot be kept in \S+ \(EFBIG\); set TMPDIR/)
    expect(readdirSync(folder)).toEqual([])
  })
})

test.runIf(isNightly && process.platform === 'linux')(
  'memory stays small, however large a body is',
  async () => {
    const folder = await emptyFolder()
    const file = join(folder, 'large')
    writeFileSync(file, '')
    // Without a block on the disk.
    truncateSync(file, 400 * 1024 * 1024)
    const { env } = await startPlainServer((request, response) => {
      request.resume().on('end', () => response.end())
    })
    const script = `process.on('exit', () => {
      process.stderr.write(String(process.resourceUsage().maxRSS))
    })`
    const loader = join(folder, 'measure.mjs')
    writeFileSync(loader, script)
    const { ended } = await startProgram(['fetch', '-T', file, '/x'], env, [
      process.execPath,
      '--import',
      loader,
      ...commandArguments,
    ])
    const { status, stderr } = await ended
    expect(status).toBe(0)
    expect(Number(stderr)).toBeLessThan(256 * 1024)
  },
)
