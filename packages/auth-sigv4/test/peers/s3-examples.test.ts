import { createHash } from 'node:crypto'
import { explain } from '@svc/auth-sigv4/explain'
import { describe, expect, test } from 'vitest'
import { apiKey, s3Examples } from '../fixtures/s3-examples.ts'
import { engines, exampleAuth } from '../support/signing.ts'

describe.each(engines)('the $name engine', (engine) => {
  test.each(s3Examples)('reproduces the published signature of $title', async (example) => {
    const { method, url, headers, signHeaders, body } = example
    const auth = exampleAuth({ engine, signHeaders })
    const explanation = await explain(auth, url, {
      method,
      headers,
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
    })
    expect(explanation.canonicalRequest).toBe(example.canonicalRequest)
    expect(createHash('sha256').update(explanation.canonicalRequest).digest('hex')).toBe(
      example.canonicalRequestHash,
    )
    expect(explanation.stringToSign).toBe(
      `AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n${example.canonicalRequestHash}`,
    )
    expect(explanation.signedHeaders).toBe(example.signedHeaders)
    expect(explanation.signature).toBe(example.signature)
    expect(explanation.headers.get('authorization')).toBe(
      `AWS4-HMAC-SHA256 Credential=${apiKey.accessKeyId}/20130524/us-east-1/s3/aws4_request, ` +
        `SignedHeaders=${example.signedHeaders}, Signature=${example.signature}`,
    )
    expect(explanation.headers.get('x-amz-date')).toBe('20130524T000000Z')
  })

  test('derives the published signing keys', async () => {
    // The key itself does not show; what it signs is compared with a plain HMAC under the published key.
    const { createHmac } = await import('node:crypto')
    const published = [
      ['20150830', 'c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9'],
      ['20120215', 'f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d'],
    ] as const
    for (const [date, keyHex] of published) {
      const scope = { date, region: 'us-east-1', service: 'iam' }
      const key = await engine.deriveKey('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', scope)
      const expected = createHmac('sha256', Buffer.from(keyHex, 'hex')).update('text').digest('hex')
      expect(await engine.sign(key, 'text')).toBe(expected)
    }
  })
})
