import { expect, test } from 'vitest'
import { readCredential, readPresignedUrl } from '../testing.ts'

const base = 'https://examplebucket.s3.amazonaws.com/test.txt'
const scope = '20130524/us-east-1/s3/aws4_request'
const signed = (more: string): URL => new URL(`${base}?X-Amz-Signature=abc&${more}`)

test('a URL without a signature is none that is presigned', () => {
  expect(readPresignedUrl(new URL(base))).toBeUndefined()
  expect(readPresignedUrl(new URL(`${base}?X-Amz-Date=20130524T000000Z`))).toBeUndefined()
})

test('a presigned URL says who signed what, and until when', () => {
  const read = readPresignedUrl(
    signed(
      `X-Amz-Credential=AKID/${scope}&X-Amz-Date=20130524T000000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host%3Brange`,
    ),
  )
  expect(read).toMatchObject({
    amzDate: '20130524T000000Z',
    signedAt: Date.UTC(2013, 4, 24),
    endsAt: Date.UTC(2013, 4, 24, 0, 1),
    credential: { accessKeyId: 'AKID', scope, region: 'us-east-1', service: 's3' },
    signedHeaders: 'host;range',
    secrets: ['abc'],
  })
})

test('a presigned URL that is broken says nothing', () => {
  expect(readPresignedUrl(signed(''))).toMatchObject({
    amzDate: '',
    signedAt: undefined,
    endsAt: undefined,
    credential: { accessKeyId: '', scope: '', region: '', service: '' },
    signedHeaders: '',
  })
})

test.each([
  ['?X-Amz-Signature=abc', ''],
  ['?X-Amz-Signature=abc&b=1&a=2', '?b=1&a=2'],
  ['?b=1&X-Amz-Signature=abc&a=2', '?b=1&a=2'],
  ['?b=1&a=2&X-Amz-Signature=abc', '?b=1&a=2'],
  ['?a=1&x-amz-signature=abc', '?a=1'],
  ['?a=1&X%2DAmz%2DSignature=abc', '?a=1'],
  ['?a=b+c%2fd&&e&X-Amz-Signature=abc&', '?a=b+c%2fd&&e&'],
  ['??a=1&X-Amz-Signature=abc', '??a=1'],
])('a signature is taken out, and nothing else is written anew: %s', (search, rest) => {
  const url = new URL(`${base}${search}`)
  expect(readPresignedUrl(url)?.unsigned.href).toBe(`${base}${rest}`)
  expect(url.search).toBe(search)
})

test.each([
  ['without a date', 'X-Amz-Expires=60'],
  ['with a date that is none', 'X-Amz-Date=today&X-Amz-Expires=60'],
  ['without a lifetime', 'X-Amz-Date=20130524T000000Z'],
  ['with an empty lifetime', 'X-Amz-Date=20130524T000000Z&X-Amz-Expires='],
  ['with a lifetime in words', 'X-Amz-Date=20130524T000000Z&X-Amz-Expires=1h'],
  ['with a lifetime that begins in words', 'X-Amz-Date=20130524T000000Z&X-Amz-Expires=a60'],
  ['with a lifetime beyond all dates', 'X-Amz-Date=20130524T000000Z&X-Amz-Expires=1000000000000'],
  ['with an endless lifetime', 'X-Amz-Date=20130524T000000Z&X-Amz-Expires=1e999'],
])('a presigned URL %s ends at no known instant', (_how, parameters) => {
  expect(readPresignedUrl(signed(parameters))?.endsAt).toBeUndefined()
})

test.each([
  [`AKID/${scope}`, 'AKID', scope, 'us-east-1', 's3'],
  [`team/AKID/${scope}`, 'team/AKID', scope, 'us-east-1', 's3'],
  ['AKID', '', 'AKID', '', ''],
  ['', '', '', '', ''],
])('a credential is taken apart: %s', (credential, accessKeyId, rest, region, service) => {
  expect(readCredential(credential)).toEqual({ accessKeyId, scope: rest, region, service })
})
