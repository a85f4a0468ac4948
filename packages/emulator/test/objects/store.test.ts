import { describe, expect, test } from 'vitest'
import { listening, send } from '../support/emulator.ts'
import { signChunks } from '../support/sign-chunks.ts'
import { testKey } from '../support/sign.ts'

test('an object comes back with what was put: body, type, entity tag, time', async () => {
  const { emulator, signed, time } = await listening()
  const put = await signed({
    method: 'PUT',
    body: 'hello world',
    headers: [['content-type', 'text/plain']],
  })
  expect(put).toMatchObject({
    status: 200,
    headers: { etag: '"5eb63bbbe01eeed093cb22bb8f5acdc3"' },
  })
  time.now += 60_000
  expect(await signed({})).toMatchObject({
    status: 200,
    text: 'hello world',
    headers: {
      date: 'Fri, 02 Jan 2026 03:05:05 GMT',
      'content-type': 'text/plain',
      'content-length': '11',
      etag: put.headers['etag'],
      'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
      'accept-ranges': 'bytes',
    },
  })
  expect(emulator.requests.at(-1)?.auth).toEqual({
    scheme: 'sigv4',
    ok: true,
    accessKeyId: testKey.accessKeyId,
    signedHeaders: ['host', 'x-amz-content-sha256', 'x-amz-date'],
  })
})

test('HEAD responds as GET does, without the body', async () => {
  const { signed } = await listening()
  await signed({ method: 'PUT', body: 'hello world' })
  const head = await signed({ method: 'HEAD' })
  expect(head).toMatchObject({
    status: 200,
    text: '',
    headers: { 'content-length': '11', 'content-type': 'application/octet-stream' },
  })
  expect(await signed({ method: 'HEAD', target: '/V1/missing' })).toMatchObject({
    status: 404,
    text: '',
  })
})

test.each([
  ['bytes=0-4', 206, 'hello', 'bytes 0-4/11'],
  ['bytes=6-', 206, 'world', 'bytes 6-10/11'],
  ['bytes=-5', 206, 'world', 'bytes 6-10/11'],
  ['bytes=-99', 206, 'hello world', 'bytes 0-10/11'],
  ['bytes=6-99', 206, 'world', 'bytes 6-10/11'],
  ['bytes=10-10', 206, 'd', 'bytes 10-10/11'],
  ['bytes=11-', 416, '<Code>InvalidRange</Code>', 'bytes */11'],
  ['bytes=-0', 416, '<Code>InvalidRange</Code>', 'bytes */11'],
  ['bytes=4-2', 200, 'hello world', undefined],
  ['bytes=0-1,3-4', 200, 'hello world', undefined],
  ['lines=1-2', 200, 'hello world', undefined],
])('the range %s gives %d', async (range, status, text, contentRange) => {
  const { signed } = await listening()
  await signed({ method: 'PUT', body: 'hello world' })
  const part = await signed({ headers: [['range', range]] })
  expect(part.status).toBe(status)
  expect(part.headers['content-range']).toBe(contentRange)
  expect(part.text.replace(/^.*(<Code>.*<\/Code>).*$/s, '$1')).toBe(text)
})

test('DELETE removes an object, and does not mind one that is not there', async () => {
  const { signed } = await listening()
  await signed({ method: 'PUT', body: 'x' })
  expect(await signed({ method: 'DELETE' })).toMatchObject({ status: 204, text: '' })
  expect(await signed({ method: 'DELETE' })).toMatchObject({ status: 204 })
  const missing = await signed({})
  expect(missing.status).toBe(404)
  expect(missing.headers['content-type']).toBe('application/xml')
  expect(missing.text).toContain('<Code>NoSuchKey</Code>')
})

describe('keys are bytes', () => {
  const spellings: [target: string, canonicalPath: string][] = [
    ['/V1/a%20b', '/V1/a%20b'],
    ['/V1/a+b', '/V1/a%2Bb'],
    ['/V1/%FF%00', '/V1/%FF%00'],
    ['/V1//a', '/V1//a'],
    ['/V1/a/../b', '/V1/a/../b'],
    ['/V1/100%25', '/V1/100%25'],
    ['/V1/%E4%BD%A0', '/V1/%E4%BD%A0'],
  ]

  test('each is a key of its own', async () => {
    const { signed } = await listening()
    const put = await Promise.all(
      spellings.map(([target, canonicalPath]) =>
        signed({ method: 'PUT', target, canonicalPath, body: target }),
      ),
    )
    expect(put.map(({ status }) => status)).toEqual(spellings.map(() => 200))
    const got = await Promise.all(spellings.map(([, target]) => signed({ target })))
    expect(got.map(({ text }) => text)).toEqual(spellings.map(([target]) => target))
  })

  test('one that ends in a slash is like any other', async () => {
    const { signed } = await listening()
    const target = '/V1/folder/'
    expect((await signed({ target })).status).toBe(404)
    expect((await signed({ method: 'PUT', target, body: 'x' })).status).toBe(200)
    expect(await signed({ target })).toMatchObject({ status: 200, text: 'x' })
    expect((await signed({ method: 'DELETE', target })).status).toBe(204)
    expect((await signed({ target })).status).toBe(404)
  })
})

