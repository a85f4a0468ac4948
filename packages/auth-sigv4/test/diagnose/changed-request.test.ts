import { authFetch, createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { presign, type PresignOptions } from '@svc/auth-sigv4/presign'
import { streaming } from '@svc/auth-sigv4/streaming'
import { createEmulator, defaultApiKeys } from '@svc/emulator'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { rewritingProxy } from './rewriting-proxy.ts'

const apiKey = defaultApiKeys[0]
const emulator = createEmulator()
let server: Awaited<ReturnType<typeof emulator.listen>>
beforeAll(async () => {
  server = await emulator.listen()
})
afterAll(() => server.close())

const authOf = (options: Partial<SigV4AuthOptions> = {}) =>
  createSigV4Auth({ baseUrl: server.url, region: 'us-east-1', credentials: apiKey, ...options })

/** The error of a server as others write it: the lines that it computed are left out. */
const servers: readonly (readonly [name: string, passOn: (text: string) => string])[] = [
  ['that shows its lines', (text) => text],
  [
    'that shows its string to sign alone',
    (text) => text.replace(/<CanonicalRequest.*?<\/Can.*?>/gs, ''),
  ],
  [
    'that shows no line, as MinIO does',
    (text) =>
      text.replace(/<(CanonicalRequest|StringToSign|SignatureProvided)(\w*)>.*?<\/\1\2>/gs, ''),
  ],
  ['that says nothing but 403, as to HEAD', () => ''],
]

interface Change {
  readonly name: string
  readonly options?: PresignOptions
  readonly change?: (url: string) => string
  readonly init?: RequestInit
}

const changes: readonly Change[] = [
  { name: 'has a parameter more', change: (url) => `${url}&response-content-disposition=inline` },
  { name: 'has another path', change: (url) => url.replace('/V1/a', '/V1/b') },
  {
    name: 'has another time to live',
    change: (url) => url.replace('Expires=3600', 'Expires=7200'),
  },
  {
    name: 'has another digit in its signature',
    change: (url) => url.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
  },
  { name: 'is sent with another method', init: { method: 'PUT', body: 'text' } },
  {
    name: 'is sent with another value of a signed header',
    options: { method: 'PUT', headers: { 'content-type': 'text/csv' } },
    init: { method: 'PUT', body: 'text' },
  },
]

/** Sends a presigned URL as it is changed, and returns the response as such a server would give it. */
async function refused(
  auth: ReturnType<typeof authOf>,
  { options, change, init }: Change,
  passOn: (text: string) => string,
) {
  const link = await presign(auth, new URL('/V1/a', server.url), options)
  const url = change ? change(link.href) : link.href
  const response = await fetch(url, init)
  expect(response.status).toBe(403)
  const { status, headers } = response
  return { url, response: new Response(passOn(await response.text()), { status, headers }) }
}

describe.each(servers)('of a server %s', (_server, passOn) => {
  test.each(changes)('a presigned URL that $name is said to be another one', async (change) => {
    const auth = authOf()
    const { url, response } = await refused(auth, change, passOn)
    const { verdict, differences, summary } = await diagnose(auth, response, url, change.init)
    expect(summary).toContain('This is not the URL that was presigned')
    expect(summary).toContain('Presign it again')
    expect(summary).not.toContain('the secret is not the one')
    expect({ verdict, differences }).toEqual({ verdict: 'canonical-request', differences: [] })
    expect(JSON.stringify(summary)).not.toContain(apiKey.secretAccessKey)
  })

  test('a presigned URL without a header that it was signed with names the header', async () => {
    const auth = authOf()
    const options = { method: 'PUT', headers: { 'x-amz-meta-a': 'one' } }
    const init = { method: 'PUT', body: 'text' }
    const { url, response } = await refused(auth, { name: '', options, init }, passOn)
    const { verdict, differences } = await diagnose(auth, response, url, init)
    expect(verdict).toBe('canonical-request')
    expect(differences).toMatchObject([
      { line: 'header x-amz-meta-a', theirs: '(signed, not sent)' },
    ])
  })

  test('a presigned URL as it was signed is none that is another one', async () => {
    const auth = authOf({ credentials: { ...apiKey, secretAccessKey: 'not-a-secret' } })
    const { url, response } = await refused(auth, { name: '' }, passOn)
    const { summary } = await diagnose(auth, response, url)
    expect(summary).not.toContain('This is not the URL that was presigned')
  })
})

test('a request that was changed after it was signed blames no secret', async () => {
  const auth = authOf()
  const { headers } = await explain(auth, new URL('/V1/a', server.url))
  const url = new URL('/V1/b', server.url)
  const response = await fetch(url, { headers })
  expect(response.status).toBe(403)
  const { differences, summary } = await diagnose(auth, response, url)
  expect(differences.map(({ line }) => line)).toEqual(['signature'])
  expect(summary).toContain('another one signed it, or it was changed')
  expect(summary).not.toContain('so the secret is not the one')
})

test('a signed chunk that was changed on the way blames no secret', async () => {
  const proxy = await rewritingProxy(new URL(server.url), (passed) => {
    passed.body = Buffer.from(passed.body.toString('latin1').replace('aaaa', 'aaab'), 'latin1')
  })
  onTestFinished(() => proxy.close())
  const auth = authOf({ baseUrl: proxy.url, payload: streaming() })
  const url = new URL('/V1/a', proxy.url)
  const init = { method: 'PUT', body: 'a'.repeat(9000) }
  const response = await authFetch(auth)(url, init)
  expect(response.status).toBe(403)
  const { verdict, summary } = await diagnose(auth, response, url, init)
  expect(verdict).toBe('unknown')
  expect(summary).not.toContain('so the secret is not the one')
})
