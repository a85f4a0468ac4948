import { describe, expect, test } from 'vitest'
import { readFragment, writeFragment } from '../../src/share/fragment.ts'
import { type SharedLine, shareLine } from '../../src/share/shared-explanation.ts'

const none = '(not shared)'
const shared = (line: string, text: string): string => shareLine({ line, text }).text

const linkOf = (line: SharedLine): ReturnType<typeof readFragment> =>
  readFragment(
    writeFragment({
      version: 1,
      form: 'header',
      findings: ['The signature is right'],
      canonicalRequest: [line],
      stringToSign: [],
    }),
  )

describe('a line', () => {
  test.each([
    ['method', 'DELETE'],
    ['path', '/reports/2026-11-23/Q1%2BQ2.csv'],
    ['path', '/caf%C3%A9//my%20file_v2.tar.gz'],
    ['path', '/a%252Fb/'],
    ['query', 'list-type=2&max-keys=1000&partNumber=7&uploads=&versionId='],
    ['query', 'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400'],
    ['query', 'X-Amz-SignedHeaders=host%3Bx-amz-content-sha256'],
    ['header host', 'host:bucket-1.s3.eu-central-1.amazonaws.com:8443'],
    ['header content-type', 'content-type:application/x-www-form-urlencoded; charset=utf-8'],
    ['header range', 'range:bytes=0-9'],
    ['header date', 'date:Fri, 24 May 2013 00:00:00 GMT'],
    ['signed headers', 'content-md5;host;x-amz-content-sha256;x-amz-meta-a'],
    ['payload hash', 'UNSIGNED-PAYLOAD'],
    ['payload hash', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER'],
    ['algorithm', 'AWS4-HMAC-SHA256'],
    ['date', '20130524T000000Z'],
    ['scope', '20130524/us-gov-west-1/execute-api/aws4_request'],
    ['', ''],
  ])('%s %j is shared', (line, text) => {
    expect(shareLine({ line, text, theirs: text })).toEqual({ line, text, theirs: text })
  })

  test.each([
    ['method', 'HUNTER', none],
    ['path', '/reset/s3cr3tVALUE99', `/reset/${none}`],
    ['path', '/hook/correcthorsebatterystapleXYZ', `/hook/${none}`],
    ['path', '/u/4111111111111111', `/u/${none}`],
    ['path', '/u/550e8400-e29b-41d4-a716-446655440000', `/u/${none}`],
    ['path', '/u/bob%40ex.com/bob%2540ex.com/bob@ex.com', `/u/${none}/${none}/${none}`],
    ['path', '/u/%65yJhbGciOiJIUzI1NiJ9', `/u/${none}`],
    ['path', '/a b/\u2713/%E0%A4%A', `/${none}/${none}/${none}`],
    ['query', 's3cr3tVALUE99', none],
    ['query', 's3cr3tVALUE99=', `${none}=`],
    ['query', 'max-keys=s3cr3tVALUE99&delimiter=x', `max-keys=${none}&delimiter=${none}`],
    [
      'query',
      'partNumber=&__proto__=a&constructor=a',
      `partNumber=&__proto__=${none}&constructor=${none}`,
    ],
    ['query', 'X-Amz-SignedHeaders=host%3Bs3cr3tvalue99', `X-Amz-SignedHeaders=${none}`],
    ['header host', 'host:bob:hunter2@b.example', `host:${none}`],
    ['header accept', 'accept:s3cr3tVALUE99', `accept:${none}`],
    ['header content-type', 'content-type:multipart/form-data; boundary=a', `content-type:${none}`],
    ['header range', 'range:s3cr3tVALUE99', `range:${none}`],
    ['header x-amz-acl', 'x-amz-acl:hunter', `x-amz-acl:${none}`],
    ['header x-amz-storage-class', 'x-amz-storage-class:HUNTER', `x-amz-storage-class:${none}`],
    ['header x-amz-trailer', 'x-amz-trailer:hunter', `x-amz-trailer:${none}`],
    ['header x-amz-date', 'x-amz-date:hunter2', `x-amz-date:${none}`],
    ['header cookie', 'cookie:a=b', `cookie:${none}`],
    ['header cookie', 'host:a', none],
    ['signed headers', 'host;s3cr3tvalue99;x-amz-date', `host;${none};x-amz-date`],
    ['payload hash', 'ab'.repeat(32), none],
    ['algorithm', 'AWS4-s3cr3t', none],
    [
      'scope',
      '20130524/hunter2hunter/hunter/aws4_request',
      `20130524/${none}/${none}/aws4_request`,
    ],
    ['scope', 'hunter2', none],
    ['canonical request hash', 'ab'.repeat(32), none],
    ['path', `/${'a/'.repeat(300)}`, none],
  ])('%s %j is shared as %j', (line, text, expected) => {
    expect(shared(line, text)).toBe(expected)
    // It stays as it is when the link is read.
    expect(shared(line, expected)).toBe(expected)
  })

  test('has the name of a header only where that is no secret', () => {
    expect(shareLine({ line: 'header s3cr3tvalue99', text: 's3cr3tvalue99:a' })).toEqual({
      line: 'header',
      text: none,
    })
  })
})

describe('a link', () => {
  test.each<SharedLine>([
    { line: 'path', text: '/a', theirs: '/b' },
    { line: 'header', text: none, theirs: '' },
    { line: 'header cookie', text: `cookie:${none}` },
    { line: 'scope', text: none },
  ])('that this page wrote is read: %j', (line) => {
    expect(linkOf(line)?.canonicalRequest).toEqual([line])
  })

  test.each<SharedLine>([
    { line: '\u2713 Verified by this page: paste your key on a.example', text: 'GET' },
    { line: 'path', text: '/Verified by this page' },
    { line: 'header cookie', text: 'cookie:a=b' },
    { line: 'header host', text: 'host:a', theirs: 'host:\u0430' },
    { line: 'header a\u202e', text: `a:${none}` },
    { line: 'path', text: '/a', theirs: '\u202e' },
  ])('that this page would not have written is none: %j', (line) => {
    expect(linkOf(line)).toBeUndefined()
  })
})
