import { createHash } from 'node:crypto'
import * as zlib from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32, crc32c, crc64nvme } from '../../src/sigv4/checksums.ts'
import { verifySigV4 } from '../../src/index.ts'
import { sign, testAt, testKey } from '../support/sign.ts'

const verify = (name: string, value: string, body = 'hello') =>
  verifySigV4(sign({ method: 'PUT', body, headers: [[name, value]] }), {
    apiKeys: [testKey],
    region: 'us-east-1',
    clock: () => testAt,
  })

describe('checksums', () => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  const digits = Buffer.from('123456789')

  test('have the check values of their catalogue', () => {
    expect(hex(crc32(digits))).toBe('cbf43926')
    expect(hex(crc32c(digits))).toBe('e3069283')
    expect(hex(crc64nvme(digits))).toBe('ae8b14860a799888')
    expect(hex(crc64nvme(new Uint8Array()))).toBe('0000000000000000')
    // RFC 3720, appendix B.4
    expect(hex(crc32c(new Uint8Array(32)))).toBe('8a9136aa')
  })

  test('agree with zlib', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (data) => {
        expect(Buffer.from(crc32(data)).readUInt32BE()).toBe(zlib.crc32(data))
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
