import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { crc32 } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServer } from 'node:http'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { openEmulated, openProxy, secretHeader, sendRaw } from '../support/open-proxy.ts'
import { frameChunks, signedHead } from '../support/sign-request.ts'

const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')

/** Everything that a service which breaks off nothing was sent. */
async function openRecorded() {
  const requests: {
    headers: NodeJS.Dict<string | string[]>
    bytes: number
    isWhole: boolean
    hash: string
  }[] = []
  const server = await listenOnLoopback(
    createServer((incoming, response) => {
      const hash = createHash('sha256')
      const record = { headers: incoming.headers, bytes: 0, isWhole: false, hash: '' }
      requests.push(record)
      incoming.on('data', (chunk: Buffer) => {
        record.bytes += chunk.byteLength
        hash.update(chunk)
      })
      incoming.on('error', () => {})
      incoming.on('end', () => {
        record.isWhole = true
        record.hash = hash.digest('hex')
        response.end('done')
      })
    }),
  )
  onTestFinished(() => server.close())
  return { requests, ...(await openProxy({ baseUrl: server.url.href.replace(/\/$/, '') })) }
}

describe('a body whose hash was signed', () => {
  test('goes on under the same hash, signed again, however long it is', async () => {
    const { requests, port } = await openRecorded()
    for (const size of [0, 1, 65_535, 65_536, 65_537, 1_000_000]) {
      const body = randomBytes(size)
      const head = signedHead({
        port,
        method: 'PUT',
        payloadHash: sha256(body),
        headers: [['content-length', String(size)]],
      })
      expect(await sendRaw(port, head, body)).toMatch(/^HTTP\/1\.1 200 /)
      const request = requests.at(-1)
      expect(request).toMatchObject({ bytes: size, isWhole: true, hash: sha256(body) })
      expect(request?.headers).toMatchObject({
        'content-length': String(size),
        'x-amz-content-sha256': sha256(body),
      })
      expect(request?.headers['authorization']).toContain('EMULATORCLIENTKEY')
    }
  })

  test.each([10, 65_536])('of %i bytes never leaves if it is another one', async (size) => {
    const { requests, port } = await openRecorded()
    const head = signedHead({
      port,
      method: 'PUT',
      payloadHash: 'a'.repeat(64),
      headers: [['content-length', String(size)]],
    })
    const response = await sendRaw(port, head, randomBytes(size))
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
    expect(response).toContain('<Code>XAmzContentSHA256Mismatch</Code>')
    expect(requests).toEqual([])
  })

  test.each(['content-length', 'transfer-encoding'])(
    'is broken off before its last 64 KiB if it is another one: %s',
    async (framing) => {
      const { requests, port, logged } = await openRecorded()
      const body = randomBytes(1_000_000)
      const isChunked = framing === 'transfer-encoding'
      const head = signedHead({
        port,
        method: 'PUT',
        payloadHash: 'a'.repeat(64),
        headers: [isChunked ? [framing, 'chunked'] : [framing, '1000000']],
      })
      const sent = isChunked ? [`${(1_000_000).toString(16)}\r\n`, body, '\r\n0\r\n\r\n'] : [body]
      const response = await sendRaw(port, head, ...sent)
      expect(response).toContain('<Code>XAmzContentSHA256Mismatch</Code>')
      await logged(1)
      expect(requests).toHaveLength(1)
      expect(requests[0]?.isWhole).toBe(false)
      expect(requests[0]?.bytes).toBeLessThanOrEqual(1_000_000 - 65_536)
    },
  )
})

