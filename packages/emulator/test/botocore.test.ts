import { describe, expect, test } from 'vitest'
import { listening } from './emulator-under-test.ts'
import { hasProgram } from '../../../test-support/needs.ts'
import { run } from '../../../test-support/run-program.ts'
import { testKey } from './sign.ts'

const python = '/usr/bin/python3'
const script = new URL('fixtures/botocore-client.py', import.meta.url).pathname

const hasBotocore = hasProgram(
  'botocore',
  [python, '-c', 'import botocore'],
  'apt-get install -y --no-install-recommends python3-botocore',
)

type Call = [operation: string, input: Record<string, string>]

const awkwardKeys = [
  'plain.txt',
  'a b',
  'a+b',
  'a%2Fb',
  'a%20b',
  '100%',
  "it's (1)*!.txt",
  'a$b&c=d,e;f@g:h',
  'a//b',
  '/a',
  'a~b-c_d.e',
  '\u00fcn\u00ef/\u4f60\u597d/\u{1f600}',
  'a|b^c`d{e}[f]"g"<h>\\i',
  'a?b#c',
  'a\tb',
  '\u0301combining',
]

interface Result {
  readonly status: number
  readonly body?: string
  readonly code?: string
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
  test('puts and gets objects under awkward keys', async () => {
    const { emulator, server } = await listening({ clock: Date.now })
    const calls = [
      ...awkwardKeys.map((Key): Call => ['put_object', { Key, Body: `body of ${Key}` }]),
      ...awkwardKeys.map((Key): Call => ['get_object', { Key }]),
    ]
    const results = await botocore(server.url, calls)
    expect(results.map(({ status }) => status)).toEqual(calls.map(() => 200))
    expect(results.slice(awkwardKeys.length).map(({ body }) => body)).toEqual(
      awkwardKeys.map((Key) => `body of ${Key}`),
    )
    for (const { auth } of emulator.requests) expect(auth).toMatchObject({ ok: true })
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
