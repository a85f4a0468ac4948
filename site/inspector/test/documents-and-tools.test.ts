import aws4 from 'aws4'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasProgram } from '../../../tests/support/needs.ts'
import { atNight } from '../../../tests/support/nightly.ts'
import { run } from '../../../tests/support/run-program.ts'
import { rawText, recordingServer } from './support/exchange.ts'
import {
  findingsWith,
  type InspectorPage,
  openInspector,
  openStage,
  paste,
  type Stage,
} from './support/inspector-page.ts'

let stage: Stage
let inspector: InspectorPage
let recorder: Awaited<ReturnType<typeof recordingServer>>

/** The key of AWS's documents. */
const apiKey = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const signedAt = Date.UTC(2013, 4, 24)
const scope = `${apiKey.accessKeyId}/20130524/us-east-1/s3/aws4_request`

beforeAll(async () => {
  ;[stage, recorder] = await Promise.all([openStage(), recordingServer()])
  inspector = await openInspector(stage, { now: signedAt + 60_000 })
})
afterAll(() => {
  recorder.close()
  return stage.close()
})
beforeEach(async () => {
  const { page } = inspector
  await page.getByRole('button', { name: 'Clear everything' }).click()
  await page.getByLabel('Secret access key', { exact: true }).fill(apiKey.secretAccessKey)
})

interface Published {
  readonly method?: string
  readonly target: string
  readonly headers: readonly string[]
  readonly signedHeaders: string
  readonly signature: string
  readonly body?: string
}

const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const base = 'host;x-amz-content-sha256;x-amz-date'

