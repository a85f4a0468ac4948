import { createServer, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { AxiosInstance, AxiosRequestConfig } from 'axios'
import { describe, expect, onTestFinished, test } from 'vitest'
import { atNight } from '../../../../tests/support/nightly.ts'
import { recordingScheme } from '../support/schemes.ts'
import { type AxiosClient, clients, failure, listen } from './clients.ts'

const json = JSON.stringify({ a: 'b'.repeat(10_000) })
// The others are names of the first one.
const encoders: Readonly<Record<string, (text: string) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  ...atNight({ 'x-gzip': gzipSync, compress: gzipSync }, {}),
}

/** Bodies that cannot be decoded, and one that can. */
const bodies: Readonly<Record<string, (encode: (text: string) => Buffer) => Buffer>> = {
  'that is none': () => Buffer.from('{"plain":"text"}'),
  'that ends early': (encode) => encode(json).subarray(0, 20),
  'that is damaged': (encode) => encode(json).fill(0, 12, 24),
  'that is empty': () => Buffer.alloc(0),
  'that is fine': (encode) => encode(json),
}

/** Serves what a test asks for by its path, and ends the connection or keeps it. */
async function serveEncoded(respond: (path: string, response: ServerResponse) => void) {
  return listen(createServer((request, response) => respond(request.url ?? '', response)))
}

/** Tells how a call ended, in the words that axios with and without this library have in common. */
async function outcomeOf(api: AxiosInstance, url: string, options: AxiosRequestConfig) {
  const call = async (): Promise<string> => {
    try {
      const { data } = await api.get(url, options)
      if (options.responseType === 'stream' && typeof data.pipe === 'function') {
        await finished(data.resume(), { writable: false })
      } else if (options.responseType === 'stream') {
        await new Response(data).arrayBuffer()
      }
      return 'resolved'
    } catch {
      return 'rejected'
    }
  }
  const silence = new Promise<string>((resolve) => {
    const timer = setTimeout(() => resolve('never settled'), 5000)
    onTestFinished(() => clearTimeout(timer))
  })
  return Promise.race([call(), silence])
}

const settings: [options: string, AxiosRequestConfig][] = [
  ['as JSON', {}],
  ['as bytes', { responseType: 'arraybuffer' }],
  ['as a stream', { responseType: 'stream' }],
  ['with a limit', { maxContentLength: 50 }],
  ['with a progress', { onDownloadProgress: () => {} }],
  ['undecoded', { decompress: false }],
]

describe.each(clients)('%s', (_name, client: AxiosClient) => {
  test.each(settings)(
    'an encoded response read %s settles as in axios itself',
    async (_, options) => {
      const origin = await serveEncoded((path, response) => {
        const [, encoding = '', kind = '', connection = ''] = decodeURI(path).split('/')
        const body = bodies[kind]?.(encoders[encoding] ?? gzipSync)
        const headers: OutgoingHttpHeaders = { 'content-encoding': encoding, connection }
        response.writeHead(200, headers).end(body)
      })
      const { adapter } = client
      const plain = client.axios.create({ adapter })
      const api = client.create(recordingScheme([origin]))
      const cases = Object.keys(encoders).flatMap((encoding) =>
        Object.keys(bodies).flatMap((kind) =>
          atNight(['close', 'keep-alive'], ['close']).map(
            (connection) => `${origin}/${encoding}/${kind}/${connection}`,
          ),
        ),
      )
      const outcomes = async (instance: AxiosInstance) =>
        Object.fromEntries(
          await Promise.all(
            cases.map(async (url) => [url, await outcomeOf(instance, url, options)] as const),
          ),
        )
      const own = await outcomes(api)
      expect(Object.values(own)).not.toContain('never settled')
      expect(own).toEqual(await outcomes(plain))
    },
  )

  test('a damaged response that was reviewed late settles as well', async () => {
    const origin = await serveEncoded((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', connection: 'close' }).end('no gzip')
    })
    const review = () => new Promise<undefined>((resolve) => setTimeout(resolve, 30, undefined))
    const api = client.create(recordingScheme([origin], () => ({ review })))
    expect(await outcomeOf(api, origin, {})).toBe('rejected')
  })

  describe('a body that trickles for ever ends', () => {
    const trickle = async (encoding?: string) =>
      serveEncoded((_, response) => {
        response.writeHead(200, { ...(encoding && { 'content-encoding': encoding }) })
        // Empty members of gzip, one after the other.
        const bytes = encoding ? gzipSync('') : Buffer.from(' ')
        const timer = setInterval(() => response.write(bytes), 5)
        response.on('close', () => clearInterval(timer)).on('error', () => {})
      })

    test.each([undefined, 'gzip'])('at a timeout (encoded: %s)', async (encoding) => {
      const origin = await trickle(encoding)
      const api = client.create(recordingScheme([origin]))
      const error = await failure(api.get(origin, { timeout: 100 }))
      expect(error).toMatchObject({ code: 'ECONNABORTED', message: 'timeout of 100ms exceeded' })
    })

    test.each([undefined, 'gzip'])('at an abort and a cancel (encoded: %s)', async (encoding) => {
      const origin = await trickle(encoding)
      const api = client.create(recordingScheme([origin]))
      const { token, cancel } = client.axios.CancelToken.source()
      const controller = new AbortController()
      const calls = [
        failure(api.get(origin, { signal: controller.signal })),
        failure(api.get(origin, { cancelToken: token })),
      ]
      setTimeout(() => {
        controller.abort()
        cancel('enough')
      }, 50)
      for (const call of calls) expect(await call).toMatchObject({ code: 'ERR_CANCELED' })
    })

    test('at an abort, where the caller reads it as a stream', async () => {
      const origin = await trickle()
      const controller = new AbortController()
      const api = client.create(recordingScheme([origin]))
      const options = { signal: controller.signal, responseType: 'stream', timeout: 1000 } as const
      const { data } = await api.get(origin, options)
      const ended = failure(new Response(data).text())
      // The timeout is over with the head.
      setTimeout(() => controller.abort(), 1200)
      expect(await ended).toBeInstanceOf(Error)
    })
  })
})