describe('a body in chunks', () => {
  const kinds = ['PAYLOAD', 'PAYLOAD-TRAILER', 'UNSIGNED-TRAILER'] as const
  const checksum = (data: Uint8Array): string => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(crc32(data))
    return bytes.toString('base64')
  }

  test.each(kinds)('goes on with the checksum of its trailer: %s', async (kind) => {
    const { emulator, port } = await openEmulated()
    for (const sizes of [[5], [100_000, 100_000, 7], [65_536], [131_072], [8192, 65_000]]) {
      const chunks = sizes.map((size) => randomBytes(size))
      const data = Buffer.concat(chunks)
      const trailers = kind === 'PAYLOAD' ? [] : [['x-amz-checksum-crc32', checksum(data)] as const]
      const { head, body } = frameChunks({
        port,
        kind,
        chunks,
        trailers,
        headers: [
          ['x-amz-sdk-checksum-algorithm', 'CRC32'],
          ['content-encoding', 'gzip,aws-chunked'],
        ],
      })
      expect(await sendRaw(port, head, body)).toMatch(/^HTTP\/1\.1 200 /)
      const request = emulator.requests.at(-1)
      const stored = await sendRaw(port, signedHead({ port }))
      expect(stored.endsWith(`\r\n\r\n${data.toString('latin1')}`)).toBe(true)
      const isLong = data.byteLength > 65_536
      const hasChecksum = trailers.length > 0
      const isFramed = isLong && hasChecksum
      const { headers } = request ?? {}
      expect(headers).toMatchObject({
        'content-encoding': isFramed ? 'gzip,aws-chunked' : 'gzip',
        ...(!isLong && { 'x-amz-content-sha256': sha256(data) }),
        ...(isLong && {
          'x-amz-content-sha256': isFramed
            ? 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
            : 'UNSIGNED-PAYLOAD',
        }),
        ...(!isFramed && { 'content-length': String(data.byteLength) }),
      })
      expect(headers?.['x-amz-trailer']).toBe(isFramed ? 'x-amz-checksum-crc32' : undefined)
      const size = isFramed ? String(data.byteLength) : undefined
      expect(headers?.['x-amz-decoded-content-length']).toBe(size)
      const ofHeader = hasChecksum && !isLong ? checksum(data) : undefined
      expect(headers?.['x-amz-checksum-crc32']).toBe(ofHeader)
      const algorithm = hasChecksum ? 'CRC32' : undefined
      expect(headers?.['x-amz-sdk-checksum-algorithm']).toBe(algorithm)
    }
  })

  test.each(kinds)('is broken off where a byte of it differs: %s', async (kind) => {
    const { requests, port, logged } = await openRecorded()
    const chunks = [randomBytes(300_000), randomBytes(300_000)]
    const data = Buffer.concat(chunks)
    const trailers = kind === 'PAYLOAD' ? [] : [['x-amz-checksum-crc32', checksum(data)] as const]
    const { head, body } = frameChunks({ port, kind, chunks, trailers })
    const changed = Buffer.from(body)
    changed[500_000] = 255 - (changed[500_000] ?? 0)
    const response = await sendRaw(port, head, changed)
    expect(response).toMatch(kind === 'UNSIGNED-TRAILER' ? /BadDigest/ : /SignatureDoesNotMatch/)
    await logged(1)
    expect(requests.map(({ isWhole }) => isWhole)).toEqual([false])
  })

  test('is refused at the first wrong chunk, before the rest has come', async () => {
    const { requests, port } = await openRecorded()
    const { head, body } = frameChunks({
      port,
      kind: 'PAYLOAD',
      chunks: [randomBytes(10_000), randomBytes(1_000_000)],
    })
    const changed = Buffer.from(body)
    changed[5000] = 255 - (changed[5000] ?? 0)
    expect(await sendRaw(port, head, changed.subarray(0, 11_000))).toContain(
      'SignatureDoesNotMatch',
    )
    expect(requests).toEqual([])
  })

  test('is broken off if it ends early', async () => {
    const { requests, port, logged } = await openRecorded()
    const { head, body } = frameChunks({ port, kind: 'PAYLOAD', chunks: [randomBytes(300_000)] })
    const socket = connect(port, '127.0.0.1')
    socket.write(head)
    socket.end(body.subarray(0, 200_000))
    await once(socket.resume(), 'close')
    await logged(1)
    expect(requests.map(({ isWhole }) => isWhole)).toEqual([false])
  })

  test('needs a signature of its request', async () => {
    const { requests, port } = await openRecorded()
    const response = await fetch(`http://127.0.0.1:${port}/V1/a`, {
      method: 'PUT',
      headers: { ...secretHeader, 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' },
      body: '4\r\nabcd\r\n0\r\n\r\n',
    })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('needs a signed request')
    expect(requests).toEqual([])
  })
})

test('a small body is sent again after a token ended', async () => {
  const { emulator, url } = await openEmulated()
  const headers = { ...secretHeader, 'content-type': 'application/json' }
  await fetch(`${url}/user/groups`, { headers })
  emulator.revokeTokens()
  expect((await fetch(`${url}/user/groups`, { headers })).status).toBe(200)
  const statuses = emulator.requests.map(
    ({ method, path, status }) => `${method} ${path} ${status}`,
  )
  expect(statuses.slice(-3)).toEqual([
    'GET /user/groups 401',
    'POST /user/login 200',
    'GET /user/groups 200',
  ])
})

test('a small body is sent again, dated by the clock of the service', async () => {
  const { emulator, url } = await openEmulated({
    emulator: { clock: () => Date.now() + 3_600_000 },
  })
  const put = { method: 'PUT', headers: secretHeader, body: 'x'.repeat(60_000) }
  expect((await fetch(`${url}/V1/a`, put)).status).toBe(200)
  expect(emulator.requests.map(({ status }) => status)).toEqual([403, 200])
})
