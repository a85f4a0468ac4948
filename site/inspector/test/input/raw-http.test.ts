import { describe, expect, test } from 'vitest'
import { describeInputError, InputError } from '../../src/input/input-error.ts'
import { readRawHttp } from '../../src/input/raw-http.ts'

const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && new TextDecoder().decode(bytes)

function messageOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof InputError) return describeInputError(error)
    throw error
  }
  return 'it was read'
}

describe('a raw request', () => {
  test.each(['\n', '\r\n'])('is read with its body, with %j between its lines', (end) => {
    const lines = ['PUT /a%2Fb?c=d HTTP/1.1', 'Host: a.example', 'X-Own:  b  ', '', 'body']
    const { method, url, headers, body } = readRawHttp(lines.join(end))
    expect({ method, url, headers, body: text(body) }).toEqual({
      method: 'PUT',
      url: 'https://a.example/a%2Fb?c=d',
      headers: [
        ['Host', 'a.example'],
        ['X-Own', 'b'],
      ],
      body: 'body',
    })
  })

  test('may have its target in absolute form, whose host counts', () => {
    const { url } = readRawHttp('GET http://a.example/b HTTP/1.1\nHost: a.example\n')
    expect(url).toBe('http://a.example/b')
  })

  test('may have the pseudo-headers of HTTP/2', () => {
    const { method, url, headers } = readRawHttp(
      ':method: GET\n:scheme: https\n:authority: a.example\n:path: /b?c\nrange: bytes=0-9\n',
    )
    expect({ method, url, headers }).toEqual({
      method: 'GET',
      url: 'https://a.example/b?c',
      headers: [
        ['host', 'a.example'],
        ['range', 'bytes=0-9'],
      ],
    })
  })

  test('keeps dot segments, repeated slashes and escapes as they came', () => {
    const { url } = readRawHttp('GET //a/../%2e/%7E HTTP/1.1\nHost: a.example\n\n')
    expect(url).toBe('https://a.example//a/../%2e/%7E')
  })

  test('has the chunks of its body put together', () => {
    const head = 'PUT / HTTP/1.1\nHost: a.example\nTransfer-Encoding: chunked\n\n'
    expect(text(readRawHttp(`${head}4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\n\r\n`).body)).toBe(
      'Wikipedia',
    )
    const { body, notes } = readRawHttp(`${head}not in chunks`)
    expect(text(body)).toBe('not in chunks')
    expect(notes).toHaveLength(1)
  })

  test('leaves the user of a URL out, as a secret', () => {
    const { url, secrets, notes } = readRawHttp(
      'GET https://me:correct%20horse@a.example/ HTTP/1.1\n',
    )
    expect(url).toBe('https://a.example/')
    expect(secrets).toContain('correct horse')
    expect(notes).toHaveLength(1)
  })

  test.each([
    [
      'one word',
      'Line 1 (request line): a request begins with a method and a target, such as GET /path HTTP/1.1.',
    ],
    ['G{T / HTTP/1.1', 'Line 1, column 2 (method): this is no HTTP method.'],
    [
      '\n\nGET / HTTP/1.1\nHost a.example',
      'Line 4 (header): this line has no colon; a header is a name, a colon and a value, and an empty line ends them.',
    ],
    [
      'GET / HTTP/1.1\nHost: a\nX Own: b',
      'Line 3, column 2 (header): this is no name of a header.',
    ],
    [
      'GET / HTTP/1.1\nHost: a\nX: b\0c',
      'Line 3, column 5 (header X): the value has the control character U+0000, which no client sends.',
    ],
    [
      `GET / HTTP/1.1\nHost: a\n${'X'.repeat(90)}: b\0c`,
      `Line 3, column 94 (header ${'X'.repeat(40)}…): the value has the control character U+0000, which no client sends.`,
    ],
    [
      'GET /a HTTP/1.1\nAccept: b',
      'Host header: there is no Host header, which every signature covers; add it, or use a whole URL.',
    ],
    [
      ':method: GET\nhost: a',
      'Line 1 (pseudo-headers): the pseudo-header :path of HTTP/2 is missing.',
    ],
    [
      `GET / HTTP/1.1\n${'a: b\n'.repeat(600)}`,
      'Line 502 (headers): there are more than 500 headers.',
    ],
    [
      'GET / HTTP/1.1\nHost: \u202eevil',
      'Host header: there is no absolute URL with http:// or https:// and a host.',
    ],
  ])('that is broken (%j) is refused with its line', (given, message) => {
    expect(messageOf(() => readRawHttp(given))).toBe(message)
  })
})
