import { createHash } from 'node:crypto'
import * as zlib from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifySigV4 } from '@svc/emulator'
import { sign, testAt, testKey } from '../support/sign.ts'

const options = { apiKeys: [testKey], region: 'us-east-1', clock: () => testAt }

const verify = (name: string, value: string, body = 'hello') =>
  verifySigV4(sign({ method: 'PUT', body, headers: [[name, value]] }), options)

describe('checksums', () => {
  /** Verifies a body whose hash is not signed, so that its checksum alone speaks of it. */
  const isChecksum = async (algorithm: string, hex: string, body: Uint8Array) => {
    const value = Buffer.from(hex, 'hex').toString('base64')
    const headers = [[`x-amz-checksum-${algorithm}`, value]] as const
    const signed = sign({ method: 'PUT', payloadHash: 'UNSIGNED-PAYLOAD', headers })
    const { ok } = await verifySigV4({ ...signed, body }, options)
    return ok
  }
  const digits = Buffer.from('123456789')

  test('have the check values of their catalogue', async () => {
    expect(await isChecksum('crc32', 'cbf43926', digits)).toBe(true)
    expect(await isChecksum('crc32c', 'e3069283', digits)).toBe(true)
    expect(await isChecksum('crc64nvme', 'ae8b14860a799888', digits)).toBe(true)
    expect(await isChecksum('crc64nvme', '0000000000000000', new Uint8Array())).toBe(true)
    // RFC 3720, appendix B.4
    expect(await isChecksum('crc32c', '8a9136aa', new Uint8Array(32))).toBe(true)
  })

  test('agree with zlib', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (data) => {
        const hex = zlib.crc32(data).toString(16).padStart(8, '0')
        expect(await isChecksum('crc32', hex, data)).toBe(true)
      }),
    )
  })
})

describe('content-md5', () => {
  test('is held against the body', async () => {
    expect(await verify('content-md5', 'XUFAKrxLKna5cZ2REBfFkg==')).toMatchObject({ ok: true })
    expect(await verify('content-md5', 'XUFAKrxLKna5cZ2REBfFkg==', 'other')).toMatchObject({
      code: 'BadDigest',
      status: 400,
      message: 'The Content-MD5 you specified did not match what we received.',
      details: [
        ['ExpectedDigest', 'XUFAKrxLKna5cZ2REBfFkg=='],
        ['CalculatedDigest', createHash('md5').update('other').digest('base64')],
      ],
    })
  })

  test.each(['', 'XUFAKrxLKna5cZ2REBfFkg', '5d41402abc4b2a76b9719d911017c592', 'XUFAKg==', '?'])(
    'of %j is none',
    async (value) => {
      expect(await verify('content-md5', value)).toMatchObject({
        code: 'InvalidDigest',
        status: 400,
        details: [['Content-MD5', value]],
      })
    },
  )
})

describe.each([
  ['x-amz-checksum-crc32', 'NhCmhg==', 'CRC32'],
  ['x-amz-checksum-crc32c', 'mnG7TA==', 'CRC32C'],
  ['x-amz-checksum-crc64nvme', 'M3eFcAZSQlc=', 'CRC64NVME'],
  ['x-amz-checksum-sha1', 'qvTGHdzF6KLavt4PO0gs2a6pQ00=', 'SHA1'],
  ['x-amz-checksum-sha256', 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=', 'SHA256'],
])('%s', (name, value, algorithm) => {
  test('is held against the body', async () => {
    expect(await verify(name, value)).toMatchObject({ ok: true })
    expect(await verify(name, value, 'other')).toMatchObject({
      code: 'BadDigest',
      status: 400,
      message: `The ${algorithm} you specified did not match the calculated checksum.`,
    })
  })

  test('is refused where it is none', async () => {
    expect(await verify(name, value.slice(4))).toMatchObject({
      code: 'InvalidRequest',
      message: `Value for ${name} header is invalid.`,
    })
  })
})
