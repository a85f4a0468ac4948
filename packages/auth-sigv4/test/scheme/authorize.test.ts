import { authFetch } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import type { AuthEvent, OutgoingBody } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { exampleAuth, outgoingRequest } from '../support/signing.ts'

const base = 'https://examplebucket.s3.amazonaws.com'

describe('a signature', () => {
  test('is there at once with the native engine, and a promise with WebCrypto', () => {
    const request = outgoingRequest(`${base}/k`)
    expect(exampleAuth().authorize(request)).not.toBeInstanceOf(Promise)
    expect(exampleAuth({ engine: webCryptoEngine() }).authorize(request)).toBeInstanceOf(Promise)
  })

  test('covers an allow-list of headers and those asked for, nothing that others rewrite', async () => {
    const { signedHeaders } = await explain(
      exampleAuth({ signHeaders: ['X-Trace'] }),
      `${base}/k`,
      {
        headers: {
          'accept-encoding': 'gzip',
          'user-agent': 'x',
          traceparent: '00-1',
          'content-length': '0',
          'content-type': 'text/plain',
          'content-md5': 'x',
          range: 'bytes=0-1',
          'if-none-match': '*',
          'x-amz-meta-a': '1',
          'x-trace': '1',
          'x-forwarded-for': '::1',
        },
      },
    )
    expect(signedHeaders).toBe(
      'content-md5;content-type;host;if-none-match;range;x-amz-content-sha256;x-amz-date;x-amz-meta-a;x-trace',
    )
  })

  test('folds blanks and hashes header values as Latin-1', async () => {
    const { canonicalRequest } = await explain(exampleAuth(), `${base}/k`, {
      headers: { 'x-amz-meta-a': ' a  b\tc\u00a0 d ' },
    })
    expect(canonicalRequest).toContain('x-amz-meta-a:a b c\u00a0 d\n')
  })

  test('leaves a request without a session token as it is', async () => {
    const { headers } = await exampleAuth().authorize(outgoingRequest(`${base}/k`))
    expect(headers.map(([name]) => name)).toEqual([
      'x-amz-date',
      'x-amz-content-sha256',
      'authorization',
    ])
  })

  test("is shown with the caller's own headers beside it", async () => {
    const { headers } = await explain(exampleAuth(), `${base}/k`, { headers: { 'X-Trace': '1' } })
    expect([...headers.keys()]).toEqual([
      'authorization',
      'x-amz-content-sha256',
      'x-amz-date',
      'x-trace',
    ])
  })

  test('is made of the session token, and removes one of an earlier signature', async () => {
    const request = outgoingRequest(`${base}/k`, { 'x-amz-security-token': 'old' })
    const stays = await exampleAuth().authorize(request)
    expect(stays.headers).toContainEqual(['x-amz-security-token', null])
    const explained = await explain(exampleAuth(), `${base}/k`, {
      headers: { 'x-amz-security-token': 'old' },
    })
    expect(explained.headers.has('x-amz-security-token')).toBe(false)
    expect(explained.signedHeaders).not.toContain('x-amz-security-token')
    const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'new' }
    const { headers, signedHeaders } = await explain(exampleAuth({ credentials }), `${base}/k`)
    expect(headers.get('x-amz-security-token')).toBe('new')
    expect(signedHeaders).toContain(';x-amz-security-token')
  })

  test('sends no payload hash header to other services, and encodes the path twice', async () => {
    const auth = exampleAuth({ service: 'es' })
    const { signedHeaders, canonicalRequest, url } = await explain(auth, `${base}/a b`)
    expect(signedHeaders).toBe('host;x-amz-date')
    expect(canonicalRequest).toMatch(/^GET\n\/a%2520b\n/)
    expect(url.pathname).toBe('/a%20b')
  })

  test("honours the caller's own payload hash", async () => {
    const { payloadHash, canonicalRequest } = await explain(exampleAuth(), `${base}/k`, {
      method: 'PUT',
      body: 'text',
      headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    })
    expect(payloadHash).toBe('UNSIGNED-PAYLOAD')
    expect(canonicalRequest.match(/x-amz-content-sha256:/g)).toHaveLength(1)
  })

  test('is told to the observer, whatever that does', async () => {
    const events: AuthEvent[] = []
    await exampleAuth({ onEvent: (event) => events.push(event) }).authorize(
      outgoingRequest(`${base}/k?secret=1`),
    )
    expect(events).toEqual([
      {
        type: 'signed',
        scheme: 'sigv4',
        origin: base,
        method: 'GET',
        signedHeaders: 'host;x-amz-content-sha256;x-amz-date',
      },
    ])
    const throwing = (): never => {
      throw new Error('observer')
    }
    await exampleAuth({ onEvent: throwing }).authorize(outgoingRequest(`${base}/k`))
  })

  test('is of the day in UTC, with a key of its own', async () => {
    const auth = exampleAuth()
    const before = await explain(auth, `${base}/k`, undefined, { at: Date.UTC(2026, 0, 1) - 1 })
    const after = await explain(auth, `${base}/k`, undefined, { at: Date.UTC(2026, 0, 1) })
    expect(before.stringToSign).toContain('20251231T235959Z\n20251231/')
    expect(after.stringToSign).toContain('20260101T000000Z\n20260101/')
  })
})

