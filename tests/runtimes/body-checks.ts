import { createSigV4Auth } from '@svc/auth-sigv4'
import { streaming } from '@svc/auth-sigv4/streaming'
import { authFetch } from '@svc/auth-token'
import type { Fetch } from '@svc/types'
import type { Addresses } from './addresses.ts'
import { equal, rejectsWith } from './assert.ts'
import type { Check } from './check.ts'
import { createControl } from './control.ts'
import { apiKey } from './credentials.ts'
import { isReactNative, sendsNoStreamLength } from './runtime-kind.ts'

/** Checks of bodies of every kind, sent by a `fetch` that signs, and of uploads in chunks. */
export function createBodyChecks(
  { service, control: controlAddress }: Addresses,
  fetchSigned: Fetch,
): readonly Check[] {
  const control = createControl(controlAddress)
  const baseUrl = new URL(service)
  const trusting = isReactNative ? { trustRedirects: true } : {}
  const uploads = [
    { name: 'signed chunks', payload: streaming() },
    { name: 'signed chunks and a trailer', payload: streaming({ trailer: 'crc32c' }) },
  ].map(({ name, payload }) => {
    const there = { baseUrl: controlAddress, region: 'us-east-1', credentials: apiKey }
    return { name, upload: authFetch(createSigV4Auth({ ...there, payload }), trusting) }
  })
  const uploadUrl = new URL('/upload', controlAddress)

  return [
    ...bodies().map(({ kind, body }): Check => ({
      name: `a body of ${kind} is hashed`,
      async run() {
        const url = new URL('/V1/body', baseUrl)
        const response = await fetchSigned(url, { method: 'PUT', body })
        await response.text()
        equal(response.status, 200, 'status')
        const payloadHash = (await control.state()).last?.payloadHash ?? ''
        equal(/^[0-9a-f]{64}$/.test(payloadHash), true, `hash in ${payloadHash}`)
      },
    })),
    {
      name: 'a Blob of 3 MiB is hashed and arrives whole',
      async run() {
        const url = new URL('/V1/blob', baseUrl)
        // React Native makes none of bytes.
        const body = new Blob(['0'.repeat(3 * 1024 * 1024), 'end'])
        const response = await fetchSigned(url, { method: 'PUT', body })
        await response.text()
        equal(response.status, 200, 'status')
        const stored = await (await fetchSigned(url)).blob()
        equal(stored.size, body.size, 'size')
      },
    },
    {
      name: 'a large buffer arrives as it was when the call began, whatever becomes of it then',
      async run() {
        const url = new URL('/V1/buffer', baseUrl)
        const body = new Uint8Array(1024 * 1024).fill(97)
        const sent = fetchSigned(url, { method: 'PUT', body })
        body.fill(98)
        const response = await sent
        await response.text()
        equal(response.status, 200, 'status')
        const stored = new Uint8Array(await (await fetchSigned(url)).arrayBuffer())
        equal(stored.length, body.length, 'size')
        equal(stored.indexOf(98), -1, 'the place of the first byte that was changed')
      },
    },
    ...uploads.flatMap(({ name, upload }): Check[] => [
      {
        name: `a stream goes in ${name} with its length, or is refused with a typed error`,
        async run(): Promise<'refused' | void> {
          const sent = upload(uploadUrl, streamInit(200_000, 200_000))
          if (sendsNoStreamLength) {
            await rejectsWith(sent, 'ERR_AUTH_BODY')
            return 'refused'
          }
          const expected = '200000 bytes in chunks of 65536, 65536, 65536, 3392, 0'
          equal(await (await sent).text(), expected, 'upload')
        },
      },
      {
        name: `a stream in ${name} that is shorter or longer than announced ends in a typed error`,
        async run() {
          await rejectsWith(upload(uploadUrl, streamInit(200_000, 200_001)), 'ERR_AUTH_BODY')
          await rejectsWith(upload(uploadUrl, streamInit(200_000, 199_999)), 'ERR_AUTH_BODY')
          return sendsNoStreamLength ? 'refused' : undefined
        },
      },
    ]),
  ]
}

function streamInit(size: number, announced: number): RequestInit {
  const pieceBytes = 10_000
  let given = 0
  const headers = { 'content-length': String(announced) }
  // There is no class of streams.
  if (isReactNative) return { method: 'PUT', headers, body: pieces() }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = new Uint8Array(Math.min(pieceBytes, size - given)).fill(given / pieceBytes)
      given += piece.byteLength
      if (piece.byteLength > 0) controller.enqueue(piece)
      else controller.close()
    },
  })
  // Without `duplex`, which plain `fetch` asks for and the types of pages do not know.
  return { method: 'PUT', headers, body }
}

function pieces(): never {
  // What undici takes as a body, and its type does not know.
  return { [Symbol.asyncIterator]: async function* () {} } as never
}

function bodies(): { kind: string; body: BodyInit }[] {
  return [
    ...(isReactNative ? [] : [{ kind: 'FormData', body: form() }]),
    { kind: 'text', body: 'größer' },
    { kind: 'a typed array', body: new Uint8Array([0, 1, 254, 255]).subarray(1) },
    { kind: 'an ArrayBuffer', body: new Uint8Array([3, 2, 1]).buffer },
    { kind: 'Blob', body: new Blob(['a blob'], { type: 'text/plain' }) },
    { kind: 'URLSearchParams', body: new URLSearchParams({ 'a b': 'c+d' }) },
  ]
}

function form(): FormData {
  const made = new FormData()
  made.set('field', 'größer')
  made.set('file', new Blob(['in a file'], { type: 'text/plain' }), 'a "b".txt')
  return made
}
