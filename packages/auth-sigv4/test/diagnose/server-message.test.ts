import { explain } from '@svc/auth-sigv4/explain'
import { describe, expect, test } from 'vitest'
import { exampleAuth } from '../support/signing.ts'
import { awsXml, hex, mismatch, read, url } from './diagnosing.ts'

const Message = 'Please read the documentation of the service.'

describe("the server's own message", () => {
  test.each([
    ['canonical-request', { Code: 'AccessDenied', HeadersNotSigned: 'x-amz-a' }],
    ['string-to-sign', { Code: 'AuthorizationHeaderMalformed' }],
    ['secret-or-key', { Code: 'InvalidAccessKeyId' }],
    ['secret-or-key', { Code: 'ExpiredToken' }],
    ['clock', { Code: 'RequestTimeTooSkewed' }],
    ['region', { Code: 'PermanentRedirect', Region: 'eu-west-1' }],
    ['payload', { Code: 'XAmzContentSHA256Mismatch' }],
    ['payload', { Code: 'BadDigest' }],
    ['unknown', { Code: 'SignatureDoesNotMatch' }],
    ['unknown', { Code: 'SlowDown' }],
    ['unknown', {}],
  ])('is shown with the verdict %s, of %o', async (verdict, elements) => {
    const service = verdict === 'string-to-sign' ? ' It belongs to "iam".' : ''
    const diagnosis = await read(awsXml({ ...elements, Message: `\n${Message}${service}\n` }))
    expect(diagnosis).toMatchObject({ verdict, serverMessage: `${Message}${service}` })
    expect(diagnosis.summary).toContain(`\nThe server says: ${Message}${service}`)
  })

  test('is shown beside the lines that differ', async () => {
    const { differences, serverMessage, summary } = await mismatch((text) => `${text}0`)
    expect(differences).toHaveLength(1)
    expect(serverMessage).toContain('The request signature we calculated does not match')
    expect(summary.split('\n\n').at(-1)).toContain(`The server says: ${serverMessage}`)
  })

  test('is shown beside a secret that is wrong', async () => {
    const { canonicalRequest } = await explain(exampleAuth(), url)
    const Code = 'SignatureDoesNotMatch'
    const { verdict, serverMessage } = await read(
      awsXml({ Code, Message, CanonicalRequestBytes: hex(canonicalRequest) }),
    )
    expect({ verdict, serverMessage }).toEqual({ verdict: 'secret-or-key', serverMessage: Message })
  })

  test.each([
    ['none', awsXml({ Code: 'AccessDenied' })],
    ['an empty one', awsXml({ Code: 'AccessDenied', Message: ' \n ' })],
    ['no body', null],
    ['a page', '<html><body>Forbidden</body></html>'],
  ])('is not there where the server sent %s', async (_what, body) => {
    const diagnosis = await read(body)
    expect(diagnosis).not.toHaveProperty('serverMessage')
    expect(diagnosis.summary).not.toContain('The server says')
  })

  test('holds no secret, nothing that acts on a terminal, and at most 300 characters', async () => {
    const headers = { 'x-own-token': 'hidden-in-this-request' }
    const text = `not ${headers['x-own-token']}\u001b[31m\n\u202e${'m'.repeat(1000)}`
    const { serverMessage = '', summary } = await read(
      awsXml({ Code: 'InvalidAccessKeyId', Message: text.replace('\u001b', '') }),
      { init: { headers } },
    )
    expect(serverMessage).toMatch(/^not … \(22 characters\)\[31m\\u\{a\}\\u\{202e\}m+$/)
    expect(serverMessage.replace(/\\u\{\w+\}/g, '.')).toHaveLength(300)
    expect(summary).toContain(`The server says: ${serverMessage}`)
    expect(JSON.stringify({ serverMessage, summary })).not.toContain('hidden')
  })
})
