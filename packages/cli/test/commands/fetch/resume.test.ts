import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyFolder } from '../../support/folder.ts'
import { startPlainServer } from '../../support/plain-server.ts'
import { runCommandLine } from '../../support/run-command-line.ts'

const first = Buffer.from('0123456789'.repeat(400_000))
const second = Buffer.from('abcdefghij'.repeat(400_000))

/** A service with one object, of which it sends no more than `limit` bytes at once: of the last, the client may lose some. */
async function startObject(heeds: 'if-range' | 'range alone' | 'nothing' = 'if-range') {
  const object = { body: first, etag: '"first"', limit: 1_500_000 }
  const ranges: (string | undefined)[] = []
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const { range, 'if-range': ifRange } = request.headers
    ranges.push(range)
    const { body, etag, limit } = object
    const isRange = heeds === 'range alone' || (heeds === 'if-range' && ifRange === etag)
    const start = range !== undefined && isRange ? Number(/\d+/.exec(range)?.[0]) : undefined
    response.setHeader('etag', etag)
    if (start === undefined) {
      response.writeHead(200, { 'content-length': body.byteLength })
    } else if (start >= body.byteLength) {
      response.writeHead(416, { 'content-range': `bytes */${body.byteLength}` }).end()
      return
    } else {
      response.writeHead(206, {
        'content-length': body.byteLength - start,
        'content-range': `bytes ${start}-${body.byteLength - 1}/${body.byteLength}`,
      })
    }
    const piece = body.subarray(start ?? 0, (start ?? 0) + limit)
    if ((start ?? 0) + limit >= body.byteLength) response.end(piece)
    else response.write(piece, () => response.destroy())
  }
  const { env } = await startPlainServer(respond)
  const folder = await emptyFolder()
  const file = join(folder, 'object')
  const download = (path = '/x', ...argv: string[]) =>
    runCommandLine(['fetch', '-C', '-', '-o', file, ...argv, path], { env })
  return { object, ranges, folder, file, download }
}

test('a download that breaks off goes on where it was until it is complete', async () => {
  const { ranges, folder, file, download } = await startObject()
  const broken = await download()
  expect(broken).toMatchObject({ exitCode: 3, stdout: '' })
  const offset = /svc-auth: the same command goes on after (\d+) bytes\n/.exec(broken.stderr)?.[1]
  expect(Number(offset)).toBeGreaterThan(1_000_000)
  expect(readdirSync(folder).toSorted()).toEqual(['object.part', 'object.part.json'])
  expect(await download()).toMatchObject({ exitCode: 3 })
  expect(await download()).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(readFileSync(file).equals(first)).toBe(true)
  expect(readdirSync(folder)).toEqual(['object'])
  expect(ranges).toEqual([
    undefined,
    `bytes=${offset}-`,
    expect.stringMatching(/^bytes=[2-3]\d{6}-$/),
  ])
})

describe.each(['if-range', 'range alone', 'nothing'] as const)(
  'at a service that heeds %s',
  (heeds) => {
    test('an object that has changed is got anew', async () => {
      const { object, file, folder, download } = await startObject(heeds)
      expect(await download()).toMatchObject({ exitCode: 3 })
      Object.assign(object, { body: second, etag: '"second"', limit: 1e7 })
      expect(await download()).toEqual({ exitCode: 0, stdout: '', stderr: '' })
      expect(readFileSync(file).equals(second)).toBe(true)
      expect(readdirSync(folder)).toEqual(['object'])
    })

    test('an object that has become shorter is got anew', async () => {
      const { object, file, download } = await startObject(heeds)
      expect(await download()).toMatchObject({ exitCode: 3 })
      Object.assign(object, { body: second.subarray(0, 100), etag: '"second"', limit: 1e7 })
      expect(await download()).toEqual({ exitCode: 0, stdout: '', stderr: '' })
      expect(readFileSync(file).equals(second.subarray(0, 100))).toBe(true)
    })
  },
)

test('a part that is complete takes its place without being sent again', async () => {
  const { object, file, folder, download } = await startObject()
  await download()
  writeFileSync(`${file}.part`, object.body)
  expect(await download()).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(readFileSync(file).equals(first)).toBe(true)
  expect(readdirSync(folder)).toEqual(['object'])
})

test('a part of another URL, or one that nobody knows, is not continued', async () => {
  const { object, ranges, file, download } = await startObject()
  await download('/x?version=1')
  object.limit = 1e7
  expect(await download('/x?version=2')).toMatchObject({ exitCode: 0 })
  writeFileSync(`${file}.part`, 'of something else')
  expect(await download('/x?version=2')).toMatchObject({ exitCode: 0 })
  expect(readFileSync(file).equals(first)).toBe(true)
  expect(ranges).toEqual([undefined, undefined, undefined])
})

test('the facts that are kept do not show the query', async () => {
  const { file, download } = await startObject()
  await download('/x?secret=abcdef')
  expect(readFileSync(`${file}.part.json`, 'utf8')).not.toMatch(/abcdef|secret/)
})

test('an error keeps the part and leaves the file', async () => {
  const { object, folder, file, download } = await startObject()
  await download()
  writeFileSync(file, 'old')
  const { env } = await startPlainServer((_request, response) => {
    response.writeHead(503).end()
  })
  const argv = ['fetch', '--continue', '-o', file, '/x']
  expect(await runCommandLine(argv, { env })).toMatchObject({ exitCode: 1 })
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toContain('object')
  object.limit = 1e7
  expect(await download()).toMatchObject({ exitCode: 0 })
  expect(readFileSync(file).equals(first)).toBe(true)
})
