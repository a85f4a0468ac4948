import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { verifySigV4, type EmulatorOptions } from '@svc/emulator'
import { listening, loginHeaders, send } from '../support/emulator.ts'
import { presign } from '../support/presign.ts'
import { signChunks } from '../support/sign-chunks.ts'
import { sign, testAt, testKey, type SignInput } from '../support/sign.ts'

const chunked = [['transfer-encoding', 'chunked']] as const

/** Signs a request, and sends its body in transfer chunks, without a length. */
async function sendChunked(input: SignInput, options: EmulatorOptions = {}) {
  const { server } = await listening(options)
  const signed = sign({ method: 'PUT', host: server.url.host, unsignedHeaders: chunked, ...input })
  return send(server.url, signed)
}

describe('a body with neither a length nor aws-chunked', () => {
  test.each<[of: string, input: SignInput]>([
    ['a signed payload', { body: 'x' }],
    ['an unsigned payload', { body: 'x', payloadHash: 'UNSIGNED-PAYLOAD' }],
    ['an empty payload', {}],
    ['a POST', { method: 'POST', body: 'x' }],
    [
      'a coding in other letters',
      { body: 'x', unsignedHeaders: [['Transfer-Encoding', 'CHUNKED']] },
    ],
    ['an aws-chunked that no hash announces', { headers: [['content-encoding', 'aws-chunked']] }],
  ])('gets 411 as %s', async (_, input) => {
    const { status, text } = await sendChunked(input)
    expect(status).toBe(411)
    expect(text).toContain('<Code>MissingContentLength</Code>')
  })

  test('gets 411 behind a presigned URL', async () => {
    const { server } = await listening()
    const signed = presign({ method: 'PUT', host: server.url.host, body: 'x' })
    const rawHeaders = [...signed.rawHeaders, ...chunked]
    expect(await send(server.url, { ...signed, rawHeaders })).toMatchObject({ status: 411 })
  })

  test('gets 411 in process, where its head says that it comes in chunks', async () => {
    const { emulator, server } = await listening()
    const { rawHeaders } = sign({
      method: 'PUT',
      host: server.url.host,
      payloadHash: 'UNSIGNED-PAYLOAD',
    })
    const headers = [...rawHeaders, ...chunked].map(([name, value]): [string, string] => [
      name,
      value,
    ])
    // Mocks of `node:http` hand on such a request.
    const url = new URL('/V1/object', server.url)
    const response = await emulator.fetch(new Request(url, { method: 'PUT', headers, body: 'x' }))
    expect(response.status).toBe(411)
  })

  test.each([
    ['a stream', () => new Blob(['x']).stream()],
    [
      'an iterable',
      async function* () {
        yield new TextEncoder().encode('x')
      },
    ],
  ])('gets 411 in process as %s, as on a socket', async (_, makeBody) => {
    const { emulator, server } = await listening()
    const { rawHeaders } = sign({
      method: 'PUT',
      host: server.url.host,
      payloadHash: 'UNSIGNED-PAYLOAD',
    })
    const put = (headers: readonly (readonly [string, string])[]) =>
      Reflect.apply(emulator.fetch, undefined, [
        new URL('/V1/object', server.url),
        { method: 'PUT', headers, body: makeBody(), duplex: 'half' },
      ])
    expect(await put(rawHeaders)).toMatchObject({ status: 411 })
    expect(emulator.requests[0]?.headers['transfer-encoding']).toBe('chunked')
    expect(await put([...rawHeaders, ['content-length', '1']])).toMatchObject({ status: 200 })
  })

  test('is accepted with bodiesWithoutLength: accepted', async () => {
    const options = { bodiesWithoutLength: 'accepted' } as const
    expect(await sendChunked({ body: 'x' }, options)).toMatchObject({ status: 200 })
  })

  test('gets 403 if its signature is wrong', async () => {
    expect(await sendChunked({ body: 'x', region: 'eu-west-1' })).toMatchObject({ status: 400 })
    const key = { ...testKey, secretAccessKey: 'wrong' }
    expect(await sendChunked({ body: 'x', key })).toMatchObject({ status: 403 })
  })

  test('is a rejection of verifySigV4, which the same option turns off', async () => {
    const options = { apiKeys: [testKey], region: 'us-east-1', clock: () => testAt }
    const request = sign({ method: 'PUT', body: 'x', unsignedHeaders: chunked })
    expect(await verifySigV4(request, options)).toMatchObject({
      ok: false,
      code: 'MissingContentLength',
      status: 411,
      canonicalRequest: request.canonicalRequest,
    })
    const lenient = { ...options, bodiesWithoutLength: 'accepted' } as const
    expect(await verifySigV4(request, lenient)).toMatchObject({ ok: true })
  })
})

test('signed chunks need no length but that of their data', async () => {
  const { server } = await listening()
  const signed = signChunks({
    host: server.url.host,
    contentLength: undefined,
    unsignedHeaders: chunked,
  })
  expect(await send(server.url, signed)).toMatchObject({ status: 200 })
})

test('a request without a body needs no length', async () => {
  const { server } = await listening()
  const { rawHeaders } = sign({ method: 'PUT', host: server.url.host })
  const lines = [...rawHeaders, ['connection', 'close']].map(([name, value]) => `${name}: ${value}`)
  // Every client sends `content-length: 0` or transfer chunks with a PUT.
  const socket = connect(Number(server.url.port), server.url.hostname)
  socket.write(['PUT /V1/object HTTP/1.1', ...lines, '', ''].join('\r\n'))
  expect(Buffer.concat(await socket.toArray()).toString()).toMatch(/^HTTP\/1\.1 200 /)
})

test('a login without a length is read, since the interface says nothing of lengths', async () => {
  const { server } = await listening()
  const body = Buffer.from(JSON.stringify({ Username: 'primary', Password: 'primary-password' }))
  const rawHeaders = [...Object.entries(loginHeaders), ['host', 'h'] as const, ...chunked]
  const request = { method: 'POST', target: '/user/login', rawHeaders, body }
  expect(await send(server.url, request)).toMatchObject({ status: 200 })
})
