import { describe, expect, test } from 'vitest'
import { hideSecrets, printable, redact, redactQuery, secretValues, shorten } from '../testing.ts'

describe('a value', () => {
  test.each([
    'x-amz-security-token',
    'X-Amz-Signature',
    'X-Amz-Server-Side-Encryption-Customer-Key',
    'client_secret',
    'password',
    'passwd',
    'Cookie',
    'Proxy-Authorization',
    'apikey',
    'x-api-key',
    'sessionid',
    'PHPSESSID',
    'sig',
    'api_key',
    'access_key',
    'private_key',
    'Ocp-Apim-Subscription-Key',
    'key',
    'code',
    'jwt',
    'pwd',
    'pass',
    'auth',
    'X-Auth-Key',
    'client_assertion',
    'sid',
    'hmac',
    'x-csrf',
    'x-vault',
  ])('of %s is not shown', (name) => {
    expect(redact(name, 'hidden')).toBe('… (6 characters)')
    expect(redact(name, '')).toBe('')
  })

  test.each([
    'host',
    'x-amz-server-side-encryption-customer-key-MD5',
    'SignatureVersion',
    'x-amz-meta-key',
    'AWSAccessKeyId',
    'continuation',
    'key-marker',
    'encoding-type',
    'design',
    'author',
    'x-amz-server-side-encryption-aws-kms-key-id',
  ])('of %s is shown', (name) => {
    expect(redact(name, 'shown')).toBe('shown')
  })

  test('of a host is shown without a user and a password', () => {
    expect(redact('Host', 'me:hidden@a.example')).toBe('… (9 characters)@a.example')
  })

  test('is told by its beginning where it has many more characters', () => {
    expect(shorten('a'.repeat(31))).toBe('… (31 characters)')
    expect(shorten('abcdefgh'.repeat(4))).toBe('abcd… (32 characters)')
  })
})

test('the secret values are those of secret names', () => {
  const entries = new URLSearchParams('token=a&b=c&token=d&PASSWORD=e')
  expect(secretValues(entries)).toEqual(['a', 'd', 'e'])
})

test('a query shows the names of its parameters, and the values that are no secrets', () => {
  expect(redactQuery('acl&token&a=b=c&token=hidden=&x-amz-meta=')).toBe(
    'acl&token&a=b=c&token=… (7 characters)&x-amz-meta=',
  )
})

describe('a text', () => {
  test('has no secret of eight characters and more, as often as it stands there', () => {
    const hide = hideSecrets(['12345678', 'abcdefg', ''])
    expect(hide('12345678 abcdefg 012345678')).toBe('… (8 characters) abcdefg 0… (8 characters)')
  })

  test('has no secret whose characters mean something in a replacement', () => {
    expect(hideSecrets(["$&$1$'$`$$"])("a $&$1$'$`$$ b")).toBe('a … (10 characters) b')
  })

  test('has no secret that was cut within a character, in any form', () => {
    const hide = hideSecrets(['hidden-\ud83d'])
    expect(hide('a hidden-\ud83d b hidden-\ufffd c hidden-%EF%BF%BD d')).toBe(
      'a … (8 characters) b … (8 characters) c … (16 characters) d',
    )
  })

  test.each(['', 'a', 'ab'])('has no secret in either alphabet of base64, behind %j', (before) => {
    const value = 'hidden>>>value???~~~'
    for (const alphabet of ['base64', 'base64url'] as const) {
      const quoted = Buffer.from(`${before}${value}`).toString(alphabet)
      expect(hideSecrets([value])(quoted)).toMatch(/^\w{0,3}… \(\d+ characters\)\w?=*$/)
    }
  })

  test('has one line, and nothing that acts on a terminal', () => {
    expect(printable('a\r\n\u2028\u202e\u{e0001}\ud800 ü😀')).toBe(
      String.raw`a\u{d}\u{a}\u{2028}\u{202e}\u{e0001}\u{d800} ü😀`,
    )
  })
})
