import { describe, expect, test } from 'vitest'
import { listening, send } from '../support/emulator.ts'
import { awkwardKeys } from '../fixtures/awkward-keys.ts'
import { hasProgram } from '../../../../tests/support/needs.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { testKey } from '../support/sign.ts'

// Each call of a tool is a process, which a busy machine starts slowly.
const python = '/usr/bin/python3'
const script = new URL('../fixtures/botocore-client.py', import.meta.url).pathname

const hasBotocore = hasProgram(
  'botocore',
  [python, '-c', 'import botocore'],
  'apt-get install -y --no-install-recommends python3-botocore',
)

type Call = [operation: string, input: Readonly<Record<string, unknown>>]

interface Result {
  readonly status: number
  readonly body?: string
  readonly code?: string
  readonly keys?: readonly string[]
  readonly location?: string | null
  readonly url?: string
  readonly fields?: Readonly<Record<string, string>>
}

async function botocore(
  url: URL,
  calls: Call[],
  changed: Readonly<Record<string, string>> = {},
): Promise<Result[]> {
  const task = {
    endpoint: url.origin,
    region: 'us-east-1',
    access_key: testKey.accessKeyId,
    secret_key: testKey.secretAccessKey,
    calls,
    ...changed,
  }
  const finished = await run(python, [script], JSON.stringify(task), {
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  })
  expect(finished).toMatchObject({ status: 0, stderr: '' })
  const results: Result[] = JSON.parse(finished.stdout)
  return results
}

