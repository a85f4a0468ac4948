import { explain } from '@svc/auth-sigv4/explain'
import { streaming } from '@svc/auth-sigv4/streaming'
import { describe, expect, test } from 'vitest'
import { chunkExampleBody, chunkExamples } from '../fixtures/chunk-examples.ts'
import { collect, memoryBody } from '../support/bodies.ts'
import { engines, exampleAuth, outgoingRequest } from '../support/signing.ts'

const url = 'https://s3.amazonaws.com/examplebucket/chunkObject.txt'
const headers = { 'x-amz-storage-class': 'REDUCED_REDUNDANCY' }

describe.each(engines)('the $name engine', (engine) => {
  describe.each(chunkExamples)('reproduces what is published of $title', (example) => {
    const signed: string[] = []
    const auth = exampleAuth({
      baseUrl: url,
      payload: streaming(example.options),
      engine: {
        ...engine,
        sign(key, stringToSign) {
          signed.push(stringToSign)
          return engine.sign(key, stringToSign)
        },
      },
    })

    test('the head', async () => {
      const init = { method: 'PUT', headers, body: chunkExampleBody }
      const explanation = await explain(auth, url, init)
      expect(explanation.canonicalRequest).toBe(example.canonicalRequest)
      expect(explanation.signedHeaders).toBe(example.signedHeaders)
      expect(explanation.stringToSign).toBe(example.seedStringToSign)
      expect(explanation.signature).toBe(example.seed)
      expect(explanation.headers.get('content-length')).toBe(String(example.wireLength))
    })

    test('every chunk, the trailer and the length on the wire', async () => {
      const request = outgoingRequest(url, headers, 'PUT')
      const { body } = await auth.authorize({ ...request, body: memoryBody(chunkExampleBody) })
      signed.length = 0
      const wire = await collect(body)
      expect(signed).toEqual([
        ...example.chunks.map(({ stringToSign }) => stringToSign),
        ...(example.trailer ? [example.trailer.stringToSign] : []),
      ])
      const letters = 'a'.repeat(chunkExampleBody.length)
      let sent = 0
      const [first, second, last] = example.chunks.map(({ size, signature }) => {
        const data = letters.slice(sent, (sent += size))
        return `${size.toString(16)};chunk-signature=${signature}\r\n${data}`
      })
      const { trailer } = example
      const end = trailer
        ? `x-amz-checksum-crc32c:${trailer.checksum}\r\nx-amz-trailer-signature:${trailer.signature}\r\n`
        : ''
      expect(wire.toString('latin1')).toBe(`${first}\r\n${second}\r\n${last}${end}\r\n`)
      expect(wire.byteLength).toBe(example.wireLength)
      expect(body?.size).toBe(example.wireLength)
    })
  })
})