test('an object keeps its encoding, its disposition and its metadata', async () => {
  const { signed } = await listening()
  const kept = {
    'cache-control': 'no-store',
    'content-disposition': 'attachment; filename="a b"',
    'content-encoding': 'gzip, br',
    'content-language': 'de',
    'x-amz-meta-note': 'caf\u00e9',
    'x-amz-meta-list': 'a, b',
  }
  const headers = Object.entries({ ...kept, 'content-encoding': 'gzip,aws-chunked, br' })
  await signed({
    method: 'PUT',
    body: 'x',
    headers: [...headers, ['x-amz-storage-class', 'STANDARD']],
  })
  const got = await signed({})
  expect(got.headers).toMatchObject(kept)
  expect(got.headers['x-amz-storage-class']).toBeUndefined()
  expect((await signed({ method: 'HEAD' })).headers).toMatchObject(kept)
})

test('what is stored is the data, and its encoding without aws-chunked', async () => {
  const { emulator, server, signed } = await listening()
  const chunked = signChunks({
    host: server.url.host,
    chunks: [Buffer.alloc(10_000, 'a'), Buffer.from('b')],
    headers: [['content-encoding', 'gzip']],
    payload: 'PAYLOAD-TRAILER',
    trailers: [['x-amz-checksum-sha256', '6NaX78ye0b0Mc5L6VMbRKAdbcRPZguyvcejZQLF+S0c=']],
  })
  // `send` adds the length.
  const rawHeaders = chunked.rawHeaders.filter(([name]) => name !== 'content-length')
  expect((await send(server.url, { ...chunked, rawHeaders })).status).toBe(200)
  const got = await signed({})
  expect(got.text).toBe(`${'a'.repeat(10_000)}b`)
  expect(got.headers['content-encoding']).toBe('gzip')
  expect(emulator.requests[0]?.auth).toMatchObject({ ok: true })
  expect(emulator.requests[0]?.body).toEqual(chunked.body)
})

test.each([
  ['PUT', '/V1/a?acl', []],
  ['DELETE', '/V1/a?tagging', []],
  ['POST', '/V1/?delete', []],
  ['GET', '/V1/?policy', []],
  ['PUT', '/V1/a', [['x-amz-copy-source', '/V1/b']]],
] as const)('%s %s %j is not implemented, and does nothing', async (method, target, headers) => {
  const { signed } = await listening()
  await signed({ method: 'PUT', target: '/V1/a', body: 'before' })
  const [, query = ''] = target.split('?')
  const canonicalQuery = query.includes('=') || query === '' ? query : `${query}=`
  const response = await signed({ method, target, canonicalQuery, headers })
  expect(response.status).toBe(501)
  expect(response.text).toContain('<Code>NotImplemented</Code>')
  expect((await signed({ target: '/V1/a' })).text).toBe('before')
})

test('POST tells what arrived', async () => {
  const { signed } = await listening()
  const headers = [['content-type', 'application/json']] as const
  const posted = await signed({ method: 'POST', target: '/V1/', body: '{"a":1}', headers })
  expect(posted.status).toBe(200)
  expect(JSON.parse(posted.text)).toEqual({ method: 'POST', path: '/V1/', bytes: 7 })
})

test.each([
  ['PATCH', '/V1/a', 'GET, HEAD, PUT, POST, DELETE'],
  ['PUT', '/V1/', 'GET, HEAD, POST'],
  ['DELETE', '/V1/', 'GET, HEAD, POST'],
])('%s %s gives 405 and names what is allowed', async (method, target, allow) => {
  const { signed } = await listening()
  expect(await signed({ method, target })).toMatchObject({ status: 405, headers: { allow } })
})

test.each(['/', '/V1a', '/v1/a', '/buckets'])(
  'a signed request to %s is verified, then gets a 404 that says where objects are',
  async (target) => {
    const { emulator, signed } = await listening()
    expect(await signed({ target })).toMatchObject({
      status: 404,
      text: expect.stringContaining('objects are below /V1.'),
    })
    expect(emulator.requests[0]?.auth).toMatchObject({ scheme: 'sigv4', ok: true })
  },
)

test('an object is not stored where the signature is not good', async () => {
  const { signed } = await listening()
  const key = { ...testKey, secretAccessKey: 'wrong' }
  expect((await signed({ method: 'PUT', body: 'x', key })).status).toBe(403)
  expect((await signed({})).status).toBe(404)
})
