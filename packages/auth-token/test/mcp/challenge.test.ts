import { expect, test } from 'vitest'
import { readChallenge } from '../testing.ts'

test.each([
  ['', {}],
  ['Bearer', {}],
  ['Basic realm="resource_metadata=https://other.example"', {}],
  ['Bearer resource_metadata="https://a.example/m"', { resourceMetadata: 'https://a.example/m' }],
  [
    'bearer resource_metadata=https://a.example/m, scope=read',
    { resourceMetadata: 'https://a.example/m', scope: 'read' },
  ],
  [
    'Bearer error="invalid_token", scope="read write"',
    { error: 'invalid_token', scope: 'read write' },
  ],
  ['Basic realm="a, Bearer scope=no", Bearer scope="yes"', { scope: 'yes' }],
  ['Negotiate abc==, Bearer realm="x" , scope = "read"', { scope: 'read' }],
  ['Bearer scope="a \\"quoted\\" one"', { scope: 'a "quoted" one' }],
  ['Bearer scope="first", Bearer scope="second"', { scope: 'first' }],
  ['Bearer realm="x", Digest scope="no"', {}],
  ['Bearer scope=""', {}],
  [
    'DPoP algs="ES256", resource_metadata="https://a.example/m", scope="read"',
    { resourceMetadata: 'https://a.example/m', scope: 'read' },
  ],
  ['Bearer realm="x", DPoP error="invalid_token"', { error: 'invalid_token' }],
])('%s', (header, expected) => {
  expect(readChallenge(header)).toEqual(expected)
})

test('a header of any length is read at once', () => {
  for (const part of ['a=', '"', 'Bearer ', ' ', 'a="\\', ',=']) {
    const startedAt = performance.now()
    readChallenge(part.repeat(100_000))
    expect(performance.now() - startedAt).toBeLessThan(1000)
  }
})
