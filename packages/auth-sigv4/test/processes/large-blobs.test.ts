import { fileURLToPath } from 'node:url'
import { authFetch, type SigningEngine } from '@svc/auth-sigv4'
import { aws4Engine } from '@svc/auth-sigv4/aws4'
import { explain } from '@svc/auth-sigv4/explain'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import { describe, expect, test } from 'vitest'
import { run } from '../../../../tests/support/run-program.ts'
import { watchedStream } from '../support/bodies.ts'
import { exampleAuth, outgoingRequest } from '../support/signing.ts'
import { serveUploads } from '../streaming/upload-server.ts'

const https = 'https://examplebucket.s3.amazonaws.com'
const mib = 1024 * 1024
const limit = 64 * mib

/** The body of a Blob that cannot be read, since nobody should. */
function unreadBlob(size: number) {
  const read = (): never => {
    throw new Error('the Blob was read')
  }
  return { size, replayable: true, bytes: read, chunks: read }
}

const put = (base: string, size: number) => ({
  ...outgoingRequest(`${base}/k`, {}, 'PUT'),
  body: unreadBlob(size),
})

describe.each([nativeEngine(), aws4Engine()])('the $name engine', (engine) => {
  test('hashes a Blob in pieces and sends the Blob with its length', async () => {
    const { origin, uploads } = await serveUploads()
    const auth = exampleAuth({ baseUrl: origin, engine, payload: 'signed' })
    const blob = new Blob([new Uint8Array(3 * mib).fill(1), 'and more'], { type: 'text/x' })
    const response = await authFetch(auth)(`${origin}/k`, { method: 'PUT', body: blob })
    expect(response.status).toBe(200)
    const whole = engine.hash(new Uint8Array(await blob.arrayBuffer()))
    expect(uploads[0]?.headers).toMatchObject({
      'content-length': String(blob.size),
      'content-type': 'text/x',
      'x-amz-content-sha256': whole,
    })
    expect(uploads[0]?.headers['transfer-encoding']).toBeUndefined()
    expect(Buffer.from(uploads[0]?.body ?? []).equals(Buffer.from(await blob.bytes()))).toBe(true)
  })
})

test('a large Blob is sent again where the scheme asks for it', async () => {
  const { origin, uploads } = await serveUploads({
    respond: (response, count) => response.writeHead(count === 1 ? 503 : 200).end(),
  })
  const auth = exampleAuth({ baseUrl: origin })
  const fetch = authFetch({
    ...auth,
    authorize: async (request) => ({
      ...(await auth.authorize(request)),
      review: ({ status }) => (status === 503 ? 'busy' : undefined),
    }),
  })
  const body = new Blob([new Uint8Array(2 * mib)])
  expect((await fetch(`${origin}/k`, { method: 'PUT', body })).status).toBe(200)
  expect(uploads.map((upload) => upload.body.byteLength)).toEqual([2 * mib, 2 * mib])
})

test.each([
  ['blob', 100],
  ['stream', 24],
])('200 MiB of a %s take less than %i MiB', async (kind, mostMiB) => {
  const { origin, received } = await serveUploads({
    begin(message, response) {
      message.resume().once('end', () => response.end())
      return false
    },
  })
  const script = fileURLToPath(new URL('../fixtures/upload-memory.ts', import.meta.url))
  const flags = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning']
  const { stdout, stderr } = await run(process.execPath, [...flags, script, origin, kind, '200'])
  expect(stderr).toBe('')
  expect(received()).toBe(0)
  expect(JSON.parse(stdout).grownMiB).toBeLessThan(mostMiB)
})

describe('an engine that cannot hash in pieces', () => {
  const native = nativeEngine()
  const custom: SigningEngine = {
    name: 'custom',
    hash: (data) => native.hash(data),
    deriveKey: (secretAccessKey, scope) => native.deriveKey(secretAccessKey, scope),
    sign: (key, stringToSign) => native.sign(key, stringToSign),
  }

  test.each([webCryptoEngine(), custom])('takes a Blob of 64 MiB whole ($name)', async (engine) => {
    const auth = exampleAuth({ engine })
    const body = { ...unreadBlob(limit), bytes: async () => new Uint8Array(3) }
    const { headers } = await auth.authorize({ ...put(https, limit), body })
    expect(headers).toContainEqual(['x-amz-content-sha256', await engine.hash(new Uint8Array(3))])
  })

  test.each([webCryptoEngine(), custom])(
    'sends a larger one unsigned over https ($name)',
    async (engine) => {
      const { headers } = await exampleAuth({ engine }).authorize(put(https, limit + 1))
      expect(headers).toContainEqual(['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'])
    },
  )

  test('refuses a larger one that must be signed, or would go over plain http', () => {
    const engine = webCryptoEngine()
    const refusal = expect.objectContaining({
      code: 'ERR_AUTH_BODY',
      message: expect.stringMatching(/larger than the 67108864 bytes that the webcrypto engine/),
    })
    const signed = exampleAuth({ engine, payload: 'signed' })
    expect(() => signed.authorize(put(https, limit + 1))).toThrow(refusal)
    const baseUrl = 'http://storage.example.com'
    const http = exampleAuth({ engine, baseUrl })
    expect(() => http.authorize(put(baseUrl, limit + 1))).toThrow(refusal)
  })

  test('hashes bytes in memory whatever their size', async () => {
    const bytes = new Uint8Array(limit + 1)
    const auth = exampleAuth({ engine: webCryptoEngine(), payload: 'signed' })
    const { payloadHash } = await explain(auth, `${https}/k`, { method: 'PUT', body: bytes })
    expect(payloadHash).toBe(await nativeEngine().hash(bytes))
  })
})

test('bytes in a Request beyond maxReplayBytes are refused by an error that says what to raise', async () => {
  const baseUrl = 'http://storage.example.com'
  const fetch = authFetch(exampleAuth({ baseUrl }), { maxReplayBytes: 3 })
  const request = new Request(`${baseUrl}/k`, { method: 'PUT', body: 'four' })
  await expect(fetch(request)).rejects.toMatchObject({
    code: 'ERR_AUTH_BODY',
    message: expect.stringContaining(
      'in a Request, and so with ky, a body larger than maxReplayBytes counts as one',
    ),
  })
})

test('an abort ends the reading of a Blob that is hashed', async () => {
  const controller = new AbortController()
  const { stream, pulled, cancelled } = watchedStream((index) => {
    if (index === 2) controller.abort(new Error('no longer wanted'))
    return new Uint8Array(1000)
  })
  const body = { ...unreadBlob(2 * mib), chunks: () => stream.values() }
  const authorized = exampleAuth().authorize({
    ...put(https, 0),
    body,
    signal: controller.signal,
  })
  await expect(authorized).rejects.toThrow('no longer wanted')
  await cancelled
  expect(pulled()).toBeLessThanOrEqual(3000)
})
