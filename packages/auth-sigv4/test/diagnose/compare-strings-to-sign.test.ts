import { expect, test } from 'vitest'
import { compareStringsToSign } from '../testing.ts'

const hash = 'a'.repeat(64)
const ours = `AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n${hash}`

test.each(['', '\n', '\n\n', ' ', '\r\n \n'])(
  'a string to sign that ends with %j is the same',
  (end) => {
    expect(compareStringsToSign(ours, `${ours}${end}`, false)).toEqual([])
  },
)

test.each([
  '',
  'text',
  'AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request',
  `${ours}\nmore`,
  `${ours}\n\nmore`,
])('%j is no string to sign', (theirs) => {
  expect(compareStringsToSign(ours, theirs, false)).toBeUndefined()
})

test('a scope without its end lacks what comes after', () => {
  const theirs = `AWS4-HMAC-SHA256\n20130524T000000Z\n20130524\n${hash}`
  expect(compareStringsToSign(ours, theirs, false)).toMatchObject([
    { line: 'region', ours: 'us-east-1', theirs: '' },
    { line: 'service', ours: 's3', theirs: '' },
    { line: 'scope end', ours: 'aws4_request', theirs: '' },
  ])
})

test('a presigned URL has no hash to compare, and all the rest', () => {
  const own = 'AWS4-HMAC-SHA256\n\n20130524\n'
  const differences = compareStringsToSign(own, ours, false)
  expect(differences).toMatchObject([
    { line: 'date', ours: '', theirs: '20130524T000000Z' },
    { line: 'region', ours: '', theirs: 'us-east-1' },
    { line: 'service', ours: '', theirs: 's3' },
    { line: 'scope end', ours: '', theirs: 'aws4_request' },
  ])
})

test('a hash of its own is told by whether the server shows what it hashes', () => {
  const theirs = ours.replace(hash, 'b'.repeat(64))
  const line = 'canonical request hash'
  const [shown] = compareStringsToSign(ours, theirs, true) ?? []
  expect(shown).toMatchObject({ line, ours: hash, theirs: 'b'.repeat(64) })
  expect(shown?.hint).toContain('than the one it shows')
  const [hidden] = compareStringsToSign(ours, theirs, false) ?? []
  expect(hidden).toMatchObject({ line })
  expect(hidden?.hint).toContain('does not show its own')
})