describe.skipIf(!hasBotocore)('botocore, a client that shares nothing with this project,', () => {
  test('puts, gets, lists and deletes under 25 awkward keys', async () => {
    const { emulator, server } = await listening({ clock: Date.now })
    const results = await botocore(server.url, [
      ...awkwardKeys.map((Key): Call => ['put_object', { Key, Body: `body of ${Key}` }]),
      ...awkwardKeys.map((Key): Call => ['get_object', { Key }]),
      ...awkwardKeys.map((Key): Call => ['head_object', { Key }]),
      ['list_objects_v2', {}],
      ['list_objects', {}],
      ...awkwardKeys.map((Key): Call => ['delete_object', { Key }]),
      ['list_objects_v2', {}],
    ])
    const contents = awkwardKeys.map((Key) => `body of ${Key}`)
    expect(results.splice(0, 25)).toEqual(contents.map(() => ({ status: 200 })))
    expect(results.splice(0, 25)).toEqual(contents.map((body) => ({ status: 200, body })))
    // The body of a HEAD is none.
    expect(results.splice(0, 25)).toEqual(contents.map(() => ({ status: 200 })))
    for (const { keys } of results.splice(0, 2)) {
      expect(keys?.toSorted()).toEqual(awkwardKeys.toSorted())
    }
    expect(results.splice(0, 25)).toEqual(contents.map(() => ({ status: 204 })))
    expect(results).toEqual([{ status: 200 }])
    for (const { auth } of emulator.requests) expect(auth).toMatchObject({ ok: true })
  })

  test('presigns URLs that put, get and delete under 25 awkward keys', async () => {
    const { emulator, server } = await listening({ clock: Date.now })
    const presigned = (ClientMethod: string) =>
      awkwardKeys.map((Key): Call => [
        'generate_presigned_url',
        { ClientMethod, Params: { Key }, ExpiresIn: 604_800 },
      ])
    const calls = ['put_object', 'get_object', 'delete_object'].flatMap(presigned)
    const urls = (await botocore(server.url, calls)).map(({ url = '' }) => url)
    const open = (url: string, method: string, body = '') =>
      send(server.url, {
        method,
        target: url.slice(server.url.origin.length),
        rawHeaders: [['host', server.url.host]],
        body: new TextEncoder().encode(body),
      })
    for (const [index, key] of awkwardKeys.entries()) {
      const [put = '', get = '', remove = ''] = [0, 25, 50].map((offset) => urls[offset + index])
      expect(await open(put, 'PUT', `body of ${key}`)).toMatchObject({ status: 200 })
      expect(await open(get, 'GET')).toMatchObject({ status: 200, text: `body of ${key}` })
      expect(await open(get, 'PUT', 'other')).toMatchObject({ status: 403 })
      expect(await open(remove, 'DELETE')).toMatchObject({ status: 204 })
      expect(await open(get, 'GET')).toMatchObject({ status: 404 })
    }
    expect(emulator.requests.filter(({ auth }) => !auth.ok)).toHaveLength(25)
  })

  test('presigns for headers of its choice, with a session token, and not for ever', async () => {
    const apiKeys = [{ ...testKey, sessionToken: 'right/+=' }]
    const { server, time } = await listening({ apiKeys })
    time.now = Date.now()
    const Params = { Key: 'a', ContentType: 'text/plain', Metadata: { note: 'b' } }
    const call: Call = [
      'generate_presigned_url',
      { ClientMethod: 'put_object', Params, ExpiresIn: 60 },
    ]
    const [{ url = '' } = {}] = await botocore(server.url, [call], { session_token: 'right/+=' })
    expect(url).toContain('X-Amz-SignedHeaders=content-type%3Bhost%3Bx-amz-meta-note')
    const put = (note: string) =>
      fetch(url, {
        method: 'PUT',
        body: 'x',
        headers: { 'content-type': 'text/plain', 'x-amz-meta-note': note },
      })
    expect((await put('b')).status).toBe(200)
    expect((await put('c')).status).toBe(403)
    time.now = Date.now() + 62_000
    expect(await (await put('b')).text()).toContain('Request has expired')
  })

  test('signs forms under 25 awkward keys, for a type and a size', async () => {
    const apiKeys = [{ ...testKey, sessionToken: 'right/+=' }]
    const { emulator, server } = await listening({ apiKeys, clock: Date.now })
    const Conditions = [
      ['starts-with', '$Content-Type', 'text/'],
      ['content-length-range', 1, 5],
      { acl: 'private' },
    ]
    const calls = awkwardKeys.map((Key): Call => [
      'generate_presigned_post',
      { Key, Conditions, Fields: { acl: 'private' } },
    ])
    const post = ({ url = '', fields = {} }: Result, file: string) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      form.append('Content-Type', 'text/plain')
      form.append('file', new Blob([file]))
      return fetch(url, { method: 'POST', body: form })
    }
    const posts = await botocore(server.url, calls, { session_token: 'right/+=' })
    for (const one of posts) {
      expect((await post(one, 'hello')).status).toBe(204)
      expect((await post(one, 'hello!')).status).toBe(400)
    }
    expect(emulator.requests.filter(({ auth }) => auth.ok)).toHaveLength(25)
  })

  test('sends checksums that are right, and finds out where the bucket is', async () => {
    const region = 'eu-central-1'
    const { emulator, server } = await listening({ clock: Date.now, region })
    const algorithms = ['CRC32', 'SHA1', 'SHA256']
    const calls = [
      ...algorithms.map((ChecksumAlgorithm): Call => {
        return ['put_object', { Key: 'a', Body: 'hello', ChecksumAlgorithm }]
      }),
      ['put_object', { Key: 'a', Body: 'x', ContentMD5: 'XUFAKrxLKna5cZ2REBfFkg==' }],
      ['head_bucket', {}],
      ['get_bucket_location', {}],
    ] satisfies Call[]
    expect(await botocore(server.url, calls, { region })).toEqual([
      ...algorithms.map(() => ({ status: 200 })),
      { status: 400, code: 'BadDigest' },
      { status: 200 },
      { status: 200, location: region },
    ])
    for (const [index, algorithm] of algorithms.entries()) {
      const { headers } = emulator.requests[index] ?? {}
      expect(headers?.[`x-amz-checksum-${algorithm.toLowerCase()}`]).toBeDefined()
    }
  })

  test('sends ranges, metadata and awkward queries', async () => {
    const { emulator, server } = await listening({ clock: Date.now })
    const results = await botocore(server.url, [
      ['put_object', { Key: 'a', Body: 'hello world', ContentType: 'text/plain; charset="a  b"' }],
      ['get_object', { Key: 'a', Range: 'bytes=6-' }],
      [
        'get_object',
        {
          Key: 'a',
          VersionId: '~+/= \u00fc',
          ResponseContentDisposition: 'attachment; filename="a b+c&d=e%20.txt"',
          ResponseContentType: 'text/plain',
        },
      ],
      ['head_object', { Key: 'missing' }],
      ['delete_object', { Key: 'a' }],
      ['get_object', { Key: 'a' }],
    ])
    expect(results).toEqual([
      { status: 200 },
      { status: 206, body: 'world' },
      { status: 200, body: 'hello world' },
      { status: 404, code: '404' },
      { status: 204 },
      { status: 404, code: 'NoSuchKey' },
    ])
    for (const { auth } of emulator.requests) expect(auth).toMatchObject({ ok: true })
  })

  test('is let in with a session token, and refused with a wrong one', async () => {
    const apiKeys = [{ ...testKey, sessionToken: 'right/+=' }]
    const { server } = await listening({ clock: Date.now, apiKeys })
    const calls: Call[] = [['put_object', { Key: 'a', Body: 'x' }]]
    expect(await botocore(server.url, calls, { session_token: 'right/+=' })).toEqual([
      { status: 200 },
    ])
    expect(await botocore(server.url, calls, { session_token: 'wrong' })).toEqual([
      { status: 400, code: 'InvalidToken' },
    ])
  })

  test('understands the codes of refusals', async () => {
    const { server, time } = await listening()
    const calls: Call[] = [['put_object', { Key: 'a', Body: 'x' }]]
    expect(await botocore(server.url, calls)).toEqual([
      { status: 403, code: 'RequestTimeTooSkewed' },
    ])
    time.now = Date.now()
    expect(await botocore(server.url, calls, { secret_key: 'wrong' })).toEqual([
      { status: 403, code: 'SignatureDoesNotMatch' },
    ])
    expect(await botocore(server.url, calls, { access_key: 'NOBODY' })).toEqual([
      { status: 403, code: 'InvalidAccessKeyId' },
    ])
  })
})