describe('refused before anything is sent', () => {
  const sent: unknown[] = []
  const fetch = authFetch(exampleAuth(), {
    fetch: async (input) => {
      sent.push(input)
      return new Response()
    },
  })
  test.each<[why: string, path: string, init?: RequestInit]>([
    [`${base}/a%2F..%2Fb has a segment that decodes to a dot segment`, '/a%2F..%2Fb'],
    [`PUT ${base}/a is already presigned; send it as it is`, '/a?X-Amz-Signature=00'],
    [
      `PUT ${base}/a already has an authorization header, in whose place the signature stands: remove it`,
      '/a?secret',
      { headers: { authorization: 'x' } },
    ],
  ])('%s', async (why, path, init) => {
    await expect(fetch(`${base}${path}`, { ...init, method: 'PUT' })).rejects.toHaveProperty(
      'message',
      `[@svc/auth-sigv4] ${why}`,
    )
    expect(sent).toEqual([])
  })

  test.each<[code: string, what: string, input: string, init?: RequestInit]>([
    ['ERR_AUTH_URL', 'a path that decodes to a dot segment', `${base}/a%2F..%2Fb`],
    ['ERR_AUTH_URL', 'a presigned URL', `${base}/a?x=1&X-Amz-Signature=00`],
    ['ERR_AUTH_URL', 'a presigned URL in disguise', `${base}/a?%58-Amz-Signature=1`],
    ['ERR_AUTH_URL', 'a presigned URL without a value', `${base}/a?X-Amz-Signature`],
    ['ERR_AUTH_URL', 'userinfo', 'https://user:pw@examplebucket.s3.amazonaws.com/'],
    ['ERR_AUTH_ORIGIN', 'another origin', 'https://examplebucket.s3.amazonaws.com.evil.example/'],
    ['ERR_AUTH_ORIGIN', 'another port', 'https://examplebucket.s3.amazonaws.com:8443/'],
    ['ERR_AUTH_ORIGIN', 'another scheme', 'http://examplebucket.s3.amazonaws.com/'],
    ['ERR_AUTH_ORIGIN', 'a trailing dot', 'https://examplebucket.s3.amazonaws.com./'],
    ['ERR_AUTH_HEADER', 'a request that is signed', base, { headers: { Authorization: 'x' } }],
    ['ERR_AUTH_HEADER', 'a header beyond Latin-1', base, { headers: { 'x-amz-meta-a': '你' } }],
  ])('%s: %s', async (code, _what, input, init) => {
    await expect(fetch(input, init)).rejects.toMatchObject({ code })
    expect(sent).toEqual([])
  })
})

describe('a stream', () => {
  const stream: OutgoingBody = {
    replayable: false,
    bytes: () => Promise.reject(new Error('read ahead')),
    async *chunks() {},
  }
  const put = (url: string) => ({ ...outgoingRequest(url, {}, 'PUT'), body: stream })

  test('goes unsigned over https', async () => {
    const { headers } = await exampleAuth().authorize(put(`${base}/k`))
    expect(headers).toContainEqual(['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'])
  })

  test.each(['localhost:9000', '127.8.9.1', '[::1]:80', 'minio.localhost'])(
    'goes unsigned over plain http to %s',
    async (host) => {
      const baseUrl = `http://${host}`
      const { headers } = await exampleAuth({ baseUrl }).authorize(put(`${baseUrl}/k`))
      expect(headers).toContainEqual(['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'])
    },
  )

  test.each(['storage.example.com', 'localhost.example.com', '10.0.0.1', '127.0.0.1.nip.io'])(
    'over plain http to %s is a typed error',
    (host) => {
      const baseUrl = `http://${host}`
      const refusal = expect.objectContaining({ code: 'ERR_AUTH_BODY' })
      expect(() => exampleAuth({ baseUrl }).authorize(put(`${baseUrl}/k`))).toThrow(refusal)
    },
  )

  test('that must be signed is a typed error', () => {
    const refusal = expect.objectContaining({ code: 'ERR_AUTH_BODY' })
    const loopback = exampleAuth({ baseUrl: 'http://localhost:9000', payload: 'signed' })
    expect(() => loopback.authorize(put('http://localhost:9000/k'))).toThrow(refusal)
    expect(() => exampleAuth({ payload: 'signed' }).authorize(put(`${base}/k`))).toThrow(refusal)
  })

  test('goes unsigned over plain http where that is asked for', async () => {
    const baseUrl = 'http://storage.example.com'
    const http = exampleAuth({ baseUrl, payload: 'unsigned' })
    const { headers } = await http.authorize(put(`${baseUrl}/k`))
    expect(headers).toContainEqual(['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'])
  })
})