// The figures of AWS's documents: sig-v4-header-based-auth, sigv4-streaming, sigv4-streaming-trailers.
const published: readonly [name: string, example: Published][] = [
  [
    'GET object',
    {
      target: '/test.txt',
      headers: ['Range: bytes=0-9', `x-amz-content-sha256: ${empty}`],
      signedHeaders: 'host;range;x-amz-content-sha256;x-amz-date',
      signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
  ],
  [
    'PUT object',
    {
      method: 'PUT',
      target: '/test$file.text',
      headers: [
        'Date: Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class: REDUCED_REDUNDANCY',
        'x-amz-content-sha256: 44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      ],
      signedHeaders: 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
      signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      body: 'Welcome to Amazon S3.',
    },
  ],
  [
    'GET bucket lifecycle',
    {
      target: '/?lifecycle',
      headers: [`x-amz-content-sha256: ${empty}`],
      signedHeaders: base,
      signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    },
  ],
  [
    'GET bucket (list objects)',
    {
      target: '/?max-keys=2&prefix=J',
      headers: [`x-amz-content-sha256: ${empty}`],
      signedHeaders: base,
      signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    },
  ],
]

test.each(atNight(published, published.slice(0, 2)))(
  'the example %s of the documents is right',
  async (_name, example) => {
    const { method = 'GET', target, headers, signedHeaders, signature, body = '' } = example
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope},SignedHeaders=${signedHeaders},Signature=${signature}`
    const lines = [
      `${method} ${target} HTTP/1.1`,
      'Host: examplebucket.s3.amazonaws.com',
      `Authorization: ${authorization}`,
      'x-amz-date: 20130524T000000Z',
      ...headers,
    ]
    await paste(inspector.page, 'Paste it here', `${lines.join('\n')}\n\n${body}`)
    expect(await findingsWith(inspector.page, 'The signature is right')).toEqual([
      'The signature is right',
    ])
    const steps = inspector.page.getByRole('region', { name: 'Canonical request' })
    expect(await steps.getByRole('rowheader').count()).toBe(6 + signedHeaders.split(';').length)
  },
)

test('the chunked upload of the documents is explained, with its first signature', async () => {
  const names =
    'content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class'
  const text = `PUT /examplebucket/chunkObject.txt HTTP/1.1
Host: s3.amazonaws.com
x-amz-date: 20130524T000000Z
x-amz-storage-class: REDUCED_REDUNDANCY
Authorization: AWS4-HMAC-SHA256 Credential=${scope},SignedHeaders=${names},Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9
x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD
Content-Encoding: aws-chunked
x-amz-decoded-content-length: 66560
Content-Length: 66824

`
  await paste(inspector.page, 'Paste it here', text)
  expect(await findingsWith(inspector.page, 'The signature is right')).toHaveLength(1)
  await inspector.page.getByText('Each chunk has a signature of its own').waitFor()
})

test('the presigned URL of the documents is right, and tells when it expires', async () => {
  const url = `https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(scope)}&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`
  await paste(inspector.page, 'Paste it here', url)
  expect(await findingsWith(inspector.page, 'The URL has not expired')).toEqual([
    'The signature is right',
    'The URL has not expired',
  ])
  await inspector.page.getByText('It is valid for 23 h 59 min more.').waitFor()
  await inspector.page.clock.setFixedTime(signedAt - 3_600_000)
  await inspector.page.getByLabel('Region').fill('us-east-1')
  await findingsWith(inspector.page, 'The URL is not yet valid')
  await inspector.page.clock.setFixedTime(signedAt + 60_000)
})

describe('a request that another tool signed and sent', () => {
  /** Gives the page the last request that arrived. */
  async function giveLast(): Promise<string[]> {
    const text = recorder.texts.at(-1) ?? ''
    await paste(inspector.page, 'Paste it here', text)
    return findingsWith(inspector.page, 'The signature is right')
  }

  test('aws4, for a service whose path is encoded twice', async () => {
    const host = new URL(recorder.origin).host
    const path = '/index/a%2Fb/_search?q=a%20b&size=1'
    const request = {
      method: 'POST',
      service: 'es',
      region: 'eu-west-1',
      path,
      headers: { host },
      body: '{"a":1}',
    }
    const signed = aws4.sign(request, apiKey)
    const response = await fetch(recorder.origin + signed.path, {
      method: 'POST',
      headers: Object.entries(signed.headers).flatMap(([name, value]): [string, string][] =>
        /^(?:host|content-length)$/i.test(name) ? [] : [[name, value]],
      ),
      body: request.body,
    })
    expect(response.ok).toBe(true)
    expect(await giveLast()).toEqual(['The signature is right'])
  })

  const hasCurl = hasProgram('curl', ['curl', '--version'], 'apt-get install curl')
  test.skipIf(!hasCurl)('curl, whose signature has other signed headers', async () => {
    const url = `${recorder.origin}/bucket/a%20b?list-type=2&prefix=c`
    const user = `${apiKey.accessKeyId}:${apiKey.secretAccessKey}`
    const args = ['-s', '--aws-sigv4', 'aws:amz:eu-west-1:s3', '--user', user, '-d', 'a=1', url]
    expect(await run('curl', args)).toMatchObject({ status: 0 })
    expect(await giveLast()).toContain('The signature is right')
    // The same command, before it is sent.
    const command = `curl ${args
      .slice(1)
      .map((one) => `'${one}'`)
      .join(' ')}`
    await paste(inspector.page, 'Paste it here', command)
    await findingsWith(inspector.page, 'The request is not signed')
    expect(await inspector.page.locator('#result').textContent()).not.toContain(
      apiKey.secretAccessKey,
    )
  })

  const hasBoto3 = hasProgram(
    'boto3',
    ['/usr/bin/python3', '-c', 'import boto3'],
    'apt-get install -y --no-install-recommends python3-boto3',
  )
  test.skipIf(!hasBoto3)('boto3, with a key that has spaces, signs and letters', async () => {
    const program = `
import boto3
from botocore.config import Config
s3 = boto3.client("s3", endpoint_url="${recorder.origin}", region_name="eu-west-1",
  aws_access_key_id="${apiKey.accessKeyId}", aws_secret_access_key="${apiKey.secretAccessKey}",
  config=Config(retries={"max_attempts": 1}, s3={"addressing_style": "path"}))
s3.delete_object(Bucket="bucket", Key="a b+c/\\u00fc(1)!.txt")
`
    const { status, stderr } = await run('/usr/bin/python3', ['-c', program], '', {
      AWS_EC2_METADATA_DISABLED: 'true',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(await giveLast()).toEqual(['The signature is right'])
  })
})

describe('a signature that is wrong', () => {
  const signed = (path: string): { path: string; headers: Record<string, string> } =>
    aws4.sign(
      { method: 'GET', service: 's3', region: 'us-east-1', path, headers: { host: 'a.example' } },
      apiKey,
    )

  const changed: readonly [name: string, path: string, sent: string, title: string][] = [
    ['its query in another order', '/V1/?b=2&a=1', '/V1/?a=1&b=2', 'The signature is right'],
    [
      'a path that was encoded again',
      '/V1/a%2Fb',
      '/V1/a%252Fb',
      'The signature is for another form',
    ],
    ['a slash that was added', '/V1/a', '/V1/a/', 'The signature is for another form'],
    ['another path', '/V1/a', '/V1/b', 'The signature is wrong'],
  ]

  test.each(atNight(changed, changed.slice(1, 2)))(
    'is told with the step that differs: %s',
    async (_name, path, sent, title) => {
      const { headers } = signed(path)
      await paste(
        inspector.page,
        'Paste it here',
        rawText('GET', sent, Object.entries(headers), ''),
      )
      expect(await findingsWith(inspector.page, title)).toEqual([title])
    },
  )

  test('by a blank at the end of the secret names the blank', async () => {
    const { headers } = signed('/V1/a')
    await inspector.page
      .getByLabel('Secret access key', { exact: true })
      .fill(`${apiKey.secretAccessKey} `)
    await paste(
      inspector.page,
      'Paste it here',
      rawText('GET', '/V1/a', Object.entries(headers), ''),
    )
    const titles = await findingsWith(inspector.page, 'The secret is not exact')
    expect(titles).toHaveLength(1)
    await inspector.page.getByText('rid of blanks and quotes').waitFor()
  })
})

test('nothing of all this made the page complain', () => {
  expect(inspector.complaints).toEqual([])
})
