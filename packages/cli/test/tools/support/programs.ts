import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasProgram } from '../../../../../tests/support/needs.ts'
import { atNight } from '../../../../../tests/support/nightly.ts'
import { run } from '../../../../../tests/support/run-program.ts'
import { emptyFolder } from '../../support/folder.ts'
import { placeholderKey } from '../../support/proxy-environment.ts'
import {
  allKeys,
  expectFiles,
  expectSigned,
  expectStored,
  expectUploaded,
  large,
  sorted,
  type StartedStore,
  type StoreKind,
  writeFiles,
} from './s3-store.ts'

// Each call of a tool is a process, which a busy machine starts slowly.

const install = (name: string): string => `apt-get install -y --no-install-recommends ${name}`
const hasS3cmd = hasProgram('s3cmd', ['s3cmd', '--version'], install('s3cmd'))
const hasRclone = hasProgram('rclone', ['rclone', 'version'], install('rclone'))
const aws = '/usr/bin/aws'
const hasAws = hasProgram('aws', [aws, '--version'], install('awscli'))
const python = '/usr/bin/python3'
const hasBoto3 = hasProgram('boto3', [python, '-c', 'import boto3'], install('python3-boto3'))

/** Keeps the tools of AWS to what they are given here. */
const withoutFiles = {
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
}

/** Describes the programs with a kind of store, through a proxy. */
export function describePrograms(kind: StoreKind, keys: readonly string[]): void {
  describeBoto3(kind, keys)
  describeS3cmd(kind, keys)
  describeRclone(kind)
  describeAws(kind)
}

function describeBoto3(kind: StoreKind, keys: readonly string[]): void {
  const call = ({ proxyUrl, bucket }: StartedStore, task: object) => {
    const script = new URL('../../fixtures/boto3-client.py', import.meta.url).pathname
    const { accessKeyId, secretAccessKey } = placeholderKey
    const client = { endpoint: proxyUrl, access_key: accessKeyId, secret_key: secretAccessKey }
    return run(python, [script], JSON.stringify({ ...client, bucket, ...task }), withoutFiles)
  }

  describe.runIf(hasBoto3)('boto3', () => {
    test.each(atNight(['', 'CRC32', 'SHA256'], ['CRC32']))(
      'uploads in parts with the checksum %j',
      async (checksum) => {
        const store = await kind.start()
        const file = join(await emptyFolder(), 'large')
        await writeFile(file, large)
        const finished = await call(store, { keys: [], file, checksum })
        expect(finished).toMatchObject({ status: 0, stderr: '' })
        await expectUploaded(store, 'large', large)
      },
    )

    test('puts, gets, lists and presigns', async () => {
      const store = await kind.start()
      const finished = await call(store, { keys })
      expect(finished).toMatchObject({ status: 0, stderr: '' })
      const { bodies, part, keys: listed, url } = JSON.parse(finished.stdout)
      expect(bodies).toEqual(keys.map((key) => `body of ${key}`))
      expect(part).toBe('body')
      expect(sorted(listed)).toEqual(sorted(keys))
      const response = await fetch(url)
      expect(await response.text()).toBe(bodies[0])
      for (const key of keys) await expectStored(store, key, Buffer.from(`body of ${key}`))
    })
  })
}

