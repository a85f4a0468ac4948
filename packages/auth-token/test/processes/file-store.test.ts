import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { thisSystem } from '../testing.ts'
import { key, scratchFolder, storeFolder, storesOn, write } from '../stores/support/file-stores.ts'

const isWindows = process.platform === 'win32'
const fixture = fileURLToPath(new URL('../fixtures/file-store-process.ts', import.meta.url))
const { open, leftovers } = storesOn(thisSystem)

const node = [process.execPath, '--no-warnings', '--conditions=@svc/source', fixture]

/** Runs the fixture, through the shell where there is a script; `lines` are what it reports. */
function start(args: readonly string[], script?: string) {
  const [command = '', ...rest] = [
    ...(script === undefined ? [] : ['sh', '-c', script, 'sh']),
    ...node,
    ...args,
  ]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  const errors: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => lines.push(line))
  child.stderr.on('data', (text: Buffer) => errors.push(text.toString()))
  const firstLine = new Promise<string>((resolve) => {
    reader.once('line', resolve)
  })
  const ended = new Promise<{ status: number | null; lines: string[]; errors: string }>(
    (resolve) => {
      child.once('close', (status) => resolve({ status, lines, errors: errors.join('') }))
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, firstLine, ended }
}

// The time limit is for hosts that are busy with something else.
describe('between processes', () => {
  test('none of many increments is lost, and none is made twice', async () => {
    const path = await storeFolder()
    const runs = [1, 2, 3, 4].map(() => start(['increment', path, key, '100']))
    for (const { ended } of runs) expect(await ended).toEqual({ status: 0, lines: [], errors: '' })
    expect(await open(path).get(key)).toEqual({ generation: 400, sealed: '400' })
    expect(await leftovers(path)).toEqual([])
  })

  test('a lock that is raced for has one owner at a time', async () => {
    const path = await storeFolder()
    const held = join(await scratchFolder(), 'held')
    const runs = Array.from({ length: 8 }, () => start(['race', path, key, '10', held]))
    const results = await Promise.all(runs.map(({ ended }) => ended))
    for (const { status, errors } of results)
      expect({ status, errors }).toEqual({ status: 0, errors: '' })
    const fencingTokens = results.flatMap(({ lines }) => lines.map(Number))
    expect(fencingTokens.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 80 }, (_, n) => n + 1),
    )
    expect(await leftovers(path)).toEqual([])
  })

  test.skipIf(isWindows)(
    'a write that the disk refuses rejects, and leaves nothing behind',
    async () => {
      const path = await storeFolder()
      // A file of more than a block or two fails with EFBIG.
      const { ended } = start(['write-much', path, key], 'ulimit -f 1; exec "$@"')
      expect(await ended).toEqual({ status: 0, lines: ['"EFBIG"', 'true'], errors: '' })
      expect(await open(path).get(key)).toEqual({ generation: 1, sealed: 'little' })
      expect(await leftovers(path)).toEqual([])
    },
  )

  test('processes that are killed while they write damage nothing', async () => {
    const path = await storeFolder()
    const store = open(path)
    const runs = [1, 2, 3, 4].map(() => start(['increment', path, key]))
    await expect
      .poll(async () => (await store.get(key))?.generation ?? 0, { interval: 5 })
      .toBeGreaterThan(50)
    for (const { child, ended } of runs) {
      child.kill('SIGKILL')
      await ended
      const { generation = 0, sealed } = (await store.get(key)) ?? {}
      expect(generation).toBeGreaterThan(50)
      expect(sealed).toBe(String(generation))
    }
    const { generation = 0 } = (await store.get(key)) ?? {}
    expect(await write(store, generation + 1)).toBe(true)
    expect(await leftovers(path)).toEqual([])
  })
})
