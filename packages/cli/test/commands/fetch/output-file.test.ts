import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasOnPosix } from '../../../../../tests/support/needs.ts'
import { emptyFolder } from '../../support/folder.ts'
import { startPlainServer } from '../../support/plain-server.ts'
import { runCommandLine } from '../../support/run-command-line.ts'

/** Responds to every request with these bytes of an object. */
function part(contentRange: string, body: string): RequestListener {
  return (_request, response) => {
    response.writeHead(206, { 'content-range': contentRange, 'content-length': body.length })
    response.end(body)
  }
}

async function download(listener: RequestListener, ...flags: string[]) {
  const { env } = await startPlainServer(listener)
  const folder = await emptyFolder()
  const file = join(folder, 'a')
  const outcome = await runCommandLine(['fetch', '-o', file, ...flags, '/x'], { env })
  return { ...outcome, file, files: readdirSync(folder) }
}

test.each([
  ['0-9', 'bytes 0-4/100', '01234'],
  ['90-', 'bytes 90-94/100', '01234'],
  ['-10', 'bytes 85-94/100', '0123456789'],
  ['5-9', 'bytes 0-4/100', '01234'],
  ['0-9', 'bytes 0-9/100', '01234'],
  ['0-9', 'bytes 0-4/*', '01234'],
  ['0-9', 'items 0-9/100', '0123456789'],
])('of the range %s, a response with "%s" is no file', async (range, contentRange, body) => {
  const outcome = await download(part(contentRange, body), '--range', range)
  expect(outcome).toMatchObject({ exitCode: 3, stdout: '', files: [] })
  expect(outcome.stderr).toMatch(
    /^svc-auth: GET http:\S+\/x: the service sent "\w+ \d+-\d+\/(?:100|\*)" /,
  )
})

test.each([
  ['0-9', 'bytes 0-9/100'],
  ['0-99', 'bytes 0-9/10'],
  ['-10', 'bytes 90-99/100'],
  ['-99', 'bytes 0-9/10'],
  ['90-', 'bytes 90-99/100'],
  ['90-', 'bytes 90-99/*'],
])('of the range %s, a response with "%s" is the whole', async (range, contentRange) => {
  const { exitCode, file } = await download(part(contentRange, '0123456789'), '-r', range)
  expect(exitCode).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe('0123456789')
})

test('a part that nobody asked for is no file', async () => {
  const outcome = await download(part('bytes 0-4/100', '01234'))
  expect(outcome).toMatchObject({ exitCode: 3, stdout: '', files: [] })
})

test('two downloads of one name at a time leave one of the two whole, and nothing beside it', async () => {
  const { env } = await startPlainServer((request, response) => {
    const letter = request.url?.slice(1) ?? ''
    response.writeHead(200, { 'content-length': 200_000 })
    response.write(letter.repeat(100_000))
    setTimeout(() => response.end(letter.repeat(100_000)), 100)
  })
  const folder = await emptyFolder()
  const file = join(folder, 'a')
  const outcomes = await Promise.all(
    ['x', 'y'].map((path) => runCommandLine(['fetch', '-o', file, `/${path}`], { env })),
  )
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  expect(readFileSync(file, 'utf8')).toMatch(/^(?:x{200000}|y{200000})$/)
  expect(readdirSync(folder)).toEqual(['a'])
})

test.runIf(hasOnPosix('modes of files'))(
  'what replaces a private file is private from its first byte',
  async () => {
    const folder = await emptyFolder()
    const file = join(folder, 'a')
    writeFileSync(file, 'old')
    chmodSync(file, 0o600)
    let modes: readonly number[] = []
    const { env } = await startPlainServer((_request, response) => {
      modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)
      response.end('new')
    })
    const outcome = await runCommandLine(['fetch', '-o', file, '/x'], { env })
    expect(outcome.exitCode).toBe(0)
    expect(modes).toEqual([0o600, 0o600])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  },
)
