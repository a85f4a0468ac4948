import { expect, test } from 'vitest'
import { redactHeader, redactUrls } from '../testing.ts'

test('of a signature all but the signature is shown', () => {
  const value =
    'AWS4-HMAC-SHA256 Credential=K/1/r/s3/aws4_request, SignedHeaders=host, Signature=0a1b'
  expect(redactHeader('Authorization', value)).toBe(value.replace('0a1b', '[redacted]'))
})

test.each(['authorization', 'cookie', 'set-cookie', 'x-svc-security-token', 'X-Api-Key'])(
  'the value of %s is not shown',
  (name) => {
    expect(redactHeader(name, 'Basic hidden')).toBe('[redacted]')
  },
)

test('other values are shown on one line', () => {
  expect(redactHeader('x-name', 'a\u001B[31m')).toBe(String.raw`a\u{1b}[31m`)
})

test('secret parameters of a query are not shown', () => {
  expect(redactUrls('/V1/a?list-type=2&X-Amz-Signature=abc&token=a=b?c')).toBe(
    '/V1/a?list-type=2&X-Amz-Signature=[redacted]&token=[redacted]',
  )
  expect(redactUrls('/V1/a')).toBe('/V1/a')
})
