import { Readable } from 'node:stream'
import type { PayloadPolicy, SigV4AuthOptions } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { streaming } from '@svc/auth-sigv4/streaming'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import { describe, expect, test } from 'vitest'
import { exampleAuth } from '../support/signing.ts'
import { awsXml, hex, refusal, url } from './diagnosing.ts'

const bytes = Uint8Array.from({ length: 3000 }, (_, index) => index)
const put = (body: unknown, headers: HeadersInit = {}): RequestInit & { duplex: 'half' } => ({
  method: 'PUT',
  // Whatever `fetch` takes, and what a caller without types may give.
  body: body as Exclude<RequestInit['body'], undefined>,
  headers,
  duplex: 'half',
})
const shared = (): Uint8Array => {
  const view = new Uint8Array(new SharedArrayBuffer(8), 2, 4)
  view.set([1, 2, 3, 4])
  return view
}

type Given = readonly [input: string | Request, init?: RequestInit]

const givens: readonly (readonly [what: string, give: () => Given])[] = [
  ['no body', () => [url]],
  ['a text', () => [url, put('größer')]],
  ['an empty text', () => [url, put('')]],
  ['bytes', () => [url, put(bytes)]],
  ['a part of bytes', () => [url, put(bytes.subarray(10, 20))]],
  ['a DataView', () => [url, put(new DataView(bytes.buffer, 5, 9))]],
  ['an ArrayBuffer', () => [url, put(bytes.buffer)]],
  ['shared memory', () => [url, put(shared())]],
  ['parameters', () => [url, put(new URLSearchParams({ a: 'b c', ü: '+' }))]],
  ['a Blob', () => [url, put(new Blob([bytes]))]],
  ['a Blob with a type', () => [url, put(new Blob([bytes], { type: 'text/csv' }))]],
  ['a Blob of several slices', () => [url, put(new Blob([new Uint8Array(2_500_000)]))]],
  ['a File', () => [url, put(new File([bytes], 'a.csv', { type: 'text/csv' }))]],
  ['a number', () => [url, put(42)]],
  ['null', () => [url, put(null)]],
  ['a type of its own', () => [url, put('a;b', { 'content-type': 'text/csv' })]],
  ['a hash of its own', () => [url, put('a', { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' })]],
  ['a Request', () => [new Request(url, put('text'))]],
  ['a Request with bytes', () => [new Request(url, put(bytes))]],
  ['a Request without a body', () => [new Request(url, { method: 'DELETE' })]],
  ['a Request with GET', () => [new Request(url, { headers: { 'x-amz-meta-a': 'b' } })]],
  ['a Request with an empty body', () => [new Request(url, put(''))]],
  ['a Request and another body', () => [new Request(url, put('a')), put('b')]],
  ['a Request and another method', () => [new Request(url, put('a')), { method: 'post' }]],
  ['a Request and other headers', () => [new Request(url, put('a')), { headers: { range: 'x' } }]],
  ['a Request with a stream', () => [new Request(url, put(new Blob([bytes]).stream()))]],
  ['a Request of 8 MiB', () => [new Request(url, put(new Uint8Array(8 * 1024 * 1024)))]],
  ['a Request as init', () => [url, new Request(url, put('text', { 'x-amz-meta-a': 'b' }))]],
  ['a Request, and one as init', () => [new Request(url, put('a')), new Request(url, put('b'))]],
]

/** Diagnoses a response with all lines of the kernel's own reading of the same request. */
async function compareReaders(give: () => Given, options: Partial<SigV4AuthOptions>) {
  const auth = exampleAuth(options)
  const { canonicalRequest, stringToSign, signature } = await explain(auth, ...give())
  const body = awsXml({
    Code: 'SignatureDoesNotMatch',
    StringToSignBytes: hex(stringToSign),
    SignatureProvided: signature,
    CanonicalRequestBytes: hex(canonicalRequest),
  })
  const { verdict, differences } = await diagnose(auth, refusal(body), ...give())
  return { verdict, differences }
}

const same = { verdict: 'secret-or-key', differences: [] }
const policies: readonly PayloadPolicy[] = ['auto', 'signed', 'unsigned']

describe.each(givens)('a request with %s is read as the kernel reads it', (_what, give) => {
  test.each(policies)('where its payload is %s', async (payload) => {
    expect(await compareReaders(give, { payload })).toEqual(same)
  })

  test('where it is sent in chunks, and by Web Crypto', async () => {
    expect(await compareReaders(give, { payload: streaming() })).toEqual(same)
    expect(await compareReaders(give, { engine: webCryptoEngine() })).toEqual(same)
  })
})

test.each<[what: string, give: () => Given]>([
  ['a stream', () => [url, put(new Blob([bytes]).stream())]],
  ['a stream of Node', () => [url, put(Readable.from([bytes]))]],
  ['a Request of more than 8 MiB', () => [new Request(url, put(new Uint8Array(8_388_609)))]],
])('%s counts as a stream for both readers', async (_what, give) => {
  expect(await compareReaders(give, {})).toEqual(same)
  const [input, init] = give()
  expect((await explain(exampleAuth(), input, init)).payloadHash).toBe('UNSIGNED-PAYLOAD')
})

test('a Blob that Web Crypto cannot hash is not hashed by either reader', async () => {
  const blob = new Blob(Array.from({ length: 65 }, () => new Uint8Array(1024 * 1024)))
  const give = (): Given => [url, put(blob)]
  expect(await compareReaders(give, { engine: webCryptoEngine() })).toEqual(same)
  expect(await compareReaders(give, { engine: nativeEngine() })).toEqual(same)
})

test('a stream stays unread, and its source is not asked', async () => {
  let asked = 0
  const stream = new ReadableStream(
    {
      pull() {
        asked += 1
      },
    },
    { highWaterMark: 0 },
  )
  await diagnose(exampleAuth(), refusal(''), url, put(stream))
  expect([stream.locked, asked]).toEqual([false, 0])
})

test('the headers are those that are sent, however they are given', async () => {
  for (const headers of [
    { Host: 'elsewhere', 'X-AMZ-Meta-A': ' a  b ' },
    [
      ['x-amz-meta-a', 'a'],
      ['X-Amz-Meta-A', 'b'],
    ],
    new Headers({ 'x-amz-meta-a': '\u00e4' }),
  ] as HeadersInit[]) {
    expect(await compareReaders(() => [url, { method: 'PATCH', headers }], {})).toEqual(same)
    expect(await compareReaders(() => [url, { method: 'patch', headers }], {})).toEqual(same)
  }
})

test.each([
  'https://user@examplebucket.s3.amazonaws.com/',
  'https://:pw@examplebucket.s3.amazonaws.com/',
])('the address %s is refused, as fetch with a scheme refuses it', async (input) => {
  await expect(diagnose(exampleAuth(), refusal(''), input)).rejects.toMatchObject({
    code: 'ERR_AUTH_URL',
  })
})
