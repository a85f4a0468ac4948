import { createHash } from 'node:crypto'
import { verifySigV4, type VerifyOptions } from '@svc/emulator'
import { describe, expect, test } from 'vitest'
import { presign } from '../support/presign.ts'
import { sign, testAt, testKey } from '../support/sign.ts'

const service = 'execute-api'
const options: VerifyOptions = {
  apiKeys: [testKey],
  region: 'us-east-1',
  service,
  clock: () => testAt,
}
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('a service other than s3', () => {
  test.each([
    ['/a', '/a'],
    ['/a%20b', '/a%2520b'],
    ['/a%2Fb', '/a%252Fb'],
    ['/a%2fb', '/a%252fb'],
    ['/%61', '/%2561'],
    ['/a b', '/a%20b'],
    ['/a+b', '/a%2Bb'],
    ['/a//b', '/a/b'],
    ['//', '/'],
    ['//a//', '/a/'],
    ['/a/./b/../c', '/a/c'],
    ['/../a/..', '/'],
    ['/a/b/..', '/a/'],
    ['/a/.', '/a/'],
    ['', '/'],
  ])('has the path %j signed as %j, in a header and presigned', async (target, canonicalPath) => {
    const signed = sign({ target, canonicalPath, service })
    expect(await verifySigV4(signed, options)).toMatchObject({ ok: true })
    if (target === '') return
    const presigned = presign({ path: target, canonicalPath, service, payloadHash: sha256('') })
    expect(await verifySigV4(presigned, options)).toMatchObject({ ok: true })
  })

  test('takes the payload hash from the body, where the request names none', async () => {
    const signed = sign({ method: 'POST', body: 'text', service, sendsPayloadHash: false })
    expect(await verifySigV4(signed, options)).toMatchObject({ ok: true, payload: 'signed' })
    const payloadHash = sha256('text')
    const presigned = presign({ method: 'POST', body: 'text', service, payloadHash })
    expect(await verifySigV4(presigned, options)).toMatchObject({ ok: true, payload: 'signed' })
    for (const request of [signed, presigned]) {
      const changed = { ...request, body: new TextEncoder().encode('test') }
      expect(await verifySigV4(changed, options)).toMatchObject({ code: 'SignatureDoesNotMatch' })
    }
  })

  test('takes the payload hash that the request names', async () => {
    const payloadHash = 'UNSIGNED-PAYLOAD'
    const signed = sign({ method: 'POST', body: 'text', service, payloadHash })
    expect(await verifySigV4(signed, options)).toMatchObject({ ok: true, payload: 'unsigned' })
  })
})