function describeS3cmd(kind: StoreKind, keys: readonly string[]): void {
  const start = async () => {
    const store = await kind.start()
    const folder = await emptyFolder()
    const { host } = new URL(store.proxyUrl)
    const config = join(folder, 's3cfg')
    const settings = {
      access_key: placeholderKey.accessKeyId,
      secret_key: placeholderKey.secretAccessKey,
      host_base: host,
      host_bucket: host,
      use_https: 'False',
      max_retries: '1',
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
    await writeFile(config, `[default]\n${lines.join('')}`)
    const call = (...args: string[]) => run('s3cmd', ['--config', config, '--no-progress', ...args])
    const bucket = `s3://${store.bucket}`
    return { store, bucket, call, from: join(folder, 'from'), to: join(folder, 'to') }
  }

  describe.runIf(hasS3cmd)('s3cmd', () => {
    test('puts, lists, gets and deletes', async () => {
      const { store, bucket, call, from, to } = await start()
      const data = randomBytes(200_000)
      await writeFile(from, data)
      for (const key of keys) {
        expect(await call('put', from, `${bucket}/${key}`)).toMatchObject({ status: 0 })
        await expectStored(store, key, data)
      }
      const listed = await call('ls', '--recursive', bucket)
      const found = listed.stdout.split('\n').flatMap((line) => line.split(`${bucket}/`).slice(1))
      expect(sorted(found)).toEqual(sorted(keys))
      expect(await call('get', `${bucket}/a b`, to)).toMatchObject({ status: 0 })
      expect((await readFile(to)).equals(data)).toBe(true)
      expect(await call('del', `${bucket}/a b`)).toMatchObject({ status: 0 })
      expectSigned(store)
    })

    test('uploads in parts', async () => {
      const { store, bucket, call, from } = await start()
      await writeFile(from, large)
      const inParts = ['--multipart-chunk-size-mb=5', 'put', from, `${bucket}/large`]
      expect(await call(...inParts)).toMatchObject({ status: 0 })
      await expectUploaded(store, 'large', large)
    })
  })
}

function describeRclone(kind: StoreKind): void {
  const start = async () => {
    const store = await kind.start()
    const remote = {
      RCLONE_CONFIG_SVC_TYPE: 's3',
      RCLONE_CONFIG_SVC_PROVIDER: 'Other',
      RCLONE_CONFIG_SVC_ENDPOINT: store.proxyUrl,
      RCLONE_CONFIG_SVC_ACCESS_KEY_ID: placeholderKey.accessKeyId,
      RCLONE_CONFIG_SVC_SECRET_ACCESS_KEY: placeholderKey.secretAccessKey,
      RCLONE_CONFIG_SVC_FORCE_PATH_STYLE: 'true',
      RCLONE_CONFIG: '/dev/null',
      // It takes none of its own.
      AWS_CA_BUNDLE: '',
    }
    const call = (...args: string[]) =>
      run('rclone', [...args, '--retries', '1', '--s3-no-check-bucket'], '', remote)
    return { store, call, folder: await emptyFolder() }
  }
  const done = { status: 0, stderr: '' }

  describe.runIf(hasRclone)('rclone', () => {
    test('copies a folder there and back', async () => {
      const { store, call, folder } = await start()
      const files = await writeFiles(join(folder, 'from'), allKeys)
      const there = `svc:${store.bucket}/there`
      expect(await call('copy', join(folder, 'from'), there)).toMatchObject(done)
      expect(await call('copy', there, join(folder, 'to'))).toMatchObject(done)
      await expectFiles(join(folder, 'to'), files)
      for (const [key, data] of files) await expectStored(store, `there/${key}`, data)
    })

    test('uploads in parts', async () => {
      const { store, call, folder } = await start()
      await writeFile(join(folder, 'large'), large)
      const inParts = ['--s3-upload-cutoff=5Mi', '--s3-chunk-size=5Mi']
      const upload = await call('copy', join(folder, 'large'), `svc:${store.bucket}`, ...inParts)
      expect(upload).toMatchObject(done)
      await expectUploaded(store, 'large', large)
    })
  })
}

function describeAws(kind: StoreKind): void {
  const start = async () => {
    const store = await kind.start()
    const environment = {
      AWS_ACCESS_KEY_ID: placeholderKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: placeholderKey.secretAccessKey,
      AWS_DEFAULT_REGION: 'us-east-1',
      ...withoutFiles,
    }
    const call = (...args: string[]) =>
      run(aws, ['--endpoint-url', store.proxyUrl, 's3', ...args], '', environment)
    return { store, bucket: `s3://${store.bucket}`, call, folder: await emptyFolder() }
  }

  describe.runIf(hasAws)('the AWS command line', () => {
    test('copies a folder there and back, and presigns', async () => {
      const { store, bucket, call, folder } = await start()
      const files = await writeFiles(join(folder, 'from'), allKeys)
      const recursive = ['cp', '--recursive']
      const there = await call(...recursive, join(folder, 'from'), bucket)
      expect(there).toMatchObject({ status: 0 })
      expect(await call(...recursive, bucket, join(folder, 'to'))).toMatchObject({ status: 0 })
      await expectFiles(join(folder, 'to'), files)
      for (const [key, data] of files) await expectStored(store, key, data)
      const { stdout: url } = await call('presign', `${bucket}/a b`)
      expect((await fetch(url.trim())).status).toBe(200)
      expectSigned(store)
    })

    test('uploads in parts from 8 MiB on', async () => {
      const { store, bucket, call, folder } = await start()
      const more = Buffer.concat([large, large])
      await writeFile(join(folder, 'large'), more)
      expect(await call('cp', join(folder, 'large'), `${bucket}/large`)).toMatchObject({
        status: 0,
      })
      await expectUploaded(store, 'large', more)
    })
  })
}
