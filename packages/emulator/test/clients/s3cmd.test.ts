import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasProgram } from '../../../../tests/support/needs.ts'
import { atNight } from '../../../../tests/support/nightly.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { listening } from '../support/emulator.ts'
import { awkwardKeys } from '../fixtures/awkward-keys.ts'
import { testKey } from '../support/sign.ts'

// Each call of a tool is a process, which a busy machine starts slowly.
const hasS3cmd = hasProgram(
  's3cmd',
  ['s3cmd', '--version'],
  'apt-get install -y --no-install-recommends s3cmd',
)

// To s3cmd a name that ends in a slash is a folder, into which it puts a file of the local name.
const tried = atNight(
  awkwardKeys,
  awkwardKeys.filter((_, index) => index % 4 === 1),
)
const keys = tried.filter((key) => !key.endsWith('/'))
// To its `get`, these are patterns for many keys.
const gettable = keys.filter((key) => !/[*?]/.test(key))

async function s3cmd(secretKey = testKey.secretAccessKey) {
  const { emulator, server } = await listening({ clock: Date.now })
  const folder = await mkdtemp(join(tmpdir(), 's3cmd-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const config = join(folder, 's3cfg')
  const lines = [
    '[default]',
    `access_key = ${testKey.accessKeyId}`,
    `secret_key = ${secretKey}`,
    `host_base = ${server.url.host}`,
    `host_bucket = ${server.url.host}`,
    'use_https = False',
    'max_retries = 1',
  ]
  await writeFile(config, lines.join('\n'))
  const flags = ['--config', config, '--no-progress']
  const call = (...args: string[]) => run('s3cmd', [...flags, ...args])
  return { emulator, folder, call }
}

describe.skipIf(!hasS3cmd)('s3cmd, a client that shares nothing with this project,', () => {
  test('puts, lists, gets and deletes under awkward keys', async () => {
    const { emulator, folder, call } = await s3cmd()
    const local = (kind: string, index: number) => join(folder, `${kind}-${index}`)
    const put = async (key: string, index: number) => {
      await writeFile(local('put', index), `body of ${key}`)
      return call('put', local('put', index), `s3://V1/${key}`)
    }
    const get = async (key: string, index: number) => {
      const got = await call('get', `s3://V1/${key}`, local('get', index))
      expect(got).toMatchObject({ status: 0 })
      return readFile(local('get', index), 'utf8')
    }
    for (const result of await Promise.all(keys.map(put))) {
      expect(result).toMatchObject({ status: 0, stderr: '' })
    }
    const listed = await call('ls', '--recursive', 's3://V1')
    const found = listed.stdout
      .split('\n')
      .flatMap((line) => /s3:\/\/V1\/(.*)$/.exec(line)?.[1] ?? [])
    expect(found.toSorted()).toEqual(keys.toSorted())
    const contents = gettable.map((key) => `body of ${key}`)
    expect(await Promise.all(gettable.map(get))).toEqual(contents)
    const deleted = await call('del', ...keys.map((key) => `s3://V1/${key}`))
    expect(deleted.status).toBe(0)
    expect((await call('ls', '--recursive', 's3://V1')).stdout).toBe('')
    for (const { auth, status } of emulator.requests) {
      expect({ auth, status }).toMatchObject({ auth: { ok: true } })
      expect(status).toBeLessThan(300)
    }
  })

  test('lists folders, and finds out where the bucket is', async () => {
    const { folder, call } = await s3cmd()
    const file = join(folder, 'file')
    await writeFile(file, 'x')
    await call('put', file, 's3://V1/a/1')
    expect((await call('ls', 's3://V1')).stdout).toMatch(/^ +DIR +s3:\/\/V1\/a\/\n$/)
    expect((await call('info', 's3://V1')).stdout).toMatch(/Location: +us-east-1/)
    expect((await call('info', 's3://V1/a/1')).stdout).toContain('File size: 1')
  })

  test('is refused with a wrong secret', async () => {
    const { folder, call } = await s3cmd('wrong')
    const file = join(folder, 'file')
    await writeFile(file, 'x')
    const refused = await call('put', file, 's3://V1/a')
    expect(refused.status).not.toBe(0)
    expect(refused.stderr).toContain('SignatureDoesNotMatch')
  })
})
