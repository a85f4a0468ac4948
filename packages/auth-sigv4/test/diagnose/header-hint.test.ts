import { describe, expect, test } from 'vitest'
import { headerHint, mediaType } from '../testing.ts'

const keep =
  'Configure the proxy to keep the original Host (nginx: proxy_set_header Host $http_host; Apache: ProxyPreserveHost On).'

describe('a header that did not arrive', () => {
  test.each([
    ['content-type', 'drops it, as some proxies do when there is no body.'],
    [
      'x-amz-meta-a',
      'drops it, perhaps a gateway that forwards only the headers it knows. Configure it to forward x-amz-*.',
    ],
    ['range', 'drops it.'],
    ['my-x-amz-meta-a', 'drops it.'],
  ])('is told by what usually drops it: %s', (name, cause) => {
    const hint = `${name} did not arrive: something on the way ${cause}`
    expect(headerHint(name, 'value', undefined)).toBe(hint)
    expect(headerHint(name, 'value', '')).toBe(hint)
  })
})

describe('a header that arrived in another form', () => {
  test.each([
    ['more blanks between words', 'a b', 'a \t b', 'differs only in whitespace'],
    ['blanks at its start', 'a b', ' a b', 'differs only in whitespace'],
    ['blanks at its end', 'a b\t', 'a b', 'differs only in whitespace'],
    ['blanks that part no word before', 'ab', 'a b', 'was rewritten on the way'],
    ['a blank behind the comma', 'a,b', 'a, b', 'which are joined differently'],
    ['no blank behind the comma', 'a, b', 'a,b', 'which are joined differently'],
    ['no comma', 'a,b', 'ab', 'was rewritten on the way'],
    ['UTF-8 for Latin-1', 'für', 'fÃ¼r', 'has non-ASCII characters'],
    ['Latin-1 for UTF-8', 'fÃ¼r', 'für', 'has non-ASCII characters'],
    ['another case', 'Value', 'vALUE', 'differs only in case'],
    ['a value behind it', 'a', 'a, b', 'arrived with an extra value'],
    ['a value before it', 'b', 'a,b', 'arrived with an extra value'],
    ['a value before it and a blank', 'b', 'a, b', 'arrived with an extra value'],
    ['values on both sides', 'b', 'a,b,c', 'was rewritten on the way'],
    ['a longer word', 'a', 'ab', 'was rewritten on the way'],
  ])('with %s', (_what, ours, theirs, hint) => {
    expect(headerHint('x-amz-meta-a', ours, theirs)).toContain(`x-amz-meta-a `)
    expect(headerHint('x-amz-meta-a', ours, theirs)).toContain(hint)
  })
})

describe('a host that was changed', () => {
  test.each([
    ['a.example', 'a.example:443'],
    ['a.example:8443', 'a.example'],
    ['a.example:8443', 'a.example:443'],
    ['[2001:db8::1]', '[2001:db8::1]:443'],
  ])('in its port: %s, %s', (ours, theirs) => {
    expect(headerHint('host', ours, theirs)).toBe(
      `The port was changed on the way, typically at a proxy that rebuilds Host. ${keep}`,
    )
  })

  test.each([
    ['a.example', 'A.EXAMPLE'],
    ['a.example', 'A.example:80'],
  ])('in case: %s, %s', (ours, theirs) => {
    expect(headerHint('host', ours, theirs)).toBe(
      `Host differs only in case: something on the way rewrites it. ${keep}`,
    )
  })

  test.each(['backend:9000', 'cdn.example.com', 'example.com:123456', '[fc00::1]'])(
    'to another one: %s',
    (theirs) => {
      expect(headerHint('host', 'a.example', theirs)).toBe(
        `Host was changed on the way: a proxy in front of the server replaces it. ${keep}`,
      )
    },
  )
})

describe('a content type that was changed', () => {
  test.each([
    ['text/plain', 'text/plain ; charset=utf-8', 'The parameters of content-type'],
    ['text/plain;charset=utf-8', 'Text/Plain', 'The parameters of content-type'],
    ['multipart/form-data; boundary=a', 'multipart/form-data; boundary=b', 'a different boundary'],
    ['text/plain', 'text/html', 'content-type was changed on the way, or by a client'],
  ])('from %s to %s', (ours, theirs, hint) => {
    expect(headerHint('content-type', ours, theirs)).toContain(hint)
  })

  test.each([
    ['text/plain', 'text/plain'],
    [' Text/Plain ; charset=utf-8; q=1', 'text/plain'],
    ['', ''],
  ])('has a media type: %s', (contentType, type) => {
    expect(mediaType(contentType)).toBe(type)
  })
})

test.each([
  ['x-amz-content-sha256', 'or the body given here is not the one that was sent'],
  ['x-amz-security-token', 'with the session token of different credentials'],
  ['range', 'range was rewritten on the way, or is not the header that was sent.'],
])('another value of %s has its own cause', (name, hint) => {
  expect(headerHint(name, 'first', 'second')).toContain(hint)
})

test('a header that is not signed here is of another request', () => {
  expect(headerHint('range', undefined, 'bytes=0-1')).toContain(
    'The server has range among the signed headers, but this request does not sign it',
  )
})
