import { describe, expect, test } from 'vitest'
import { listening } from './emulator-under-test.ts'
import { testKey } from './sign.ts'

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

test('HEAD answers as GET does, without the body', async () => {
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
    ['/V1/100%', '/V1/100%25'],
    ['/V1/%E4%BD%A0', '/V1/%E4%BD%A0'],
  ]

  test('each is a key of its own, and a listing gives them as paths that can be requested', async () => {
    const { signed } = await listening()
    const put = await Promise.all(
      spellings.map(([target, canonicalPath]) =>
        signed({ method: 'PUT', target, canonicalPath, body: target }),
      ),
    )
    expect(put.map(({ status }) => status)).toEqual(spellings.map(() => 200))
    const listed = await signed({ target: '/V1/' })
    expect(JSON.parse(listed.text)).toEqual(spellings.map(([, path]) => path).toSorted())
    const got = await Promise.all(spellings.map(([, target]) => signed({ target })))
    expect(got.map(({ text }) => text)).toEqual(spellings.map(([target]) => target))
  })

  test('a listing holds what is below its path alone', async () => {
    const { signed } = await listening()
    const targets = ['/V1/ab', '/V1/a/b/2', '/V1/a/1']
    await Promise.all(targets.map((target) => signed({ method: 'PUT', target, body: 'x' })))
    expect((await signed({ target: '/V1/a/' })).text).toBe('["/V1/a/1","/V1/a/b/2"]')
    expect((await signed({ target: '/V1/none/' })).text).toBe('[]')
  })
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

test.each(['/', '/V1', '/v1/a', '/buckets'])(
  'a signed request to %s is verified, then answered with 404',
  async (target) => {
    const { emulator, signed } = await listening()
    expect((await signed({ target })).status).toBe(404)
    expect(emulator.requests[0]?.auth).toMatchObject({ scheme: 'sigv4', ok: true })
  },
)

test('an object is not stored where the signature is not good', async () => {
  const { signed } = await listening()
  const key = { ...testKey, secretAccessKey: 'wrong' }
  expect((await signed({ method: 'PUT', body: 'x', key })).status).toBe(403)
  expect((await signed({})).status).toBe(404)
})
