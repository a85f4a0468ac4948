import { expect, test } from 'vitest'
import { listening, send } from '../support/emulator.ts'
import { presign } from '../support/presign.ts'
import { signChunks } from '../support/sign-chunks.ts'
import { sign, testKey } from '../support/sign.ts'

const wrongKey = { ...testKey, secretAccessKey: 'wrong' }

test('a mismatch gets the XML of object stores, in text and in bytes', async () => {
  const { server, signed } = await listening()
  const input = {
    target: '/V1/a?b=1&c=%3C%26%3E',
    headers: [['x-amz-meta-note', '<caf\u00e9 & "more">']] as const,
    key: wrongKey,
  }
  const response = await signed(input)
  expect(response.status).toBe(403)
  expect(response.headers['content-type']).toBe('application/xml')
  expect(response.text).not.toMatch(/&(?!(?:amp|lt|gt|quot|apos);)/)
  const expected = sign({ host: server.url.host, ...input })
  const signature = expected.rawHeaders.at(-1)?.[1].slice(-64)
  expect(elements(response.text)).toEqual([
    ['Code', 'SignatureDoesNotMatch'],
    ['Message', expect.stringContaining('does not match')],
    ['AWSAccessKeyId', testKey.accessKeyId],
    ['StringToSign', expected.stringToSign],
    ['StringToSignBytes', bytes(expected.stringToSign)],
    ['CanonicalRequest', expected.canonicalRequest],
    ['CanonicalRequestBytes', bytes(expected.canonicalRequest)],
    ['SignatureProvided', signature],
    ['Resource', '/V1/a'],
    ['RequestId', response.headers['x-amz-request-id']],
  ])
})

test('a HEAD that is refused has no body', async () => {
  const { emulator, signed } = await listening()
  const inProcess = await emulator.fetch('http://localhost/V1/a', { method: 'HEAD' })
  expect(inProcess.status).toBe(403)
  expect(await inProcess.text()).toBe('')
  expect(await signed({ method: 'HEAD', key: wrongKey })).toMatchObject({ status: 403, text: '' })
})

test('a wrong region gets 400 and the right one', async () => {
  const { signed } = await listening({ region: 'eu-central-1' })
  const response = await signed({ region: 'us-east-1' })
  expect(response.status).toBe(400)
  expect(elements(response.text)).toContainEqual(['Region', 'eu-central-1'])
  expect((await signed({ region: 'eu-central-1' })).status).toBe(404)
})

test('a skewed request gets both times', async () => {
  const { signed, time } = await listening()
  time.now += 3_600_000
  const response = await signed({})
  expect(response).toMatchObject({
    status: 403,
    headers: { date: 'Fri, 02 Jan 2026 04:04:05 GMT' },
  })
  expect(elements(response.text)).toContainEqual(['RequestTime', '20260102T030405Z'])
  expect(elements(response.text)).toContainEqual(['ServerTime', '2026-01-02T04:04:05Z'])
})

test('another body than the signed one gets both hashes', async () => {
  const { emulator, signed } = await listening()
  const response = await signed({ method: 'PUT', body: 'x', payloadHash: 'a'.repeat(64) })
  expect(response.status).toBe(400)
  expect(elements(response.text)).toContainEqual(['ClientComputedContentSHA256', 'a'.repeat(64)])
  expect(emulator.requests[0]?.auth).toMatchObject({ ok: false, code: 'XAmzContentSHA256Mismatch' })
})

test('a chunk with a wrong signature gets what that chunk should have signed', async () => {
  const { emulator, server } = await listening()
  const chunked = signChunks({ host: server.url.host })
  const [head = { bytes: Buffer.alloc(0) }] = chunked.pieces
  const [provided = ''] = /[0-9a-f]{64}/.exec(head.bytes.toString()) ?? []
  const body = Buffer.from(chunked.body)
  body.write('X', head.bytes.byteLength)
  const rawHeaders = chunked.rawHeaders.filter(([name]) => name !== 'content-length')
  const response = await send(server.url, { ...chunked, rawHeaders, body })
  expect(response.status).toBe(403)
  const found = new Map(elements(response.text))
  expect(found.get('Code')).toBe('SignatureDoesNotMatch')
  expect(found.get('SignatureProvided')).toBe(provided)
  expect(found.get('StringToSign')).toMatch(/^AWS4-HMAC-SHA256-PAYLOAD\n20260102T030405Z\n/)
  expect(found.get('StringToSignBytes')).toBe(bytes(found.get('StringToSign') ?? ''))
  expect(found.get('CanonicalRequest')).toContain('STREAMING-AWS4-HMAC-SHA256-PAYLOAD')
  expect(emulator.requests[0]?.auth).toMatchObject({ ok: false, code: 'SignatureDoesNotMatch' })
})

test('a presigned URL that has expired gets its time and that of the server', async () => {
  const { server, time } = await listening()
  time.now += 61_000
  const response = await send(server.url, presign({ host: server.url.host, expires: '60' }))
  expect(response.status).toBe(403)
  expect(elements(response.text).slice(0, 5)).toEqual([
    ['Code', 'AccessDenied'],
    ['Message', 'Request has expired'],
    ['X-Amz-Expires', '60'],
    ['Expires', '2026-01-02T03:05:05Z'],
    ['ServerTime', '2026-01-02T03:05:06Z'],
  ])
})

test('characters that XML cannot hold are replaced in the text and kept in the bytes', async () => {
  const { emulator } = await listening()
  const response = await emulator.fetch('http://localhost/V1/a', {
    headers: Object.fromEntries(
      sign({ headers: [['x-amz-meta-note', 'a\u0001b\u0085']], key: wrongKey }).rawHeaders,
    ),
  })
  const text = await response.text()
  expect(text).toContain('x-amz-meta-note:a\ufffdb\u0085\n')
  expect(text).toContain(bytes('x-amz-meta-note:a\u0001b\u0085\n'))
})

function elements(xml: string): [name: string, text: string][] {
  return [...xml.matchAll(/<([\w-]+)>([^<]*)<\/\1>/g)].map(([, name = '', text = '']) => [
    name,
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&'),
  ])
}

function bytes(text: string): string {
  const hex = Buffer.from(text, 'latin1').toString('hex')
  return (hex.match(/../g) ?? []).join(' ')
}
