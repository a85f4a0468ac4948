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

  test('has no secret as it is encoded in a query, a form or base64', () => {
    const value = "it's hidden / \u00fc"
    const hide = hideSecrets([value])
    for (const form of [
      value,
      'it%27s%20hidden%20%2F%20%C3%BC',
      'it%27s+hidden+%2F+%C3%BC',
      Buffer.from(value).toString('base64'),
    ]) {
      expect(hide(`a ${form}`)).toMatch(/^a … \(\d+ characters\)\w?=*$/)
    }
  })

  test('has no secret that was cut within a character', () => {
    expect(hideSecrets(['hidden-\ud83d'])('a hidden-\ud83d b hidden-%EF%BF%BD c')).toBe(
      'a … (8 characters) b … (16 characters) c',
    )
  })

  test('has one line, and nothing that acts on a terminal', () => {
    expect(printable('a\r\n\u2028\u202e\u{e0001}\ud800 ü😀')).toBe(
      String.raw`a\u{d}\u{a}\u{2028}\u{202e}\u{e0001}\u{d800} ü😀`,
    )
  })
})
